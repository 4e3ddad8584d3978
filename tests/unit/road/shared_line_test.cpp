// SPDX-License-Identifier: Apache-2.0
// The line that both directions of a connection share: it is used where frames take turns, keeps their order with the lanes, and believes nobody.
#include "road/lane/shared_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "road/lane/lane.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using next = road::LaneReader::next;

wire::SmallFrame frame_of(std::uint64_t call, std::uint16_t size = 8, std::uint64_t method = 77) {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::call;
  frame.flags = static_cast<std::uint8_t>(call);
  frame.call = call;
  frame.root = ~call;
  frame.method = method;
  frame.size = size;
  for (std::size_t i = 0; i < size; ++i) frame.body.at(i) = static_cast<std::byte>(call + i);
  return frame;
}

// Two ends with a lane each way, from a position on.
struct Connected {
  explicit Connected(std::uint64_t begin = 0) : out{writer(0, begin), writer(1, begin)}, in{reader(0, begin), reader(1, begin)} {
    for (std::size_t side : {0, 1}) {
      wire::FrameHeader header;
      header.object = 5;
      header.call = 1;
      wire::Message message;
      EXPECT_TRUE(out.at(side).announce(header));
      EXPECT_EQ(in.at(1 - side).read(message), next::bytes);
      in.at(1 - side).learn(header);
    }
  }
  road::LaneWriter writer(std::size_t side, std::uint64_t begin) { return {&controls.at(side), lines.at(side).data(), &ends.at(side), begin}; }
  road::LaneReader reader(std::size_t side, std::uint64_t begin) { return {&controls.at(1 - side), lines.at(1 - side).data(), &ends.at(side), begin}; }
  [[nodiscard]] std::uint64_t mark(std::size_t side) const { return shared.halves.at(side).mark.load(); }
  // Whether it went through the shared line.
  bool put(std::size_t side, const wire::SmallFrame& frame) {
    const auto before = mark(side);
    EXPECT_TRUE(out.at(side).write(frame));
    return mark(side) != before;
  }
  void take(std::size_t side, const wire::SmallFrame& expected) {
    wire::SmallFrame got;
    ASSERT_TRUE(in.at(side).ready());
    ASSERT_TRUE(in.at(side).peek(got));
    expect_same(got, expected);
    EXPECT_EQ(in.at(side).take(got, wire::frame_kind::destroy, expected.method), road::took_small::other_came);
    EXPECT_EQ(in.at(side).take(got, expected.kind, expected.method + 1), road::took_small::other_came) << "it stays where it is";
    got = {};
    ASSERT_EQ(in.at(side).take(got, expected.kind, expected.method), road::took_small::taken);
    expect_same(got, expected);
    in.at(side).release();
  }
  static void expect_same(const wire::SmallFrame& got, const wire::SmallFrame& expected) {
    EXPECT_EQ(got.call, expected.call);
    EXPECT_EQ(got.root, expected.root);
    EXPECT_EQ(got.method, expected.method);
    EXPECT_EQ(got.flags, expected.flags);
    ASSERT_EQ(got.size, expected.size);
    EXPECT_TRUE(std::equal(got.body.begin(), got.body.begin() + got.size, expected.body.begin()));
  }

  road::SharedLine shared;
  std::array<road::SharedLineEnd, 2> ends{road::SharedLineEnd(shared, 0), road::SharedLineEnd(shared, 1)};
  std::array<road::LaneControl, 2> controls;
  std::array<std::array<road::Line, road::lane_lines>, 2> lines;
  std::array<road::LaneWriter, 2> out;
  std::array<road::LaneReader, 2> in;
};

TEST(SharedLine, WhatTakesTurnsGoesThroughIt) {
  Connected both;
  both.put(0, frame_of(1));  // by the lane: it says which method they are of
  both.take(1, frame_of(1));
  both.put(1, frame_of(1));
  both.take(0, frame_of(1));
  for (std::uint64_t turn = 2; turn < 300; ++turn) {
    EXPECT_TRUE(both.put(0, frame_of(turn))) << turn;
    both.take(1, frame_of(turn));
    EXPECT_TRUE(both.put(1, frame_of(turn + 1000))) << turn;
    both.take(0, frame_of(turn + 1000));
  }
}

TEST(SharedLine, WhatDoesNotFitGoesByTheLane) {
  Connected both;
  std::uint64_t turn = 1;
  auto goes = [&](const wire::SmallFrame& frame) {
    both.put(0, frame_of(++turn));
    both.take(1, frame_of(turn));
    both.put(1, frame_of(turn));
    both.take(0, frame_of(turn));
    const bool shared = both.put(0, frame);
    both.take(1, frame);
    both.put(1, frame_of(turn));
    both.take(0, frame_of(turn));
    return shared;
  };
  EXPECT_TRUE(goes(frame_of(9)));
  EXPECT_FALSE(goes(frame_of(9, 9))) << "of more than 8 bytes";
  EXPECT_FALSE(goes(frame_of(std::uint64_t{1} << 32))) << "with a number of more than 4 bytes";
  EXPECT_FALSE(goes(frame_of(9, 8, 78))) << "of another method than the one before";
}

TEST(SharedLine, WhoWritesAgainAndAgainUsesTheLane) {
  Connected both;
  for (std::uint64_t call = 0; call < 40; ++call) EXPECT_FALSE(both.put(0, frame_of(call))) << call;
  for (std::uint64_t call = 0; call < 40; ++call) both.take(1, frame_of(call));
  both.put(1, frame_of(1));
  both.take(0, frame_of(1));
  EXPECT_TRUE(both.put(0, frame_of(40))) << "after an answer";
  EXPECT_FALSE(both.put(0, frame_of(41))) << "what lies there was not taken yet, and there was no other answer";
  both.take(1, frame_of(40));
  both.take(1, frame_of(41));
}

