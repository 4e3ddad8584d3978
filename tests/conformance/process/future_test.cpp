// SPDX-License-Identifier: Apache-2.0
// Futures of remote calls: then, when_all, when_any, co_await, timeouts, and that nobody has to poll.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <list>
#include <memory>
#include <stdexcept>

#include "conformance/process/every_place.hpp"
#include "conformance/process/juggler.hpp"

namespace process_tests {

void Juggler::fail(const std::string& why) { throw std::out_of_range(why); }
void Juggler::die() { ::raise(SIGUSR1); }
octavo::future<int> Juggler::when_opened() {
  asked_ = true;
  return gate_.get_future();
}
void Juggler::follow(const octavo::remote_ptr<Juggler>& other) {
  auto dropped = octavo::start(other)->when_opened().then([this](int n) { seen_ = std::this_thread::get_id() == mine_ ? n : -1; });
}
int Juggler::sum_of(const std::vector<octavo::remote_ptr<Juggler>>& others, int n) {
  std::vector<octavo::future<int>> parts;
  for (const auto& other : others) parts.push_back(octavo::start(other)->twice(n));
  int sum = 0;
  for (int part : octavo::when_all(std::move(parts)).get()) sum += part;
  return sum;
}
int Juggler::first_of(const octavo::remote_ptr<Juggler>& slow, const octavo::remote_ptr<Juggler>& quick) {
  auto first = octavo::when_any(octavo::start(slow)->when_opened(), octavo::start(quick)->twice(4)).get();
  return first.index == 1 ? std::get<1>(first.futures).get() : -1;
}
int Juggler::chain(const octavo::remote_ptr<Juggler>& other, int n) {
  return octavo::start(other)->twice(n).then([&](int m) { return octavo::start(other)->twice(m); }).then([](int m) { return m + 1; }).get();
}
int Juggler::make_another(int n) {
  auto making = octavo::start(octavo::Machine("local")).make<Juggler>();
  return making.get()->twice(n);
}
octavo::future<int> Juggler::later_sum_of(std::vector<octavo::remote_ptr<Juggler>> others, int n) {
  std::vector<octavo::future<int>> parts;
  for (const auto& other : others) parts.push_back(octavo::start(other)->twice(n));
  auto all = octavo::when_all(parts.begin(), parts.end());
  auto values = co_await all;
  int sum = 0;
  for (int value : values) sum += value;
  co_return sum;
}

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class Futures : public EveryPlace {};

TEST_P(Futures, WhenAllGivesAllValuesInTheirOrder) {
  auto p = here.make<Juggler>();
  auto q = here.make<Juggler>();
  auto [a, nothing, b] = ov::when_all(ov::start(p)->twice(1), ov::start(q)->nothing(), ov::start(q)->twice(2)).get();
  EXPECT_EQ(a, 2);
  EXPECT_EQ(nothing, std::monostate());
  EXPECT_EQ(b, 4);
  std::vector<ov::future<int>> many;
  std::list<ov::future<void>> range;
  for (int i = 0; i < 50; ++i) {
    many.push_back(ov::start(i % 2 ? p : q)->twice(i));
    range.push_back(ov::start(i % 2 ? p : q)->nothing());
  }
  auto values = ov::when_all(std::move(many)).get();
  ASSERT_EQ(values.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i);
  ov::when_all(range.begin(), range.end()).get();
  EXPECT_THAT(ov::when_all(std::vector<ov::future<int>>{}).get(), testing::IsEmpty());
}

TEST_P(Futures, WhenAllThrowsTheFirstByPositionAndKeepsTheOthers) {
  auto p = here.make<Juggler>();
  auto q = here.make<Juggler>();
  std::vector<ov::future<int>> open;
  auto gate = ov::start(p)->when_opened();
  auto all = ov::when_all(ov::start(q)->twice(1), std::move(gate), ov::start(p)->fail("the first"), ov::start(q)->fail("the second"));
  EXPECT_FALSE(all.wait_for(5ms)) << "the gate is closed: an error does not make it ready earlier";
  p->open(3);
  try {
    (void)all.get();
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "the first");
  }
  try {
    ov::destroy(q);
    FAIL();
  } catch (const std::out_of_range& e) {
    EXPECT_STREQ(e.what(), "the second");
  }
  ov::destroy(p);
}

