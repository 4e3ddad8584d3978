// SPDX-License-Identifier: Apache-2.0
// What a mailbox's bound counts: messages that lie unread, and none that was read.
#include <random>
#include <set>

#include "conformance/process/every_place.hpp"
#include "octavo/message.hpp"

namespace message_tests {

namespace ov = octavo;

class Collector {
 public:
  explicit Collector(ov::MailboxBound bound = {}) : bound_(bound) {}
  // Numbers from a box, as many as are asked for.
  [[nodiscard]] std::vector<int> take(const std::string& box, int count) const {
    const ov::Mailbox<int> from(box, bound_);
    std::vector<int> came;
    for (int i = 0; i < count; ++i) came.push_back(from.retrieve());
    return came;
  }
  // Posts `count` numbers to the partner before it takes any, after the two have exchanged some.
  [[nodiscard]] long exchange(const std::string& mine, const std::string& theirs, int before, int count) const {
    const ov::Mailbox<int> in(mine), out(theirs);
    long sum = 0;
    for (int i = 0; i < before; ++i) {
      out.post(i);
      sum += in.retrieve();
    }
    for (int i = 0; i < count; ++i) out.post(i);
    for (int i = 0; i < count; ++i) sum += in.retrieve();
    return sum;
  }

 private:
  ov::MailboxBound bound_;
};
OCTAVO_REMOTE(Collector, take, exchange)

namespace {

using namespace std::chrono_literals;

class Room : public process_tests::EveryPlace {
 protected:
  // As many as there is room for. A reader that is slow to answer has a try refused; so it is tried again.
  static int fill(const ov::Mailbox<int>& box, int next, int until) {
    int posted = 0;
    while (posted < until)
      if (int value = next + posted; box.try_post(value)) ++posted;
    return posted;
  }
};

TEST_P(Room, WhatWasReadLeavesRoomAtOnce) {
  for (const int bound : {1, 2, 3, 16, 256}) {
    for (const int read : std::set<int>{1, std::max(1, bound / 4), std::max(1, bound - 1), bound}) {
      const auto name = "of " + std::to_string(bound) + ", read " + std::to_string(read);
      const ov::MailboxBound limits{.messages = static_cast<std::uint64_t>(bound)};
      const auto reader = here.make<Collector>(limits);
      const ov::Mailbox<int> box(name, limits);
      for (int i = 0; i < read; ++i) box.post(i);
      EXPECT_EQ(reader->take(name, read).back(), read - 1);
      for (int i = 0; i < bound; ++i) box.post(read + i);  // would wait for ever, if what was read were counted
      int more = 0;
      EXPECT_FALSE(box.try_post(more)) << name;
      EXPECT_EQ(reader->take(name, bound).front(), read);
      ov::destroy(reader);
    }
  }
}

TEST_P(Room, OfABoundInBytesToo) {
  const auto reader = here.make<Collector>(ov::MailboxBound{.messages = 1000, .bytes = 64});
  const ov::Mailbox<int> box("bytes", {.messages = 1000, .bytes = 64});
  box.post(0);
  EXPECT_EQ(reader->take("bytes", 1).size(), 1u);  // from now on it is known who reads
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 16; ++i) box.post(i);
    int more = 0;
    EXPECT_FALSE(box.try_post(more));
    for (int part : {1, 3, 12}) EXPECT_EQ(reader->take("bytes", part).size(), static_cast<std::size_t>(part));
  }
}

// Each posts as much as may lie unread before it reads: neither waits for the other.
TEST_P(Room, TwoThatPostAsMuchAsMayLieUnread) {
  for (const int before : {0, 1, 10, 63, 64, 200}) {
    const auto a = here.make<Collector>(), b = ov::process.make<Collector>();
    const auto one = "one " + std::to_string(before), other = "other " + std::to_string(before);
    auto sum_a = ov::start(a)->exchange(one, other, before, 256), sum_b = ov::start(b)->exchange(other, one, before, 256);
    const long expected = long{before} * (before - 1) / 2 + 256 * 255 / 2;
    EXPECT_EQ(sum_a.get(), expected);
    EXPECT_EQ(sum_b.get(), expected);
  }
}

// Posts, reads and tries at random, against a counter of what lies unread.
TEST_P(Room, RandomPostsAndReadsAgainstACounter) {
  std::mt19937_64 random(7);
  for (const int bound : {1, 4, 7, 64}) {
    const auto name = "random " + std::to_string(bound);
    const ov::MailboxBound limits{.messages = static_cast<std::uint64_t>(bound)};
    const auto reader = here.make<Collector>(limits);
    const ov::Mailbox<int> box(name, limits);
    int posted = 0, read = 0;
    static_cast<void>(fill(box, posted++, 1));
    EXPECT_EQ(reader->take(name, 1), std::vector<int>{read++});  // from now on it is known who reads
    for (int step = 0; step < 300; ++step) {
      const int unread = posted - read, room = bound - unread;
      switch (random() % 4) {
        case 0:  // as many as there is room for, and no more
          posted += fill(box, posted, room);
          if (int more = posted; box.try_post(more)) FAIL() << "more than " << bound << " lie unread";
          break;
        case 1:
          for (int i = static_cast<int>(random() % static_cast<std::uint64_t>(room + 1)); i > 0; --i) box.post(posted++);
          break;
        case 2:
          for (int i = static_cast<int>(random() % static_cast<std::uint64_t>(room + 1)); i > 0; --i) posted += fill(box, posted, 1);
          break;
        default:
          for (const int each : reader->take(name, static_cast<int>(random() % static_cast<std::uint64_t>(unread + 1)))) ASSERT_EQ(each, read++);
      }
    }
    ov::destroy(reader);
  }
}

INSTANTIATE_TEST_SUITE_P(, Room, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
