// SPDX-License-Identifier: Apache-2.0
// Objects with names that nobody calls are put to rest, and come back when somebody does, without a call lost.
#include <random>
#include <thread>

#include "conformance/process/named/named_scene.hpp"

namespace process_tests {
namespace {

using namespace std::chrono_literals;

class IdleObjects : public NamedObjects {
 protected:
  static bool rests(const std::string& name) { return ov::names(name).at(0).pid == 0; }
};

TEST_F(IdleObjects, RestWithTheirStateAndComeBack) {
  auto p = ov::named("books/idle").resting_after(20ms).make<Ledger>(1);
  p->add(2);
  int pid = p->pid();
  until([&] { return rests("books/idle"); });
  EXPECT_FALSE(alive(pid));
  EXPECT_EQ(p->numbers(), (Numbers{1, 2})) << "what was not saved before is saved when it is put to rest";
  EXPECT_NE(p->pid(), pid);
  until([&] { return rests("books/idle"); });
  EXPECT_EQ(p->add(3), 3u);
}

TEST_F(IdleObjects, StayWhereTheyAreAskedTo) {
  auto p = ov::named("books/awake").make<Ledger>(1);
  ov::named("books/idle").resting_after(5ms).make<Ledger>(1);
  int pid = p->pid();
  until([&] { return rests("books/idle"); });
  EXPECT_EQ(p->pid(), pid);
}

// A call under way keeps its object awake, and so does one that it has made itself.
TEST_F(IdleObjects, AreNotIdleWhileTheyWork) {
  auto p = ov::named("books/idle").resting_after(1ms).make<Ledger>(1);
  auto working = ov::start(p)->sleep_until_killed();
  auto other = ov::named("books/other").resting_after(1ms).make<Ledger>(1);
  for (int i = 0; i < 3; ++i) {
    until([&] { return rests("books/other"); });
    other->pid();
  }
  EXPECT_FALSE(rests("books/idle"));
  runtime->kill(p.address(), SIGKILL);
  EXPECT_THROW(working.get(), ov::process_died);
}

// Calls come at the very moments at which it is put to rest: from two programs and several threads, none is lost and none runs twice.
TEST_F(IdleObjects, LoseNoCall) {
  auto p = ov::named("books/idle").resting_after(1ms).make<Ledger>(0);
  constexpr int callers = 4, calls = 60;
  ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
  auto call = [&](int caller) {
    std::mt19937 random(static_cast<unsigned>(caller));
    for (int i = 0; i < calls; ++i) {
      auto next = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 4000);
      until([&] { return std::chrono::steady_clock::now() >= next; });
      p->add(caller * calls + i);
    }
  };
  auto call_from_second = [&](int caller) {
    auto use = second.use();
    call(caller);
  };
  Numbers expected{0};
  do {  // on a busy machine it may not come to rest in one round
    std::vector<std::thread> threads;
    for (int caller = 0; caller < callers; ++caller) {
      int first = static_cast<int>(expected.size() - 1) / calls + caller;
      if (caller % 2 == 0) threads.emplace_back(call, first);
      else threads.emplace_back(call_from_second, first);
    }
    for (auto& each : threads) each.join();
    for (int i = 0; i < callers * calls; ++i) expected.push_back(static_cast<int>(expected.size()) - 1);
  } while (ov::names("books/idle").at(0).generation <= 2);
  auto numbers = p->numbers();
  std::sort(numbers.begin(), numbers.end());
  EXPECT_EQ(numbers, expected);
}

}  // namespace
}  // namespace process_tests