// What lies there unread is never written over, whatever else goes to and fro.
TEST(SharedLine, KeepsTheOrderOfAllThatIsSent) {
  for (const std::uint64_t begin : {std::uint64_t{0}, (std::uint64_t{1} << 30) - 500, (std::uint64_t{1} << 32) - 500}) {
    Connected both(begin);
    std::mt19937 random(7);
    std::array<std::deque<wire::SmallFrame>, 2> under_way;
    std::size_t shared = 0;
    for (std::uint64_t step = 1; step < 20'000; ++step) {
      const std::size_t side = random() % 2;
      auto& mine = under_way.at(side);
      if (random() % 2 == 0 && both.out.at(side).has_room()) {
        mine.push_back(frame_of(step, static_cast<std::uint16_t>(random() % 8 == 0 ? 20 : 8), random() % 16 == 0 ? 5 : 77));
        shared += both.put(side, mine.back()) ? 1 : 0;
      } else if (!mine.empty() && random() % 4 == 0) {  // as a message of its own
        wire::Message message;
        ASSERT_EQ(both.in.at(1 - side).read(message), next::frame);
        EXPECT_EQ(message.header.call, mine.front().call);
        EXPECT_EQ(message.header.method, mine.front().method);
        ASSERT_EQ(message.body.size(), mine.front().size);
        EXPECT_TRUE(std::equal(message.body.span().begin(), message.body.span().end(), mine.front().body.begin()));
        both.in.at(1 - side).release();
        mine.pop_front();
      } else if (!mine.empty()) {
        ASSERT_NO_FATAL_FAILURE(both.take(1 - side, mine.front()));
        mine.pop_front();
      } else {
        EXPECT_FALSE(both.in.at(1 - side).ready());
      }
    }
    EXPECT_GT(shared, 100U) << begin;
  }
}

// Positions have 32 bits in a mark: one that was left there 2^32 frames ago is not taken for the next.
TEST(SharedLine, AMarkOfLongAgoIsForgotten) {
  constexpr auto far = std::uint64_t{1} << 30;
  Connected both(far - 200);
  both.put(0, frame_of(1));
  both.take(1, frame_of(1));
  both.put(1, frame_of(1));
  both.take(0, frame_of(1));
  ASSERT_TRUE(both.put(0, frame_of(2)));
  both.take(1, frame_of(2));
  const auto left = both.mark(0);
  for (std::uint64_t call = 3; call < 300; ++call) {
    both.put(0, frame_of(call));
    both.take(1, frame_of(call));
  }
  EXPECT_NE(both.mark(0), left);
}

// While frames take turns through the shared line, no line of a lane is written; but none is left with a mark that is the next one's when numbers
// begin again, as that of a line is that was never written.
TEST(SharedLine, NoLineKeepsItsMarkUntilNumbersBeginAgain) {
  for (const std::uint64_t around : {std::uint64_t{1} << 30, std::uint64_t{1} << 32}) {
    Connected both(around - 400);
    std::size_t shared = 0;
    for (std::uint64_t turn = 1; turn < 800; ++turn) {
      for (std::size_t side : {0, 1}) {
        ASSERT_FALSE(both.in.at(1 - side).ready()) << "nothing was sent, at turn " << turn;
        shared += both.put(side, frame_of(turn)) ? 1 : 0;
        ASSERT_NO_FATAL_FAILURE(both.take(1 - side, frame_of(turn)));
      }
    }
    EXPECT_GT(shared, 1200U);
    for (std::size_t side : {0, 1})
      for (const auto& line : both.lines.at(side)) {
        const auto age = road::LaneMark::number(around + 400) - road::LaneMark::of(line.mark.load()).position;
        EXPECT_LT(age, 1000U);
      }
  }
}

TEST(SharedLine, WhatNoWriterWritesIsRefused) {
  Connected both;
  auto says = [&](std::uint16_t size, std::uint8_t kind) {
    both.shared.halves[0].mark.store(road::LaneMark{road::LaneMark::number(1), size, kind, 0}.word());
    wire::SmallFrame frame;
    EXPECT_TRUE(both.in[1].ready());
    EXPECT_FALSE(both.in[1].peek(frame));
    wire::Message message;
    try {
      both.in[1].read(message);
    } catch (const octavo::io_error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  EXPECT_NE(says(9, static_cast<std::uint8_t>(wire::frame_kind::call)).find("9 bytes with 0 pages in the shared line"), std::string::npos);
  EXPECT_NE(says(8, static_cast<std::uint8_t>(wire::frame_kind::reply)).find("names no process"), std::string::npos);
  both.shared.halves[0].mark.store(road::LaneMark{road::LaneMark::number(1), 8, 15, 0}.word());
  wire::Message message;
  EXPECT_THROW(both.in[1].read(message), octavo::io_error);
}

TEST(SharedLine, BetweenTwoThreadsTheyTakeTurns) {
  octavo::kit::Watchdog watchdog{60};
  Connected both;
  constexpr std::uint64_t turns = 20'000;
  auto take = [&](std::size_t side, std::uint64_t call) {
    while (!both.in.at(side).next_mark().comes(1000)) std::this_thread::yield();
    both.take(side, frame_of(call));
  };
  std::thread other([&] {
    for (std::uint64_t i = 0; i < turns; ++i) {
      take(1, i);
      both.out[1].write(frame_of(i));
    }
  });
  for (std::uint64_t i = 0; i < turns; ++i) {
    both.out[0].write(frame_of(i));
    take(0, i);
  }
  other.join();
}

}  // namespace
