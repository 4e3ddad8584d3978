// SPDX-License-Identifier: Apache-2.0
// Threads that wait for a lock, where threads meet, at a queue, mailbox or channel, for a call or a promise, when the Runtime ends: each is told, and has
// left when the Runtime is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "kit/asleep.hpp"
#include "kit/watchdog.hpp"
#include "octavo/message.hpp"
#include "octavo/process.hpp"

namespace message_tests {
namespace {

namespace ov = octavo;

class Silent {
 public:
  ov::future<int> never() { return kept_.emplace_back().get_future(); }

 private:
  std::vector<ov::promise<int>> kept_;
};
OCTAVO_REMOTE(Silent, never)

// What each thread waits for, made under the Runtime that there is.
struct Awaited {
  explicit Awaited(const std::string& before) : mutex(before + "mutex"), theirs(before + "theirs"), units(before + "units", 0), changed(before + "changed") {
    mutex.lock();
    full.put(1);
    unfinished.put(1);
  }
  std::size_t next() { return taken++; }
  void wait_at_condition() {
    std::unique_lock lock(theirs);
    changed.wait(lock);
  }
  ov::Mutex mutex, theirs;
  ov::Semaphore units;
  ov::Condition changed;
  ov::Barrier barrier{"barrier", 99};
  ov::Event event{"event"};
  ov::Queue<int> empty{1}, full{1}, unfinished{1};
  // Each has one reader or writer.
  static constexpr std::size_t threads = 3;
  std::atomic<std::size_t> taken{0};
  std::array<ov::Mailbox<int>, threads> mailboxes{ov::Mailbox<int>("first"), ov::Mailbox<int>("second"), ov::Mailbox<int>("third")};
  std::array<decltype(ov::channel<int>()), threads> channels{ov::channel<int>(), ov::channel<int>(), ov::channel<int>()};
  std::array<decltype(ov::channel<int>()), threads> narrow{ov::channel<int>({.messages = 1}), ov::channel<int>({.messages = 1}),
                                                           ov::channel<int>({.messages = 1})};
  void wait_for_room() {
    auto& writer = narrow[next()].first;
    for (;;) writer.post(1);
  }
  ov::remote_ptr<Silent> silent = ov::process.make<Silent>();
  std::array<ov::promise<int>, threads> promises;
};

struct Wait {
  std::string name, before;
  std::function<void(Awaited&)> begin;
  friend std::ostream& operator<<(std::ostream& out, const Wait& wait) { return out << wait.name; }
};

class EndOfWaits : public testing::TestWithParam<Wait> {
 public:
  ~EndOfWaits() override { std::filesystem::remove_all(home); }

 protected:
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-waits-" + std::to_string(::getpid()));
};

// Several: one of them reads for the others.
TEST_P(EndOfWaits, EachThreadIsToldThatTheRuntimeEnded) {
  std::vector<std::future<void>> waits;
  std::unique_ptr<Awaited> awaited;
  {
    ov::Runtime runtime({.home = home.string()});
    awaited = std::make_unique<Awaited>(GetParam().before);
    for (std::size_t i = 0; i < Awaited::threads; ++i) {
      std::promise<int> number;
      auto thread = number.get_future();
      waits.push_back(std::async(std::launch::async, [&, told = std::move(number)]() mutable {
        told.set_value(::gettid());
        GetParam().begin(*awaited);
      }));
      ov::kit::until_asleep(thread.get());
    }
  }
  for (auto& each : waits) {
    try {
      each.get();
      ADD_FAILURE() << "it went on";
    } catch (const ov::gone_error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("the Runtime ended"));
    }
  }
}

const std::vector<Wait> kinds{
    {"Mutex", "", [](Awaited& at) { at.mutex.lock(); }},
    {"MutexForAnHour", "", [](Awaited& at) { static_cast<void>(at.mutex.try_lock_for(std::chrono::hours(1))); }},
    {"Semaphore", "", [](Awaited& at) { at.units.acquire(); }},
    {"Condition", "", [](Awaited& at) { at.wait_at_condition(); }},
    {"Barrier", "", [](Awaited& at) { static_cast<void>(at.barrier.wait()); }},
    {"Event", "", [](Awaited& at) { at.event.wait(); }},
    {"QueueGet", "", [](Awaited& at) { static_cast<void>(at.empty.get()); }},
    {"QueuePut", "", [](Awaited& at) { at.full.put(2); }},
    {"QueueJoin", "", [](Awaited& at) { at.unfinished.join(); }},
    {"Mailbox", "", [](Awaited& at) { static_cast<void>(at.mailboxes[at.next()].retrieve()); }},
    {"Channel", "", [](Awaited& at) { static_cast<void>(at.channels[at.next()].second.retrieve()); }},
    {"FullChannel", "", [](Awaited& at) { at.wait_for_room(); }},
    {"Call", "", [](Awaited& at) { static_cast<void>(at.silent->never()); }},
    {"Future", "", [](Awaited& at) { static_cast<void>(ov::start(at.silent)->never().get()); }},
    {"Promise", "", [](Awaited& at) { static_cast<void>(at.promises[at.next()].get_future().get()); }},
    {"MutexOfTheHome", "ov://home/", [](Awaited& at) { at.mutex.lock(); }},
    {"SemaphoreOfTheHome", "ov://home/", [](Awaited& at) { at.units.acquire(); }},
    {"ConditionOfTheHome", "ov://home/", [](Awaited& at) { at.wait_at_condition(); }},
};

INSTANTIATE_TEST_SUITE_P(, EndOfWaits, testing::ValuesIn(kinds), [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace message_tests
