// SPDX-License-Identifier: Apache-2.0
// C-3: a cycle of calls that cannot make progress is an error that names its members; and a call can be cancelled before it begins.
#include <algorithm>

#include "conformance/process/every_place.hpp"

namespace process_tests {

// Lets everybody through when the last has come.
class Gate {
 public:
  explicit Gate(int expected) : missing_(expected) {}
  octavo::future<void> arrive() {
    auto& mine = waiting_.emplace_back();
    auto passed = mine.get_future();
    if (--missing_ == 0)
      for (auto& each : waiting_) each.set_value();
    return passed;
  }

 private:
  int missing_;
  std::vector<octavo::promise<void>> waiting_;
};
OCTAVO_REMOTE(Gate, arrive)

class Knot {
 public:
  // Everybody is within this method before anybody calls the next.
  int pull(const octavo::remote_ptr<Gate>& gate, const octavo::remote_ptr<Knot>& next) {
    octavo::call<&Gate::arrive>(gate);
    return octavo::call<&Knot::length>(next);
  }
  // As pull, but every call descends from one: no cycle.
  int around(const std::vector<octavo::remote_ptr<Knot>>& others, std::size_t at) {
    return at == others.size() ? length() : octavo::call<&Knot::around>(others[at], others, at + 1);
  }
  // As pull, but waits for several calls: all, any, what follows one, a coroutine that awaits one.
  int pull_by(const std::string& how, const octavo::remote_ptr<Gate>& gate, const std::vector<octavo::remote_ptr<Knot>>& next) {
    octavo::call<&Gate::arrive>(gate);
    std::vector<octavo::future<int>> parts;
    for (const auto& each : next) parts.push_back(octavo::start<&Knot::length>(each));
    if (how == "all") return octavo::when_all(std::move(parts)).get().front();
    if (how == "any") {
      auto first = octavo::when_any(std::move(parts)).get();
      return first.futures[first.index].get();
    }
    if (how == "then") return parts[0].then([](int n) { return n; }).then([](int n) { return n; }).get();
    if (how == "await") return awaited(std::move(parts[0])).get();
    return parts[0].wait_for(std::chrono::milliseconds(900)) ? 0 : -1;
  }
  octavo::future<int> awaited(octavo::future<int> one) {
    int n = co_await one;
    co_return n;
  }
  // As pull, by way of one that is free, and asks the next.
  int pull_through(const octavo::remote_ptr<Gate>& gate, const octavo::remote_ptr<Knot>& middle, const octavo::remote_ptr<Knot>& next) {
    octavo::call<&Gate::arrive>(gate);
    return octavo::call<&Knot::ask>(middle, next);
  }
  int ask(const octavo::remote_ptr<Knot>& next) { return octavo::call<&Knot::length>(next); }
  // The same by coroutines: the one in the middle is free meanwhile.
  int pull_through_free(const octavo::remote_ptr<Gate>& gate, const octavo::remote_ptr<Knot>& middle, const std::vector<octavo::remote_ptr<Knot>>& next) {
    octavo::call<&Gate::arrive>(gate);
    return octavo::call<&Knot::ask_first>(middle, next);
  }
  octavo::future<int> ask_first(std::vector<octavo::remote_ptr<Knot>> next) {
    std::vector<octavo::future<int>> parts;
    for (const auto& each : next) parts.push_back(octavo::start<&Knot::length>(each));
    auto any = octavo::when_any(std::move(parts));
    auto first = co_await any;
    co_return first.futures[first.index].get();
  }
  int length() { return ++length_; }
  // What `other` hears that destroys this one, which waits for it meanwhile.
  std::string have_destroyed(const octavo::remote_ptr<Knot>& me, const octavo::remote_ptr<Knot>& other) { return octavo::call<&Knot::destroy>(other, me); }
  std::string destroy(const octavo::remote_ptr<Knot>& which) {
    try {
      octavo::destroy(which);
      return "destroyed";
    } catch (const octavo::call_cycle& e) {
      return e.what();
    }
  }
  void hold(const octavo::remote_ptr<Gate>& gate) { octavo::call<&Gate::arrive>(gate); }
  void hold_from(const octavo::remote_ptr<Gate>& begun, const octavo::remote_ptr<Gate>& gate) {
    octavo::call<&Gate::arrive>(begun);
    octavo::call<&Gate::arrive>(gate);
  }