TEST_P(Futures, C5_ADroppedChainLeavesItsErrorWithTheProcess) {
  auto p = here.make<Juggler>();
  {
    auto dropped = ov::start(p)->fail("of a then").then([] { return 1; });
  }
  p->nothing();
  EXPECT_THROW(ov::destroy(p), std::out_of_range);
  auto q = here.make<Juggler>();
  { auto dropped = ov::when_all(ov::start(q)->nothing(), ov::start(q)->fail("of a when_all")); }
  q->nothing();
  EXPECT_THROW(ov::destroy(q), std::out_of_range);
}

TEST_P(Futures, WhenAnyTellsTheFirstAndTheOthersCanStillBeTaken) {
  auto slow = here.make<Juggler>();
  auto quick = here.make<Juggler>();
  auto first = ov::when_any(ov::start(slow)->when_opened(), ov::start(quick)->twice(21)).get();
  ASSERT_EQ(first.index, 1u);
  EXPECT_EQ(std::get<1>(first.futures).get(), 42);
  auto& other = std::get<0>(first.futures);
  EXPECT_FALSE(other.ready());
  slow->open(5);
  EXPECT_EQ(other.get(), 5);

  std::vector<ov::future<void>> failing;
  failing.push_back(ov::start(quick)->fail("it is ready nevertheless"));
  auto failed = ov::when_any(std::move(failing)).get();
  ASSERT_EQ(failed.index, 0u);
  EXPECT_THROW(failed.futures[0].get(), std::out_of_range);
}

TEST_P(Futures, WhenAnyInALoopTakesThemAll) {
  auto p = here.make<Juggler>();
  auto q = here.make<Juggler>();
  std::vector<ov::future<int>> open;
  for (int i = 1; i <= 40; ++i) open.push_back(ov::start(i % 2 ? p : q)->twice(i));
  int sum = 0;
  while (!open.empty()) {
    auto first = ov::when_any(std::move(open)).get();
    sum += first.futures[first.index].get();
    first.futures.erase(first.futures.begin() + static_cast<std::ptrdiff_t>(first.index));
    open = std::move(first.futures);
  }
  EXPECT_EQ(sum, 40 * 41);
}

TEST_P(Futures, ThenGoesOnWithTheValue) {
  auto p = here.make<Juggler>();
  EXPECT_EQ(ov::start(p)->twice(4).then([](int n) { return std::to_string(n); }).get(), "8");
  EXPECT_EQ(ov::start(p)->nothing().then([] { return 7; }).get(), 7);
  auto moved = std::make_unique<int>(1);
  auto unique = ov::start(p)->twice(1).then([moved = std::move(moved)](int n) mutable { return std::make_unique<int>(*moved + n); });
  EXPECT_EQ(*unique.get(), 3) << "neither the work nor its result has to be copied, or to travel";
  auto chained = ov::start(p)->twice(1).then([p](int n) { return ov::start(p)->twice(n); }).then([p](int n) { return p->twice(n); });
  EXPECT_EQ(chained.get(), 8) << "a future is unwrapped, and the work may call and wait";
  ov::start(p)->twice(1).then([p](int) { return ov::start(p)->nothing(); }).get();
}

TEST_P(Futures, ThenSkipsTheWorkForAnErrorUnlessItTakesTheFuture) {
  auto p = here.make<Juggler>();
  bool ran = false;
  EXPECT_THROW(ov::start(p)->fail("thrown there").then([&] { ran = true; }).get(), std::out_of_range);
  EXPECT_FALSE(ran);
  auto handled = ov::start(p)->fail("thrown there").then([](ov::future<void> done) {
    try {
      done.get();
    } catch (const std::exception& e) {
      return std::string(e.what());
    }
    return std::string();
  });
  EXPECT_EQ(handled.get(), "thrown there");
  auto throws = ov::start(p)->nothing().then([]() -> int { throw std::domain_error("of the work"); });
  EXPECT_THROW(throws.get(), std::domain_error);
  auto inner = ov::start(p)->nothing().then([p] { return ov::start(p)->fail("of the inner"); });
  EXPECT_THROW(inner.get(), std::out_of_range);
  EXPECT_THROW(ov::start(p)->nothing().then([] { return ov::future<int>(); }).get(), ov::usage_error);
}

