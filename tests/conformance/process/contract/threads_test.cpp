// SPDX-License-Identifier: Apache-2.0
// A method may wait, outside of Octavo, for threads of its own that call other objects; what it says of C-2 and C-3 holds meanwhile.
#include <atomic>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

#include "conformance/process/every_place.hpp"

namespace process_tests {

namespace {
// Waits for it as a method may: without Octavo.
template <class Work>
auto on_a_thread(Work work) {
  return std::async(std::launch::async, work).get();
}
}  // namespace

class Delegator {
 public:
  using Pointer = octavo::remote_ptr<Delegator>;
  int add(int n) { return value_ += n; }
  int value() { return value_; }
  octavo::future<int> opened() { return std::move(opened_); }  // once; also when it is open already
  void open(int n) { gate_.set_value(n); }
  int add_by_thread(Pointer other, int times) {
    return on_a_thread([&] {
      int last = 0;
      for (int i = 0; i < times; ++i) last = octavo::call<&Delegator::add>(other, 1);
      return last;
    });
  }
  int add_by_many(Pointer other, int threads, int times) {
    std::vector<std::future<int>> all;
    for (int i = 0; i < threads; ++i) all.push_back(std::async(std::launch::async, [this, other, times] { return add_started(other, times); }));
    int most = 0;
    for (auto& each : all) most = std::max(most, each.get());
    return most;
  }
  // Bulk that is read from the road by the method itself.
  double sum_and_add(const std::vector<double>& values, Pointer other) {
    double sum = 0;
    for (const double each : values) sum += each;
    return sum + on_a_thread([&] { return octavo::call<&Delegator::add>(other, 1); });
  }
  // What the method has begun is answered while it waits for its thread, and so is what the thread asks for.
  int begin_and_join(Pointer other) {
    auto begun = octavo::start<&Delegator::opened>(other);
    on_a_thread([&] {
      octavo::call<&Delegator::open>(other, 7);
      while (!begun.ready()) octavo::call<&Delegator::value>(other);
      return 0;
    });
    return begun.get();
  }
  int then_by_thread(Pointer other) {
    return on_a_thread([&] { return octavo::start<&Delegator::add>(other, 1).then([](int n) { return 10 * n; }).get(); });
  }
  octavo::future<int> later(Pointer other) {
    const int first = co_await octavo::start<&Delegator::add>(other, 1);
    co_return first + on_a_thread([&] { return octavo::call<&Delegator::add>(other, 1); });
  }
  // A thread waits for an answer for as long as the object serves.
  void leave_a_thread(Pointer other) {
    waiting_ = std::async(std::launch::async, [other] { return octavo::call<&Delegator::opened>(other); });
  }
  int join() { return waiting_.get(); }
  // A thread waits for a coroutine that goes on twice.
  void leave_a_coroutine(Pointer first, Pointer second) {
    waiting_ = std::async(std::launch::async, [this, first, second] { return both(first, second).get(); });
  }
  bool is_half_way() { return half_way_; }
  // What goes on for the thread waits for what the method has, while the method calls another.
  int call_with_what_a_thread_wants(Pointer other, Pointer third) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::atomic<bool> goes_on{false};
    auto thread = std::async(std::launch::async, [&] {
      return octavo::start<&Delegator::opened>(other)
          .then([&](int n) {
            goes_on.store(true);
            goes_on.notify_all();
            return std::lock_guard(mutex), n;
          })
          .get();
    });
    octavo::call<&Delegator::open>(other, 5);
    goes_on.wait(false);
    const int added = octavo::call<&Delegator::add>(third, 1);
    lock.unlock();
    return added + thread.get();
  }
  // While a thread waits, the method calls one that calls back (C-3).
  int call_back_beside(Pointer me, Pointer other, Pointer third) {
    auto thread = std::async(std::launch::async, [third] { return octavo::call<&Delegator::opened>(third); });
    const int back = octavo::call<&Delegator::ask_back>(other, me);
    octavo::call<&Delegator::open>(third, 5);
    return back + thread.get();
  }
  int ask_back(Pointer asker) { return octavo::call<&Delegator::add>(asker, 100); }
  std::string message_of_lost(Pointer other) {
    return on_a_thread([&]() -> std::string {
      try {
        octavo::call<&Delegator::end>(other);
      } catch (const octavo::process_died& e) {
        return e.what();
      }
      return "it was answered";
    });
  }
  void end() { ::_exit(3); }