 private:
  int length_ = 0;
};
OCTAVO_REMOTE(Knot, pull, pull_by, pull_through, pull_through_free, ask, ask_first, around, length, have_destroyed, destroy, hold, hold_from)
using Knots = std::vector<octavo::remote_ptr<Knot>>;

namespace {

class Cycles : public EveryPlace {
 protected:
  static std::string name_of(const ov::remote_ptr<Knot>& one) { return "(process " + std::to_string(one.address().object) + ","; }
  // What they failed with; all have ended.
  static std::string errors_of(ov::future<int>& first, ov::future<int>& second) {
    std::string said;
    for (auto* each : {&first, &second}) {
      try {
        each->get();
      } catch (const ov::call_cycle& e) {
        said += e.what();
      }
    }
    return said;
  }
  // A ring of n knots, each pulled at the next by a call of its own root. How many calls failed, and what the first failure said.
  std::pair<int, std::string> pull_ring(int n) {
    auto gate = ov::process.make<Gate>(n);
    std::vector<ov::remote_ptr<Knot>> ring;
    for (int i = 0; i < n; ++i) ring.push_back(here.make<Knot>());
    std::vector<ov::future<int>> pulled;
    for (std::size_t i = 0; i < ring.size(); ++i) pulled.push_back(ov::start(ring[i])->pull(gate, ring[(i + 1) % ring.size()]));
    int failed = 0;
    std::string text;
    for (auto& each : pulled) {
      try {
        each.get();
      } catch (const ov::call_cycle& e) {
        if (failed++ == 0) text = e.what();
        EXPECT_EQ(e.kind(), ov::error_kind::usage);
      }
    }
    for (const auto& each : ring) {
      EXPECT_NE(text.find("(process " + std::to_string(each.address().object)), std::string::npos) << text;
      each->length();  // all live on
    }
    return {failed, text};
  }
};

TEST_P(Cycles, C3_TwoThatWaitForEachOtherAreNamed) {
  auto [failed, text] = pull_ring(2);
  EXPECT_GE(failed, 1);
  EXPECT_THAT(text, HasSubstr("these wait for each other"));
  EXPECT_THAT(text, HasSubstr("Knot::length"));
}

TEST_P(Cycles, C3_OfTwoMachinesEachIsNamed) {
  auto gate = ov::process.make<Gate>(2);
  auto a = ov::process.make<Knot>(), b = here.make<Knot>();
  if (a.address().agent == b.address().agent) GTEST_SKIP() << "one machine: the process that waits says which";
  auto first = ov::start(a)->pull(gate, b), second = ov::start(b)->pull(gate, a);
  const auto said = errors_of(first, second);
  EXPECT_THAT(said, HasSubstr("of process " + std::to_string(b.address().object) + " on "));
  EXPECT_THAT(said, HasSubstr("of process " + std::to_string(a.address().object) + " on "));
}

// Whichever finds it first: the destroy is refused, and the object lives on.
TEST_P(Cycles, C3_WhoDestroysItsCallerIsRefused) {
  for (int round = 0; round < 5; ++round) {
    auto caller = here.make<Knot>(), other = here.make<Knot>();
    EXPECT_THAT(ov::call<&Knot::have_destroyed>(caller, caller, other), HasSubstr("these wait for each other"));
    EXPECT_EQ(caller->length(), 1);
    EXPECT_EQ(other->destroy(caller), "destroyed");
  }
}

TEST_P(Cycles, C3_ThroughThreeAndFiveProcesses) {
  EXPECT_GE(pull_ring(3).first, 1);
  EXPECT_GE(pull_ring(5).first, 1);
}

TEST_P(Cycles, C3_OfAllThatAreAwaitedOneIsEnough) {
  auto gate = ov::process.make<Gate>(2);
  auto a = here.make<Knot>(), b = here.make<Knot>(), idle = here.make<Knot>();
  auto first = ov::start(a)->pull_by("all", gate, Knots{idle, b});
  auto second = ov::start(b)->pull(gate, a);
  auto said = errors_of(first, second);
  ASSERT_FALSE(said.empty());
  EXPECT_THAT(said, testing::AllOf(HasSubstr(name_of(a)), HasSubstr(name_of(b)), testing::Not(HasSubstr(name_of(idle)))));
}

TEST_P(Cycles, C3_ThroughOneWhoseMethodHasBegun) {
  auto gate = ov::process.make<Gate>(2);
  auto a = here.make<Knot>(), middle = here.make<Knot>(), b = here.make<Knot>();
  auto first = ov::start(a)->pull_through(gate, middle, b), second = ov::start(b)->pull(gate, a);
  EXPECT_THAT(errors_of(first, second), testing::AllOf(HasSubstr(name_of(a)), HasSubstr(name_of(middle)), HasSubstr(name_of(b))));
}

TEST_P(Cycles, C3_ThroughOneThatWaitsAsACoroutine) {
  auto gate = ov::process.make<Gate>(3);
  auto a = here.make<Knot>(), middle = here.make<Knot>(), b = here.make<Knot>(), c = here.make<Knot>();
  auto first = ov::start(a)->pull_through_free(gate, middle, Knots{b, c});
  auto second = ov::start(b)->pull(gate, a), third = ov::start(c)->pull(gate, a);
  EXPECT_THAT(errors_of(first, second), testing::AllOf(HasSubstr(name_of(a)), HasSubstr(name_of(middle)), HasSubstr(name_of(b)), HasSubstr(name_of(c))));
  third.wait();
}

TEST_P(Cycles, C3_OneThatWaitsAsACoroutineForSomebodyBusyIsNone) {
  auto begun = ov::process.make<Gate>(2), gate = ov::process.make<Gate>(2), late = here.make<Gate>(2);
  auto a = here.make<Knot>(), middle = here.make<Knot>(), b = here.make<Knot>(), c = here.make<Knot>();
  auto busy = ov::start(c)->hold_from(begun, late);
  begun->arrive();
  auto first = ov::start(a)->pull_through_free(gate, middle, Knots{b, c});
  auto second = ov::start(b)->pull(gate, a);
  EXPECT_FALSE(second.wait_for(std::chrono::milliseconds(600))) << "several probes have gone";
  late->arrive();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 1);
}

TEST_P(Cycles, C3_WhatFollowsACallIsACallToo) {
  for (std::string how : {"then", "await"}) {
    auto gate = ov::process.make<Gate>(2);
    auto a = here.make<Knot>(), b = here.make<Knot>();
    auto first = ov::start(a)->pull_by(how, gate, Knots{b}), second = ov::start(b)->pull_by(how, gate, Knots{a});
    EXPECT_THAT(errors_of(first, second), testing::AllOf(HasSubstr(name_of(a)), HasSubstr(name_of(b)))) << how;
  }
}

TEST_P(Cycles, C3_OfAnyThatAreAwaitedAllMustBe) {
  auto gate = ov::process.make<Gate>(3);
  auto a = here.make<Knot>(), b = here.make<Knot>(), c = here.make<Knot>();
  auto first = ov::start(a)->pull_by("any", gate, Knots{b, c});
  auto second = ov::start(b)->pull(gate, a), third = ov::start(c)->pull(gate, a);
  EXPECT_THROW(first.get(), ov::call_cycle) << "only this one can see it";
  EXPECT_EQ(second.get() + third.get(), 3) << "then these go on";
}

TEST_P(Cycles, C3_OfManyThatAreAwaitedAllMustBe) {
  constexpr int many = 24;
  auto gate = ov::process.make<Gate>(many + 1);
  auto a = here.make<Knot>();
  Knots others;
  for (int i = 0; i < many; ++i) others.push_back(here.make<Knot>());
  auto first = ov::start(a)->pull_by("any", gate, others);
  std::vector<ov::future<int>> pulled;
  for (const auto& each : others) pulled.push_back(ov::start(each)->pull(gate, a));
  EXPECT_THROW(first.get(), ov::call_cycle);
  for (auto& each : pulled) EXPECT_GE(each.get(), 1);
}

TEST_P(Cycles, C3_OfAnyThatAreAwaitedOneThatComesLateIsNoCycle) {
  auto begun = ov::process.make<Gate>(2), gate = ov::process.make<Gate>(2), late = here.make<Gate>(2);
  auto a = here.make<Knot>(), b = here.make<Knot>(), c = here.make<Knot>();
  auto busy = ov::start(c)->hold_from(begun, late);
  begun->arrive();
  auto first = ov::start(a)->pull_by("any", gate, Knots{b, c});
  auto second = ov::start(b)->pull(gate, a);
  EXPECT_FALSE(second.wait_for(std::chrono::milliseconds(600))) << "several probes have gone";
  late->arrive();
  EXPECT_EQ(first.get(), 1);
  EXPECT_EQ(second.get(), 1);
}

TEST_P(Cycles, C3_AWaitWithADeadlineEndsByItself) {
  auto gate = ov::process.make<Gate>(2);
  auto a = here.make<Knot>(), b = here.make<Knot>();
  auto first = ov::start(a)->pull_by("deadline", gate, Knots{b});
  auto second = ov::start(b)->pull(gate, a);
  EXPECT_EQ(first.get(), -1);
  EXPECT_EQ(second.get(), 1);
}

TEST_P(Cycles, C3_OneThatWaitsForItselfOnAnotherRootIsNone) {
  std::vector<ov::remote_ptr<Knot>> all;
  for (int i = 0; i < 3; ++i) all.push_back(here.make<Knot>());
  auto there_and_back = all;
  there_and_back.insert(there_and_back.end(), all.begin(), all.end());
  EXPECT_EQ(all[0]->around(there_and_back, 0), 1) << "six calls deep, each object within two of them, itself among its own callees";
}

TEST_P(Cycles, C3_WaitingLongForSomebodyBusyIsNone) {
  auto gate = here.make<Gate>(3);
  auto a = here.make<Knot>(), b = here.make<Knot>();
  auto busy = ov::start(b)->hold(gate);
  auto behind = ov::start(a)->pull(gate, b);  // waits for the gate, as b does
  EXPECT_FALSE(behind.wait_for(std::chrono::milliseconds(600))) << "several probes have gone";
  gate->arrive();
  EXPECT_EQ(behind.get(), 1);
  busy.get();
}

TEST_P(Cycles, ACallThatHasNotBegunCanBeCancelled) {
  auto gate = here.make<Gate>(2);
  auto a = here.make<Knot>();
  auto running = ov::start(a)->hold(gate);
  auto first = ov::start(a)->length(), second = ov::start(a)->length();
  EXPECT_TRUE(first.cancel());
  EXPECT_THROW(first.get(), ov::cancelled);
  gate->arrive();
  running.get();
  EXPECT_EQ(second.get(), 1) << "the first did not run";
  EXPECT_FALSE(running.valid());
  auto done = ov::start(a)->length();
  done.wait();
  EXPECT_FALSE(done.cancel()) << "too late";
  EXPECT_EQ(done.get(), 2);
}

INSTANTIATE_TEST_SUITE_P(, Cycles, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
