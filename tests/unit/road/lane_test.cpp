// SPDX-License-Identifier: Apache-2.0
// The lane of a shm connection: what is written is read, once, in order; what no writer writes is refused.
#include "road/lane/lane.hpp"

#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using next = road::LaneReader::next;

wire::FrameHeader header_of(std::uint64_t call, wire::frame_kind kind = wire::frame_kind::call) {
  wire::FrameHeader header;
  header.kind = kind;
  header.caller = 3;
  header.object = 5;
  header.incarnation = 1;
  header.build = 7;
  header.call = call;
  header.root = call + 100;
  header.method = call + 200;
  header.flags = 9;
  return header;
}

std::vector<std::byte> bytes_of(std::size_t size, std::uint64_t seed) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(seed + i);
  return bytes;
}

class Lane : public testing::Test {
 protected:
  // The first frame of each class comes as bytes: both sides know it then.
  void introduce(wire::frame_kind kind = wire::frame_kind::call) {
    ASSERT_TRUE(writer.announce(header_of(0, kind)));
    wire::Message message;
    ASSERT_EQ(reader.read(message), next::bytes);
    reader.learn(header_of(0, kind));
  }
  std::string refusal() {
    wire::Message message;
    try {
      reader.read(message);
    } catch (const octavo::io_error& e) {
      return e.what();
    }
    return "";
  }
  void mark(std::size_t line, road::LaneMark mark) { lines[line].mark.store(mark.word()); }

  octavo::kit::Watchdog watchdog{30};
  road::LaneControl control;
  std::array<road::Line, road::lane_lines> lines;
  road::LaneWriter writer{&control, lines.data()};
  road::LaneReader reader{&control, lines.data()};
};

TEST_F(Lane, EverySizeComesAsItWasWritten) {
  introduce();
  for (std::size_t size = 0; size <= road::most_in_lane; ++size) {
    auto body = bytes_of(size, size);
    ASSERT_TRUE(writer.write(header_of(size), body)) << size;
    wire::Message message;
    ASSERT_TRUE(reader.ready());
    ASSERT_EQ(reader.read(message), next::frame);
    reader.release();
    const auto expected = header_of(size);
    EXPECT_EQ(message.header.call, expected.call);
    EXPECT_EQ(message.header.root, expected.root);
    EXPECT_EQ(message.header.method, expected.method);
    EXPECT_EQ(message.header.flags, expected.flags);
    EXPECT_EQ(message.header.caller, expected.caller);
    EXPECT_EQ(message.header.object, expected.object);
    EXPECT_EQ(message.header.body_bytes, size);
    ASSERT_TRUE(std::equal(body.begin(), body.end(), message.body.span().begin(), message.body.span().end()));
  }
  EXPECT_FALSE(reader.ready());
}

TEST_F(Lane, WhatItDoesNotKnowGoesAsBytes) {
  EXPECT_FALSE(writer.takes(header_of(1), 0)) << "nothing was introduced";
  introduce();
  EXPECT_FALSE(writer.takes(header_of(1, wire::frame_kind::reply), 0)) << "answers are another class";
  auto other = header_of(1);
  other.incarnation = 2;
  EXPECT_FALSE(writer.takes(other, 0));
  EXPECT_FALSE(writer.takes(header_of(1), road::most_in_lane + 1));
  EXPECT_TRUE(writer.takes(header_of(1, wire::frame_kind::cancel), road::most_in_lane));
}

TEST_F(Lane, PagesComeBeforeTheirBody) {
  introduce();
  for (std::size_t pages = 1; pages <= road::most_pages_now; ++pages)
    for (std::size_t size = 0; size <= road::most_in_lane - road::content_of(0, pages); ++size) {
      ASSERT_TRUE(writer.takes(header_of(size), size, pages));
      const auto body = bytes_of(size, size);
      std::vector<wire::PageRef> refs;
      for (std::size_t i = 0; i < pages; ++i) refs.push_back({(size + i) << 12, size + 1, static_cast<std::uint32_t>(i), 0});
      ASSERT_TRUE(writer.write(header_of(size), body, refs));
      wire::SmallFrame small;
      EXPECT_FALSE(reader.peek(small));
      EXPECT_TRUE(reader.is_for(wire::frame_kind::call, header_of(size).method));
      wire::Message message;
      ASSERT_EQ(reader.read(message), next::frame);
      reader.release();
      EXPECT_EQ(message.header.call, size);
      EXPECT_EQ(message.header.page_count, pages);
      EXPECT_EQ(message.header.body_bytes, size);
      ASSERT_TRUE(std::equal(body.begin(), body.end(), message.body.span().begin(), message.body.span().end()));
      ASSERT_EQ(message.pages.size(), pages);
      EXPECT_EQ(std::memcmp(message.pages.data(), refs.data(), pages * sizeof(wire::PageRef)), 0);
    }
  EXPECT_FALSE(writer.takes(header_of(1), 0, road::most_pages_now + 1));
  EXPECT_FALSE(writer.takes(header_of(1), road::most_in_lane - road::content_of(0, 1) + 1, 1));
}

