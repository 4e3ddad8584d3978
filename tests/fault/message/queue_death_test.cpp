// SPDX-License-Identifier: Apache-2.0
// QU-1 to QU-6, BR-2, BR-3: writers, readers and makers of queues, and those that wait at a barrier, are killed at random moments. Who lives goes on, or is
// told by an error that names the dead one, soon; no item is given twice, and none that a live process put is lost but by the one that had taken it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <set>
#include <thread>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/message.hpp"

namespace queue_death_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

using Item = std::pair<int, int>;  // who put it, and its number there

class Hand {
 public:
  int pid() { return ::getpid(); }
  ov::Queue<Item> make(std::size_t bound) { return ov::Queue<Item>(bound); }
  void put_for_ever(const ov::Queue<Item>& to, int me) {
    for (int i = 0;; ++i) to.put({me, i});
  }
  void put_some(const ov::Queue<Item>& to, int me, int count) {
    for (int i = 0; i < count; ++i) to.put({me, i});
  }
  // What it takes it tells before it says that it is done.
  void take_for_ever(const ov::Queue<Item>& from, const ov::Mailbox<Item>& told) {
    for (;;) {
      told.post(from.get());
      from.task_done();
    }
  }
  void get_ready(const ov::Barrier&) {}
  void wait_for_ever(const ov::Barrier& at) {
    for (;;) at.wait();
  }
};
OCTAVO_REMOTE(Hand, pid, make, put_for_ever, put_some, take_for_ever, get_ready, wait_for_ever)

namespace {

using testing::AllOf;
using testing::HasSubstr;

class QueueDeath : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr auto soon = 20s;  // on a busy machine
  struct Living {
    ov::remote_ptr<Hand> pointer;
    int pid = 0;
    ov::future<void> call;
  };
  static Living made() {
    auto p = ov::process.make<Hand>();
    return {p, p->pid(), {}};
  }
  std::chrono::microseconds some_time() { return std::chrono::microseconds(std::uniform_int_distribution<>(0, 3000)(random)); }
  static void kill(Living& which) {
    ::kill(which.pid, SIGKILL);
    EXPECT_THROW(which.call.get(), ov::process_died);
  }
  // What is to be over by then, and how it ended.
  template <class T>
  static std::string end_of(ov::future<T>& call) {
    if (!call.wait_for(soon)) return "it goes on";
    try {
      call.get();
      return "value";
    } catch (const ov::error& e) {
      return e.what();
    }
  }

  unsigned seed = GetParam();
  std::mt19937 random{seed};
  ov::kit::Watchdog watchdog{120};
  ov::Runtime runtime;
};

TEST_P(QueueDeath, OfReadersAndWriters) {
  constexpr int kills = 8, last = 200;
  ov::Queue<Item> queue(4);
  ov::Mailbox<Item> told("told", {.messages = 1 << 16});
  std::set<Item> came;
  const auto hear = [&](std::chrono::milliseconds patience) {
    const auto item = told.retrieve_for(patience);
    EXPECT_TRUE(!item || came.insert(*item).second) << "it was given twice; seed " << seed;
    return item.has_value();
  };
  for (int i = 0; i < kills; ++i) {
    auto reader = made(), writer = made(), other = made();
    reader.call = ov::start(reader.pointer)->take_for_ever(queue, told);
    other.call = ov::start(other.pointer)->take_for_ever(queue, told);
    writer.call = ov::start(writer.pointer)->put_for_ever(queue, i);
    std::this_thread::sleep_for(some_time());
    kill(i % 2 == 0 ? reader : writer);
    while (hear(0ms)) {}
    std::this_thread::sleep_for(some_time());
    kill(i % 2 == 0 ? writer : reader);
    kill(other);
    while (hear(0ms)) {}
    while (queue.try_get()) queue.task_done();
  }
  // A live reader has all that a live writer puts.
  auto reader = made(), writer = made(), dies = made();
  reader.call = ov::start(reader.pointer)->take_for_ever(queue, told);
  dies.call = ov::start(dies.pointer)->take_for_ever(queue, told);
  writer.call = ov::start(writer.pointer)->put_some(queue, kills, last);
  std::this_thread::sleep_for(some_time());
  kill(dies);
  writer.call.get();
  for (bool joined = false; !joined;) try {
      queue.join();
      joined = true;
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), HasSubstr("may not be worked off"));
    }
  queue.put({kills + 1, 0});  // taken, and told, behind all others
  while (!came.contains({kills + 1, 0})) hear(soon);
  const auto whole = std::count_if(came.begin(), came.end(), [](const Item& each) { return each.first == kills; });
  EXPECT_GE(whole, last - 1) << "at most the one that the dead one had taken is lost; seed " << seed;
  kill(reader);
}

TEST_P(QueueDeath, OfTheMaker) {
  for (int i = 0; i < 5; ++i) {
    auto maker = made(), reader = made(), writer = made();
    ov::Mailbox<Item> told("told by others", {.messages = 1 << 16});
    const auto queue = maker.pointer->make(static_cast<std::size_t>(i % 2) * 3);
    reader.call = ov::start(reader.pointer)->take_for_ever(queue, told);
    if (i < 3) writer.call = ov::start(writer.pointer)->put_for_ever(queue, i);
    std::this_thread::sleep_for(some_time());
    ::kill(maker.pid, SIGKILL);
    EXPECT_THAT(end_of(reader.call), HasSubstr("had made it")) << "seed " << seed;
    if (writer.call.valid()) {
      EXPECT_THAT(end_of(writer.call), HasSubstr("had made it")) << "seed " << seed;
    }
    while (told.try_retrieve()) {}
    EXPECT_THROW(queue.put({0, 0}), ov::process_died);
    ov::destroy(reader.pointer);
    ov::destroy(writer.pointer);
  }
}

TEST_P(QueueDeath, AtABarrier) {
  constexpr int parties = 3;
  ov::Barrier barrier("rows", parties);
  for (int i = 0; i < 5; ++i) {
    std::vector<Living> all;
    for (int j = 0; j < parties; ++j) all.push_back(made());
    for (auto& each : all) each.pointer->get_ready(barrier);  // who dies before it has the barrier is not noticed (BR-3)
    for (auto& each : all) each.call = ov::start(each.pointer)->wait_for_ever(barrier);
    std::this_thread::sleep_for(some_time());
    const auto dead = "pid " + std::to_string(all.back().pid);
    kill(all.back());
    for (int j = 0; j + 1 < parties; ++j)
      EXPECT_THAT(end_of(all[static_cast<std::size_t>(j)].call), AllOf(HasSubstr("broken"), HasSubstr(dead))) << "seed " << seed;
    barrier.reset();
    for (int j = 0; j + 1 < parties; ++j) ov::destroy(all[static_cast<std::size_t>(j)].pointer);
  }
}

INSTANTIATE_TEST_SUITE_P(, QueueDeath, testing::Range(1u, 4u));

}  // namespace
}  // namespace queue_death_tests