 private:
  octavo::future<int> both(Pointer first, Pointer second) {
    const int n = co_await octavo::start<&Delegator::opened>(first);
    half_way_ = true;
    co_return n + co_await octavo::start<&Delegator::opened>(second);
  }
  static int add_started(Pointer other, int times) {
    std::vector<octavo::future<int>> begun;
    for (int i = 0; i < times; ++i) begun.push_back(octavo::start<&Delegator::add>(other, 1));
    int last = 0;
    for (auto& each : begun) last = each.get();
    return last;
  }
  int value_ = 0;
  octavo::promise<int> gate_;
  octavo::future<int> opened_ = gate_.get_future();
  std::future<int> waiting_;
  std::atomic<bool> half_way_{false};
};
OCTAVO_REMOTE(Delegator, add, value, opened, open, add_by_thread, add_by_many, sum_and_add, begin_and_join, then_by_thread, later, leave_a_thread, join,
              leave_a_coroutine, is_half_way, call_with_what_a_thread_wants, call_back_beside, ask_back, message_of_lost, end)

namespace {

class Threads : public EveryPlace {
 protected:
  ov::remote_ptr<Delegator> p = here.make<Delegator>(), other = here.make<Delegator>();
};

TEST_P(Threads, C3_AMethodWaitsForItsThread) {
  EXPECT_EQ(p->add_by_thread(other, 1), 1);
  EXPECT_EQ(p->add_by_thread(other, 1000), 1001);
}

TEST_P(Threads, C3_AndForManyThatBeginManyCalls) {
  EXPECT_EQ(p->add_by_many(other, 8, 100), 800);
  EXPECT_EQ(p->add(1), 1);
}

TEST_P(Threads, C4_AlsoWhereItsArgumentsAreReadFromTheRoad) {
  for (const std::size_t elements : {1u, 1000u, 100'000u, 3'000'000u})
    for (int i = 1; i <= 2; ++i) {
      const double got = p->sum_and_add(std::vector<double>(elements, 1.0), other);
      EXPECT_EQ(got, static_cast<double>(elements) + other->value());
    }
}

TEST_P(Threads, C12_WhatTheThreadAwaitsGoesOnMeanwhile) { EXPECT_EQ(p->then_by_thread(other), 10); }

TEST_P(Threads, C12_ACoroutineMayToo) {
  std::vector<octavo::future<int>> begun;
  for (int i = 0; i < 10; ++i) begun.push_back(octavo::start(p)->later(other));
  for (auto& each : begun) each.get();
  EXPECT_EQ(other->value(), 20);
}

TEST_P(Threads, C2_AThreadThatWaitsDoesNotDisturbTheCallsThatAreServed) {
  p->leave_a_thread(other);
  for (int i = 1; i <= 2000; ++i) ASSERT_EQ(p->add(1), i);
  std::vector<octavo::future<int>> begun;
  for (int i = 0; i < 500; ++i) begun.push_back(octavo::start(p)->add(1));
  for (int i = 0; i < 500; ++i) ASSERT_EQ(begun[static_cast<std::size_t>(i)].get(), 2001 + i) << "in their order";
  other->open(9);
  EXPECT_EQ(p->join(), 9);
}

TEST_P(Threads, C3_ACallbackRunsWhileAThreadWaits) {
  auto third = here.make<Delegator>();
  EXPECT_EQ(p->call_back_beside(p, other, third), 105);
}

// It went on between two methods first, where these run.
TEST_P(Threads, C3_ACoroutineOfAThreadGoesOnWhileAMethodWaitsForIt) {
  auto second = here.make<Delegator>();
  p->leave_a_coroutine(other, second);
  other->open(1);
  while (!p->is_half_way()) {}
  auto joined = octavo::start(p)->join();
  second->open(2);
  EXPECT_EQ(joined.get(), 3);
}

TEST_P(Threads, C3_WhatGoesOnForAThreadDoesNotHoldUpTheMethod) {
  auto third = here.make<Delegator>();
  EXPECT_EQ(p->call_with_what_a_thread_wants(other, third), 6);
}

class ThreadsAlone : public Threads {};

// On a thread of the program the others are not the object's: they call as the program does.
TEST_P(ThreadsAlone, C3_WhatTheMethodBeganIsAnsweredMeanwhile) { EXPECT_EQ(p->begin_and_join(other), 7); }

TEST_P(ThreadsAlone, C6_TheThreadHearsThatItsCalleeDied) { EXPECT_THAT(p->message_of_lost(other), HasSubstr("exit status 3")); }

INSTANTIATE_TEST_SUITE_P(Everywhere, Threads, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(Everywhere, ThreadsAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
