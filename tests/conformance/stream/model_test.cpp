// SPDX-License-Identifier: Apache-2.0
// Random streams against their functions one after the other: ST-1 to ST-3, ST-7.
#include <algorithm>
#include <random>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

// How one stage of a random stream behaves.
struct Habits {
  int gives = 1;      // to an item, at most
  int fails_at = -1;  // at this item
  int grain = 0;      // computes so long
  std::size_t workers = 1;
  bool ordered = true;
  std::uint64_t bound = 1;
};

struct Step {
  Habits habits;
  void svc(int item, ov::emit<int>& out) const {
    volatile int work = 0;
    for (int i = 0; i < habits.grain * (item % 7); ++i) work = work + i;
    if (item == habits.fails_at) throw std::domain_error(std::to_string(item));
    for (int i = 0; i < (habits.gives > 1 ? item % (habits.gives + 1) : 1); ++i) out(item + i);
  }
};

struct Outcome {
  std::vector<int> items;
  std::string error;
  bool operator==(const Outcome&) const = default;
};

class Gather final : public ov::emit<int> {
 public:
  explicit Gather(std::function<void(int)> each) : each_(std::move(each)) {}
  void operator()(int value) override { each_(value); }

 private:
  std::function<void(int)> each_;
};

Outcome one_after_the_other(int items, const std::vector<Habits>& stages) {
  Outcome outcome;
  std::function<void(std::size_t, int)> run = [&](std::size_t stage, int item) {
    if (stage == stages.size()) return outcome.items.push_back(item);
    Gather next([&](int value) { run(stage + 1, value); });
    Step{stages[stage]}.svc(item, next);
  };
  try {
    for (int item = 0; item < items; ++item) run(0, item);
  } catch (const std::domain_error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

auto farm_of(const Habits& habits) {
  auto farm = ov::farm<Step>(habits).workers(habits.workers).bound({.items = habits.bound});
  return habits.ordered ? std::move(farm) : std::move(farm).unordered();
}
template <class Stream>
Outcome outcome_of(const Stream& stream) {
  Outcome outcome;
  try {
    for (int x : stream) outcome.items.push_back(x);
  } catch (const std::domain_error& error) {
    outcome.error = error.what();
  }
  return outcome;
}

class RandomStreams : public testing::TestWithParam<unsigned> {};

TEST_P(RandomStreams, ST3_AreAsTheirFunctionsOneAfterTheOther) {
  ov::kit::Watchdog watchdog(60);
  std::mt19937 random(GetParam());
  const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int round = 0; round < 40; ++round) {
    const int items = any(300);
    const bool ordered = any(4) != 0;
    std::vector<Habits> stages(3);
    for (Habits& each : stages) {
      each = {1 + any(3),
              -1,
              any(3) == 0 ? any(2000) : 0,
              static_cast<std::size_t>(1 + any(4)),
              ordered || any(2) == 0,
              std::vector<std::uint64_t>{1, 2, 3, 64}[static_cast<std::size_t>(any(4))]};
      if (any(3) == 0) each.fails_at = any(300);
    }
    const auto expected = one_after_the_other(items, stages);
    const auto run_with = [&](auto last) {
      return outcome_of(ov::pipeline(numbers(items), farm_of(stages[0]), ov::stage<Step>(stages[1]).bound({.items = stages[1].bound}), std::move(last)));
    };
    const auto last_digit = [](int item) { return item % 10; };
    const int dealing = any(3);
    auto got = dealing == 0   ? run_with(farm_of(stages[2]))
               : dealing == 1 ? run_with(farm_of(stages[2]).round_robin())
                              : run_with(farm_of(stages[2]).by(last_digit));
    stages[1].ordered = true;
    const bool in_order = std::all_of(stages.begin(), stages.end(), [](const Habits& each) { return each.ordered; });
    if (in_order) {
      EXPECT_EQ(got, expected) << "round " << round;
    } else if (expected.error.empty()) {
      std::sort(got.items.begin(), got.items.end());
      auto sorted = expected.items;
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(got, (Outcome{sorted, ""})) << "round " << round;
    } else {
      EXPECT_FALSE(got.error.empty()) << "round " << round;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomStreams, testing::Range(0U, 6U));

}  // namespace
}  // namespace stream_tests