TEST_P(Futures, AllOfThemTimeOutAndCanBeWaitedForAgain) {
  auto p = here.make<Juggler>();
  auto then = ov::start(p)->when_opened().then([](int n) { return n + 1; });
  EXPECT_FALSE(then.wait_for(2ms));
  EXPECT_FALSE(then.wait_until(std::chrono::system_clock::now() + 2ms));
  EXPECT_FALSE(then.wait_until(std::chrono::steady_clock::now() - 1h));
  auto all = ov::when_all(std::move(then), ov::start(p)->nothing());
  EXPECT_FALSE(all.wait_for(2ms));
  auto any = ov::when_any(std::move(all));
  EXPECT_FALSE(any.wait_for(2ms));
  p->open(1);
  EXPECT_TRUE(any.wait_for(std::chrono::hours::max())) << "and that long is no overflow";
  EXPECT_EQ(std::get<0>(std::get<0>(any.get().futures).get()), 2);
}

TEST_P(Futures, ContinuationsRunThoughNobodyWaits) {
  auto p = here.make<Juggler>();
  Told<int> by_then, by_all, by_any, by_await;
  auto a = ov::start(p)->twice(1).then([&](int n) { by_then.set(n); });
  EXPECT_EQ(by_then.wait(), 2);
  auto b = ov::when_all(ov::start(p)->twice(2), ov::start(p)->nothing()).then([&](auto both) { by_all.set(std::get<0>(both)); });
  EXPECT_EQ(by_all.wait(), 4);
  auto c = ov::when_any(ov::start(p)->twice(3)).then([&](auto first) { by_any.set(std::get<0>(first.futures).get()); });
  EXPECT_EQ(by_any.wait(), 6);
  auto steps = [](ov::remote_ptr<Juggler> on, Told<int>& told) -> ov::future<void> {
    int n = co_await ov::start(on)->twice(4);
    int m = co_await ov::start(on)->twice(n);
    told.set(m);
  };
  auto d = steps(p, by_await);
  EXPECT_EQ(by_await.wait(), 16);
}

TEST_P(Futures, C12_InAServerTheyRunBetweenItsMethods) {
  auto p = here.make<Juggler>();
  auto q = here.make<Juggler>();
  p->follow(q);
  while (!q->asked()) std::this_thread::yield();  // between two callers there is no order
  EXPECT_EQ(p->seen(), 0);
  q->open(9);
  while (p->seen() == 0) std::this_thread::yield();
  EXPECT_EQ(p->seen(), 9) << "on the thread that runs its methods";
}

TEST_P(Futures, C3_AMethodWaitsForSeveralAtOnce) {
  auto p = here.make<Juggler>();
  std::vector<ov::remote_ptr<Juggler>> others;
  for (int i = 0; i < 3; ++i) others.push_back(here.make<Juggler>());
  EXPECT_EQ(p->sum_of(others, 5), 30);
  EXPECT_EQ(p->first_of(others[0], others[1]), 8);
  EXPECT_EQ(p->later_sum_of(others, 5), 30);
  EXPECT_EQ(p->chain(others[0], 3), 13);
  EXPECT_EQ(p->make_another(4), 8);
}

TEST_P(Futures, C11_MistakesAreNamed) {
  auto p = here.make<Juggler>();
  auto taken = ov::start(p)->twice(1);
  EXPECT_EQ(taken.get(), 2);
  try {
    taken.get();
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("get() of an empty future"));
  }
  EXPECT_THROW(taken.wait(), ov::usage_error);
  EXPECT_THROW((void)taken.wait_for(1ms), ov::usage_error);
  EXPECT_THROW((void)taken.ready(), ov::usage_error);
  EXPECT_THROW(taken.on_ready([] {}), ov::usage_error);
  EXPECT_THROW((void)taken.then([](int) {}), ov::usage_error);
  EXPECT_THROW((void)ov::when_all(ov::start(p)->twice(1), std::move(taken)), ov::usage_error);
  EXPECT_THROW((void)ov::when_any(std::vector<ov::future<int>>{}), ov::usage_error);
  auto awaits = []() -> ov::future<int> { co_return co_await ov::future<int>(); };
  EXPECT_THROW(awaits().get(), ov::usage_error);
  EXPECT_THROW(p->forgotten(), ov::usage_error) << "a method that returns an empty future";
  EXPECT_EQ(p->twice(1), 2);
  ov::promise<int> kept;
  auto future = kept.get_future();
  kept.set_value(1);
  EXPECT_THROW(kept.set_value(2), ov::usage_error);
  EXPECT_THROW((void)kept.get_future(), ov::usage_error);
  EXPECT_EQ(future.get(), 1);
}

INSTANTIATE_TEST_SUITE_P(, Futures, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
