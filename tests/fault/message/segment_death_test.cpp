// SPDX-License-Identifier: Apache-2.0
// A process is killed while it has a segment, while it opens one, while one is on its way to it, and while it changes one under a mutex: the others go on, and
// the memory goes with the last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "conformance/message/segment_sharer.hpp"
#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/pool.hpp"

namespace segment_tests {
namespace {

using testing::HasSubstr;

class SegmentDeath : public testing::Test {
 protected:
  template <class T>
  static void kill(int pid, ov::future<T>& call) {
    ::kill(pid, SIGKILL);
    EXPECT_THROW(call.get(), ov::process_died);
  }
  static void kill(const ov::remote_ptr<Sharer>& sharer) {
    ::kill(sharer->pid(), SIGKILL);
    for (bool died = false; !died;) try {
        sharer->pid();
      } catch (const ov::process_died&) {
        died = true;
      }
  }
  void await_all_free() const {
    while (free_bytes() != all) std::this_thread::yield();  // the watchdog bounds it
  }
  static void a_moment(std::mt19937& random) {
    for (auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 1000); std::chrono::steady_clock::now() < until;)
      std::this_thread::yield();
  }

  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 16 << 20}};
  const std::int64_t all = free_bytes();
  ov::Mailbox<int> begun{"begun"};
};

TEST_F(SegmentDeath, SEG5_TakesNothingFromTheOthers) {
  const Numbers mine("n", 100);
  auto one = ov::process.make<Sharer>(), two = ov::process.make<Sharer>();
  one->open("n", 100);
  two->keep(mine);
  one->store(1, 11);
  kill(one);
  EXPECT_EQ(mine[1], 11U);
  EXPECT_EQ(two->load(1), 11U);
  mine[2] = 12;
  EXPECT_EQ(two->load(2), 12U);
  EXPECT_EQ(Numbers("n", 100)[2], 12U);
}

TEST_F(SegmentDeath, SEG3_OfTheLastFreesIt) {
  auto one = ov::process.make<Sharer>(), two = ov::process.make<Sharer>();
  one->open("n", 1000);
  one->store(0, 1);
  two->keep(one->kept());
  kill(one);
  EXPECT_NE(free_bytes(), all);
  EXPECT_EQ(two->load(0), 1U);
  kill(two);
  await_all_free();
  EXPECT_EQ(Numbers("n", 1000)[0], 0U);
}

// A stopped process has not received what was sent to it.
TEST_F(SegmentDeath, SEG3_OfTheReceiverFreesWhatIsOnItsWay) {
  auto sharer = ov::process.make<Sharer>();
  const int pid = sharer->pid();
  ov::kit::stop(pid);
  auto keeps = ov::start(sharer)->keep(Numbers(1000));
  auto keeps_too = ov::start(sharer)->keep(Numbers("n", 1000));
  EXPECT_NE(free_bytes(), all);
  kill(pid, keeps);
  EXPECT_THROW(keeps_too.get(), ov::process_died);
  await_all_free();
}

TEST_F(SegmentDeath, SEG5_OfAHolderOfItsMutexIsHeardAndTheSegmentGoesOn) {
  constexpr int rounds = 20;
  const Numbers numbers("n", 2);
  ov::Mutex mutex("m");
  std::mt19937 random(20'240'602);
  int heard = 0;
  for (int round = 0; round < rounds; ++round) {
    auto sharer = ov::process.make<Sharer>();
    const int pid = sharer->pid();
    auto changes = ov::start(sharer)->change_for_ever(numbers, mutex, begun);
    EXPECT_EQ(begun.retrieve(), 1);
    a_moment(random);
    kill(pid, changes);
    try {
      std::lock_guard lock(mutex);
      EXPECT_EQ(numbers[0], numbers[1]) << "nobody said that it was left half done";
    } catch (const ov::lock_abandoned& e) {
      EXPECT_EQ(e.lock(), "mutex 'm'");
      EXPECT_THAT(e.what(), HasSubstr("was killed by SIGKILL"));
      EXPECT_LE(numbers[0] - numbers[1], 1U);
      ++heard;
      std::lock_guard lock(mutex);
      numbers[1] = numbers[0];
    }
    EXPECT_GT(numbers[0], static_cast<std::uint64_t>(round));
  }
  RecordProperty("heard", heard);
}

// Wherever in opening and letting go they are.
TEST_F(SegmentDeath, SEG3_WhileItIsOpenedLeavesNothingAndTheNameGoesOn) {
  constexpr int rounds = 20;
  constexpr std::uint64_t elements = 3000;
  std::mt19937 random(20'240'603);
  for (int round = 0; round < rounds; ++round) {
    std::array sharers{ov::process.make<Sharer>(), ov::process.make<Sharer>()};
    std::array pids{sharers[0]->pid(), sharers[1]->pid()};
    std::array opens{ov::start(sharers[0])->open_for_ever("n", elements, begun), ov::start(sharers[1])->open_for_ever("n", elements, begun)};
    EXPECT_EQ(begun.retrieve() + begun.retrieve(), 2);
    a_moment(random);
    kill(pids[0], opens[0]);
    {
      const Numbers mine("n", elements);
      EXPECT_THAT(mine[elements - 1], testing::AnyOf(0U, 17U));
      EXPECT_EQ(mine[0], 0U);
    }
    kill(pids[1], opens[1]);
    await_all_free();
  }
}

TEST_F(SegmentDeath, SEG3_NothingIsLeftBehind) {
  const auto files = ov::kit::shared_memory_files();
  std::vector<std::string> descriptors;
  for (int round = 0; round < 3; ++round) {
    auto sharer = ov::process.make<Sharer>(), other = ov::process.make<Sharer>();
    const Numbers own(1000), named("n", 1000);
    sharer->keep(own);
    sharer->open("n", 1000);
    other->keep(sharer->kept());
    const auto now = ov::kit::open_descriptors();
    if (round == 0) descriptors = now;
    EXPECT_EQ(now, descriptors) << "a segment has none";
    kill(sharer);
    kill(other);
  }
  await_all_free();
  EXPECT_EQ(ov::kit::shared_memory_since(files), std::set<std::string>());
}

}  // namespace
}  // namespace segment_tests
