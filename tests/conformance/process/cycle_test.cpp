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
  int length() { return ++length_; }
  void hold(const octavo::remote_ptr<Gate>& gate) { octavo::call<&Gate::arrive>(gate); }

 private:
  int length_ = 0;
};
OCTAVO_REMOTE(Knot, pull, around, length, hold)

namespace {

class Cycles : public EveryPlace {
 protected:
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

TEST_P(Cycles, C3_ThroughThreeAndFiveProcesses) {
  EXPECT_GE(pull_ring(3).first, 1);
  EXPECT_GE(pull_ring(5).first, 1);
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
  EXPECT_FALSE(behind.wait_for(std::chrono::milliseconds(700))) << "several probes have gone";
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