TEST_F(Lane, AFullOneTakesNothingUntilAQuarterIsRead) {
  introduce();
  std::uint64_t written = 0, read = 0;
  while (writer.write(header_of(written), {})) ++written;
  EXPECT_EQ(written, road::lane_lines - 1) << "and the line that introduced them";
  EXPECT_FALSE(writer.announce(header_of(0)));
  writer.want_room();
  EXPECT_FALSE(writer.got_room());
  for (bool ring = false; !ring; ++read) {
    wire::Message message;
    ASSERT_EQ(reader.read(message), next::frame);
    EXPECT_EQ(message.header.call, read);
    ring = reader.release();
  }
  EXPECT_LE(read, road::lane_lines / 4);
  EXPECT_TRUE(writer.got_room());
  EXPECT_TRUE(writer.write(header_of(written), {}));
}

TEST_F(Lane, AnAnswerIsKnownByItsNumber) {
  introduce();
  introduce(wire::frame_kind::reply);
  EXPECT_FALSE(reader.answers(4));
  ASSERT_TRUE(writer.write(header_of(4), {}));
  EXPECT_FALSE(reader.answers(4)) << "a call";
  wire::Message message;
  ASSERT_EQ(reader.read(message), next::frame);
  ASSERT_TRUE(writer.write(header_of(4, wire::frame_kind::reply), {}));
  EXPECT_FALSE(reader.answers(5));
  EXPECT_TRUE(reader.answers(4));
}

TEST_F(Lane, WhatNoWriterWritesIsRefused) {
  const auto at = road::LaneMark::number(0);
  mark(0, {at, 0, 15, 0});
  EXPECT_NE(refusal().find("kind 15"), std::string::npos);
  mark(0, {at, 0, static_cast<std::uint8_t>(wire::frame_kind::call), 0});
  EXPECT_NE(refusal().find("names no process"), std::string::npos);
  reader.learn(header_of(0));
  mark(0, {at, 60000, static_cast<std::uint8_t>(wire::frame_kind::call), 0});
  EXPECT_NE(refusal().find("60000 bytes"), std::string::npos);
  mark(0, {at, 40, road::LaneMark::kind_of(wire::frame_kind::call, 2), 0});
  EXPECT_NE(refusal().find("40 bytes with 2 pages"), std::string::npos);
  mark(0, {at, 200, static_cast<std::uint8_t>(wire::frame_kind::call), 0});
  EXPECT_NE(refusal().find("shorter than it says"), std::string::npos);
}

TEST_F(Lane, AHeadThatLiesIsNotBelieved) {
  introduce();
  while (writer.write(header_of(1), {})) {}
  for (std::uint64_t head : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    control.head.store(head);
    EXPECT_FALSE(writer.has_room());
  }
}

TEST_F(Lane, BetweenTwoThreadsAllComesInOrder) {
  introduce();
  constexpr std::uint64_t frames = 20'000;
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < frames; ++i) {
      auto body = bytes_of(i % (road::most_in_lane + 1), i);
      while (!writer.write(header_of(i), body)) std::this_thread::yield();
    }
  });
  for (std::uint64_t i = 0; i < frames; ++i) {
    wire::Message message;
    while (reader.read(message) == next::nothing) std::this_thread::yield();
    reader.release();
    auto expected = bytes_of(i % (road::most_in_lane + 1), i);
    EXPECT_EQ(message.header.call, i);
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), message.body.span().begin(), message.body.span().end()));
  }
  sender.join();
}

}  // namespace
