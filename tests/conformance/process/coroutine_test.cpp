// SPDX-License-Identifier: Apache-2.0
// Coroutines and promises in the program: what awaits is resumed or destroyed, once, whoever ends first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <stdexcept>

#include "conformance/process/every_place.hpp"
#include "conformance/process/juggler.hpp"

namespace process_tests {
namespace {

namespace ov = octavo;
using namespace std::chrono_literals;
using testing::ElementsAre;
using Pointer = ov::remote_ptr<Juggler>;

class Awaiting : public EveryPlace {};
class AwaitingAlone : public EveryPlace {};
class Coroutines : public testing::Test {  // of promises of this program
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
};

// Counts those that live: each coroutine below has one in its frame.
struct Alive {
  explicit Alive(std::atomic<int>& of) : count(of) { ++count; }
  Alive(const Alive& other) : count(other.count) { ++count; }
  ~Alive() { --count; }
  std::atomic<int>& count;
};

ov::future<int> one_after_the_other(Pointer p, Pointer q) {
  int sum = 0;
  for (int i = 0; i < 10; ++i) sum += co_await ov::start(i % 2 ? p : q)->twice(i);
  auto both = ov::when_all(ov::start(p)->twice(100), ov::start(q)->twice(200));
  auto [a, b] = co_await both;
  co_return sum + a + b;
}

ov::future<std::string> says_what_it_caught(Pointer p) {
  std::string caught;
  try {
    co_await ov::start(p)->fail("through co_await");
  } catch (const std::out_of_range& e) {
    caught = e.what();
  }
  auto all = ov::when_all(ov::start(p)->nothing(), ov::start(p)->fail(" and when_all"));
  try {
    co_await all;
  } catch (const std::out_of_range& e) {
    caught += e.what();
  }
  co_return caught;
}

ov::future<int> awaits_gate(Pointer p, Alive alive) {
  int n = co_await ov::start(p)->when_opened();
  co_return n + alive.count.load();
}
ov::future<int> awaits_inner(Pointer p, Alive alive) {
  int n = co_await awaits_gate(p, alive);
  co_return n;
}
ov::future<int> awaits(ov::future<int> what, Alive alive) {
  int n = co_await what;
  co_return n + alive.count.load() * 0;
}

TEST_P(Awaiting, C2_AwaitCallsOneAfterTheOtherAndTogether) {
  auto p = here.make<Juggler>();
  auto q = here.make<Juggler>();
  EXPECT_EQ(one_after_the_other(p, q).get(), 90 + 600);
  std::vector<ov::future<int>> many;
  for (int i = 0; i < 20; ++i) many.push_back(one_after_the_other(p, q));
  for (int value : ov::when_all(std::move(many)).get()) EXPECT_EQ(value, 690);
}

TEST_P(Awaiting, C5_ExceptionsAreThrownAtTheAwait) {
  auto p = here.make<Juggler>();
  EXPECT_EQ(says_what_it_caught(p).get(), "through co_await and when_all");
}

TEST_P(AwaitingAlone, C6_TheDeathOfTheCalleeEndsThemAll) {
  std::atomic<int> nested_alive = 0, then_alive = 0, dropped_alive = 0;
  auto p = here.make<Juggler>(), q = here.make<Juggler>(), r = here.make<Juggler>();
  auto nested = awaits_inner(p, Alive(nested_alive));
  auto then = awaits_inner(q, Alive(then_alive)).then([](int n) { return n; });
  { auto dropped = awaits_inner(r, Alive(dropped_alive)); }
  EXPECT_TRUE(nested_alive > 0 && then_alive > 0 && dropped_alive > 0);
  runtime.kill(p.address(), SIGKILL);
  EXPECT_THROW(nested.get(), ov::process_died);
  EXPECT_THROW(r->die(), ov::process_died);
  while (nested_alive != 0 || dropped_alive != 0) std::this_thread::yield();
  EXPECT_FALSE(then.ready()) << "the process that this one waits for lives";
  q->open(1);
  EXPECT_GT(then.get(), 1);
  while (then_alive != 0) std::this_thread::yield();
}

TEST_F(Coroutines, ADroppedPromiseEndsThoseThatWaitForIt) {
  std::atomic<int> alive = 0;
  auto promise = std::make_unique<ov::promise<int>>();
  auto result = awaits(awaits(promise->get_future(), Alive(alive)), Alive(alive)).then([](int n) { return n; });
  EXPECT_FALSE(result.ready());
  promise.reset();
  EXPECT_THROW(result.get(), ov::gone_error);
  while (alive != 0) std::this_thread::yield();
  ov::promise<int> replaced;
  auto first = replaced.get_future();
  replaced = ov::promise<int>();
  EXPECT_THROW(first.get(), ov::gone_error);
}

TEST_F(Coroutines, SeveralContinuationsAreToldInTheirOrder) {
  ov::promise<int> promise;
  auto future = promise.get_future();
  std::vector<int> told;
  for (int i = 0; i < 4; ++i) future.on_ready([&told, i] { told.push_back(i); });
  future.on_ready([] { throw std::runtime_error("of a continuation"); });  // is logged, and the next is told nevertheless
  auto any = ov::when_any(std::move(future));
  promise.set_value(6);
  EXPECT_THAT(told, ElementsAre(0, 1, 2, 3));
  auto first = any.get();
  std::get<0>(first.futures).on_ready([&told] { told.push_back(9); });
  EXPECT_EQ(told.back(), 9) << "at once when it is ready";
  EXPECT_EQ(std::get<0>(first.futures).get(), 6);
}

TEST(Promises, NeedNoRuntimeUntilSomebodyWaits) {
  ov::kit::Watchdog watchdog(60);
  struct StaysHere {  // cannot travel, and has no default
    explicit StaysHere(std::thread::id of) : id(of) {}
    std::thread::id id;
  };
  ov::promise<StaysHere> promise;
  auto future = promise.get_future().then([](StaysHere value) { return value.id; });
  EXPECT_THROW(future.wait(), ov::usage_error);
  EXPECT_FALSE(future.ready());
  promise.set_value(StaysHere(std::this_thread::get_id()));
  EXPECT_TRUE(future.get() == std::this_thread::get_id());
  std::atomic<int> alive = 0;
  {
    ov::promise<int> never;
    auto result = awaits(never.get_future(), Alive(alive));
    EXPECT_EQ(alive, 1);
  }
  EXPECT_EQ(alive, 0);
}

// For the thread sanitizer: all that two threads may do to one state at the same moment.
TEST_F(Coroutines, RacesOfAllWhoMayMeetAtOneState) {
  constexpr int rounds = 60, each = 50, kinds = 7;
  std::atomic<int> told = 0, expected = 0, alive = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<ov::promise<int>> promises(each);
    std::vector<ov::future<int>> futures;
    for (auto& promise : promises) futures.push_back(promise.get_future());
    std::atomic<int> ready = 0;
    auto meet = [&ready] {
      for (++ready; ready < 2;) std::this_thread::yield();
    };
    std::thread keeper([&] {
      meet();
      for (int i = 0; i < each; ++i) {
        auto promise = std::move(promises[static_cast<std::size_t>(i)]);
        if (i % 3 == 0) promise.set_exception(std::make_exception_ptr(std::runtime_error("a third of them")));
        else if (i % 3 == 1) promise.set_value(i);
      }
    });
    meet();
    std::vector<ov::future<int>> some;
    for (int i = 0; i < each; ++i) {
      auto f = std::move(futures[static_cast<std::size_t>(i)]);
      auto count = [&told](ov::future<int>) { ++told; };
      switch (i % kinds) {
        case 0: f.on_ready([&told] { ++told; }); break;
        case 1: (void)f.wait_for(50us); break;
        case 2: {
          auto dropped = std::move(f).then(count);
        } break;
        case 3: {
          auto dropped = awaits(std::move(f), Alive(alive)).then(count);
        } break;
        case 4: f.wait(); break;
        case 5: {
          auto dropped = ov::when_any(std::move(f), awaits(ov::future<int>(), Alive(alive))).then([&told](auto) { ++told; });
        } break;
        default: some.push_back(std::move(f));
      }
      if (i % kinds == 0 || i % kinds == 2 || i % kinds == 3 || i % kinds == 5) ++expected;
    }
    auto any = ov::when_any(std::move(some)).get();
    auto all = ov::when_all(std::move(any.futures));
    all.wait();
    keeper.join();
  }
  while (told != expected || alive != 0) std::this_thread::yield();
}

INSTANTIATE_TEST_SUITE_P(, Awaiting, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, AwaitingAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
