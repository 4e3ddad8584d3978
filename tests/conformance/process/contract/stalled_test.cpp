// SPDX-License-Identifier: Apache-2.0
// A call that nothing can answer any more fails; one that something may yet answer never does (process/inquiry/inquiry.hpp, Q-4 and Q-6).
#include <csignal>
#include <cstdlib>

#include "conformance/process/every_place.hpp"
#include "conformance/process/short_patience.hpp"
#include "kit/sanitized.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

namespace process_tests {

using namespace std::chrono_literals;

class Turnstile {
 public:
  using Pointer = octavo::remote_ptr<Turnstile>;
  octavo::future<int> when_opened() { return gate_.get_future(); }
  void open(int n) { gate_.set_value(n); }
  octavo::future<int> after(Pointer other) { co_return 1 + co_await octavo::start<&Turnstile::when_opened>(other); }
  octavo::future<int> after_that(Pointer other, Pointer last) { co_return 1 + co_await octavo::start<&Turnstile::after>(other, last); }
  // Answered when `other` has answered the same, of this one.
  octavo::future<int> round(Pointer self, Pointer other, int left) {
    if (left == 0) co_return co_await gate_.get_future();
    co_return co_await octavo::start<&Turnstile::round>(other, other, self, left - 1);
  }
  int sleep_and_open(Pointer other, int n) {
    std::this_thread::sleep_for(3s);
    octavo::call<&Turnstile::open>(other, n);
    return n;
  }
  // A thread of its own, which sleeps for a time and then opens it.
  void open_later(int n) {
    later_ = std::jthread([this, n] {
      std::this_thread::sleep_for(3s);
      gate_.set_value(n);
    });
  }
  // A request outside of Octavo's connections, as a disk's, that is answered after three seconds.
  void ask_outside() {
    work_.begins();
    later_ = std::jthread([this] {
      ::pthread_setname_np(::pthread_self(), "octavo-disk");
      std::this_thread::sleep_for(3s);
      gate_.set_value(5);
      work_.ends();
    });
  }

 private:
  octavo::promise<int> gate_;
  octavo::detail::OutsideWork work_;
  std::jthread later_;  // ends before what it uses
};
OCTAVO_REMOTE(Turnstile, when_opened, open, after, after_that, round, sleep_and_open, open_later, ask_outside)

namespace {

class Stalled : public ShortPatience, public EveryPlace {
  void SetUp() override {
    if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::never_still;
  }
};
// The same on another machine, of which this program cannot know whether it stands still.
class MayGoOn : public ShortPatience, public EveryPlace {};

std::string why_not(octavo::future<int> call) {
  try {
    call.get();
  } catch (const octavo::call_stalled& e) {
    return e.what();
  }
  return "it was answered";
}

TEST_P(Stalled, Q6_APromiseThatNobodyKeepsIsAnErrorThatNamesWhoWaits) {
  auto p = here.make<Turnstile>();
  EXPECT_THAT(why_not(octavo::start(p)->when_opened()),
              testing::AllOf(HasSubstr("Turnstile::when_opened()"), HasSubstr("nobody can answer"), HasSubstr("owes 1 answer"), HasSubstr("OCTAVO_PATIENCE")));
  auto again = octavo::start(p)->when_opened();  // only the wait was given up: the process goes on
  EXPECT_THROW(again.get(), std::exception);     // of a promise whose future was taken
}

TEST_P(Stalled, Q6_ThroughThreeThatWaitForEachOther) {
  auto a = here.make<Turnstile>(), b = here.make<Turnstile>(), c = here.make<Turnstile>();
  EXPECT_THAT(why_not(octavo::start(a)->after_that(b, c)), testing::AllOf(HasSubstr("nobody can answer"), HasSubstr("Turnstile (process 4")));
}

TEST_P(Stalled, Q6_ACircleOfCoroutines) {
  auto a = here.make<Turnstile>(), b = here.make<Turnstile>();
  EXPECT_THAT(why_not(octavo::start(a)->round(a, b, 3)), HasSubstr("Turnstile::round("));
}

TEST_P(MayGoOn, Q6_WhereAnotherThreadOfTheProgramMayCall) {
  auto p = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  std::thread later([&] {
    std::this_thread::sleep_for(3s);
    p->open(5);
  });
  EXPECT_EQ(owed.get(), 5);
  later.join();
}

TEST_P(MayGoOn, Q6_WhereAMethodRunsElsewhere) {
  auto p = here.make<Turnstile>(), other = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  auto runs = octavo::start(other)->sleep_and_open(p, 5);
  EXPECT_EQ(owed.get(), 5);
  EXPECT_EQ(runs.get(), 5);
}

TEST_P(MayGoOn, Q6_WhereAThreadOfTheObjectSleeps) {
  auto p = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  p->open_later(5);
  EXPECT_EQ(owed.get(), 5);
}

TEST_P(MayGoOn, Q6_WhereARequestIsOutside) {
  auto p = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  p->ask_outside();
  EXPECT_EQ(owed.get(), 5);
}

// It was called before it was stopped, or after: whoever sees its row sees what it was.
TEST_P(MayGoOn, Q6_WhereAProcessIsStopped) {
  if (GetParam() == "thread") GTEST_SKIP() << "an object on a thread is stopped with the program";
  auto p = here.make<Turnstile>(), other = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  EXPECT_FALSE(owed.wait_for(300ms));  // all stand still by now
  int pid = 0;
  for (const auto& each : octavo::all_processes())
    if (each.facts.address == other.address()) pid = static_cast<int>(each.facts.pid);
  ASSERT_NE(pid, 0);
  ::kill(pid, SIGSTOP);
  std::thread later([&] {
    ::pthread_setname_np(::pthread_self(), "octavo-watch");  // only the stopped process tells that this does not stand still
    std::this_thread::sleep_for(3s);
    ::kill(pid, SIGCONT);
  });
  auto opens = octavo::start(other)->sleep_and_open(p, 5);
  EXPECT_EQ(owed.get(), 5);
  EXPECT_EQ(opens.get(), 5);
  later.join();
}

// What can be told of one machine alone is told once; nothing fails.
TEST_P(MayGoOn, Q6_WhereAnotherMachineIsConnected) {
  if (GetParam() != "box") GTEST_SKIP() << "of a program on one machine see Stalled";
  auto p = here.make<Turnstile>();
  auto owed = octavo::start(p)->when_opened();
  std::thread later([&] {
    ::pthread_setname_np(::pthread_self(), "octavo-watch");
    std::this_thread::sleep_for(3s);
    p->open(5);
  });
  EXPECT_EQ(owed.get(), 5);
  later.join();
}

INSTANTIATE_TEST_SUITE_P(On, Stalled, testing::Values("thread", "process"), name_of_place);
INSTANTIATE_TEST_SUITE_P(On, MayGoOn, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
