// SPDX-License-Identifier: Apache-2.0
// How long a thread sleeps at a belt (gate.hpp): longer where items flow, so that it does not take a core from the stages for each; not where they come alone.
#include "octavo/stream/detail/gate.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace octavo::stream {
namespace {

using std::chrono::microseconds;

// Each sleep lasts its time, and then what was waited for is there.
class Sleeper final : public Played {
 public:
  void start(std::function<void()> /*work*/) override {}
  void join() override {}
  void step() override {}
  bool sleep(const std::function<bool()>& /*ready*/, microseconds time) override {
    slept.push_back(time);
    is_there = true;
    return false;
  }
  [[nodiscard]] Clock::time_point now() const override { return {}; }

  std::vector<microseconds> slept;
  bool is_there = false;
};

class GateNaps : public testing::Test {
 protected:
  // The last nap of so many, with so many items from one to the next.
  microseconds naps(int count, std::uint64_t items) {
    for (int i = 0; i < count; ++i) {
      at_ += items;
      sleeper.is_there = false;
      gate.wait([this] { return sleeper.is_there; }, at_ + 100);
    }
    return sleeper.slept.back();
  }
  Sleeper sleeper;
  Gate gate;

 private:
  std::uint64_t at_ = 0;
};

TEST_F(GateNaps, BecomeLongerWhereItemsFlowAndShortAgainWhereTheyComeAlone) {
  gate.play(&sleeper);
  naps(3, 1);
  EXPECT_EQ(naps(20, 1), Gate::shortest_nap);
  EXPECT_EQ(naps(20, 8), Gate::longest_nap);
  EXPECT_EQ(naps(20, 1), Gate::shortest_nap);
  EXPECT_EQ(naps(40, 1000), Gate::longest_nap);
  EXPECT_EQ(naps(30, 1), Gate::shortest_nap) << "one flood is forgotten soon";
}

TEST_F(GateNaps, OfThoseThatNameNoNumberStayAsTheyAre) {
  gate.play(&sleeper);
  for (int i = 0; i < 20; ++i) {
    sleeper.is_there = false;
    gate.wait([this] { return sleeper.is_there; }, ~std::uint64_t{0});
  }
  EXPECT_EQ(sleeper.slept.back(), Gate::shortest_nap);
}

}  // namespace
}  // namespace octavo::stream
