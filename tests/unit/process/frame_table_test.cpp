// SPDX-License-Identifier: Apache-2.0
// Which part takes a frame.
#include "process/frame_table.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace octavo::detail {
namespace {

struct Part {
  void take(wire::Message& message, const PeerLink& from) { taken.emplace_back(message.header.call, from.facts.pid); }
  void take_other(wire::Message& /*message*/, const PeerLink& /*from*/) {}
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header) const { return header.call == in_place; }
  std::vector<std::pair<std::uint64_t, std::int64_t>> taken;
  std::uint64_t in_place = 0;
};

wire::Message message_of(wire::frame_kind kind, std::uint64_t call = 0) {
  wire::Message message;
  message.header.kind = kind;
  message.header.call = call;
  return message;
}

TEST(FrameTable, AFrameGoesToThePartOfItsKind) {
  Part one, other;
  FrameTable frames;
  frames.add<&Part::take>(wire::frame_kind::probe, one);
  frames.add<&Part::take>(wire::frame_kind::call, other);
  PeerLink from;
  from.facts.pid = 71;
  auto message = message_of(wire::frame_kind::probe, 5);
  frames.take(message, from);
  EXPECT_EQ(one.taken, (std::vector<std::pair<std::uint64_t, std::int64_t>>{{5, 71}}));
  EXPECT_TRUE(other.taken.empty());
}

TEST(FrameTable, TwoHandlersOfOneKindAreRefused) {
  Part one, other;
  FrameTable frames;
  frames.add<&Part::take>(wire::frame_kind::post, one);
  EXPECT_THROW(frames.add<&Part::take>(wire::frame_kind::post, other), usage_error);
  EXPECT_THROW(frames.add<&Part::take_other>(wire::frame_kind::post, one), usage_error);
  auto message = message_of(wire::frame_kind::post);
  frames.take(message, {});
  EXPECT_EQ(one.taken.size(), 1U) << "the first one still has it";
}

TEST(FrameTable, AKindThatNobodyTakesIsAnIoErrorWhichNamesIt) {
  Part one;
  FrameTable frames;
  frames.add<&Part::take>(wire::frame_kind::probe, one);
  auto message = message_of(wire::frame_kind::member);
  try {
    frames.take(message, {});
    FAIL() << "somebody took it";
  } catch (const io_error& e) {
    EXPECT_NE(std::string(e.what()).find("of kind 8"), std::string::npos) << e.what();
  }
}

TEST(FrameTable, ItsPartSaysWhetherAFrameLands) {
  Part one;
  FrameTable frames;
  frames.add<&Part::take>(wire::frame_kind::call, one);
  frames.add<&Part::take>(wire::frame_kind::cancel, one);
  EXPECT_FALSE(frames.receives_in_place(message_of(wire::frame_kind::call, 3).header)) << "it was not asked to say";
  frames.add_in_place<&Part::receives_in_place>(wire::frame_kind::call, one);
  one.in_place = 3;
  EXPECT_TRUE(frames.receives_in_place(message_of(wire::frame_kind::call, 3).header));
  EXPECT_FALSE(frames.receives_in_place(message_of(wire::frame_kind::call, 4).header));
  EXPECT_FALSE(frames.receives_in_place(message_of(wire::frame_kind::cancel, 3).header)) << "another kind";
  EXPECT_FALSE(frames.receives_in_place(message_of(wire::frame_kind::save, 3).header)) << "nobody's";
}

TEST(FrameTable, WhereFramesLandIsSaidByThePartThatTakesThem) {
  Part one, other;
  FrameTable frames;
  EXPECT_THROW(frames.add_in_place<&Part::receives_in_place>(wire::frame_kind::call, one), usage_error) << "nobody takes them";
  frames.add<&Part::take>(wire::frame_kind::call, one);
  EXPECT_THROW(frames.add_in_place<&Part::receives_in_place>(wire::frame_kind::call, other), usage_error);
}

}  // namespace
}  // namespace octavo::detail
