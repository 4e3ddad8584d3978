// SPDX-License-Identifier: Apache-2.0
// Streams of threads (ST-1 to ST-4, ST-7, ST-8), on every schedule that a seed can choose.
#include "schedule/seeds.hpp"
#include "schedule/stream/mill.hpp"

namespace octavo::schedule {
namespace {

// A mill with what it runs.
class World {
 public:
  using Body = void (*)(Mill&);
  World(std::uint64_t seed, MillOptions options, Body body) : mill_(seed, options), body_(body) {}
  void run() { mill_.run(body_); }
  [[nodiscard]] std::uint64_t steps() const noexcept { return mill_.steps(); }
  [[nodiscard]] const std::string& failure() const noexcept { return mill_.failure(); }
  [[nodiscard]] const std::vector<int>& got() const noexcept { return mill_.got(); }

 private:
  Mill mill_;
  Body body_;
};

void run(World::Body body, MillOptions options = {}) {
  run_worlds([&](std::uint64_t seed) { return std::make_unique<World>(seed, options, body); });
}

auto once_more(Mill& mill, std::size_t stage) {
  return [&mill, stage](Grain x) {
    mill.work(stage, x.value);
    return Grain{x.value + 1};
  };
}

// One result, none, or two.
struct Several {
  Mill* mill;
  std::size_t stage;
  void operator()(Grain x, emit<Grain>& out) const {
    mill->work(stage, x.value);
    for (int i = 0; i < x.value / root % 3; ++i) out({x.value + i});
  }
};
std::vector<int> several(int number) {
  std::vector<int> all;
  for (int i = 0; i < number % 3; ++i) all.push_back(root * number + i);
  return all;
}

// What goes round: each number some times, and parts in two.
struct Rounds {
  Mill* mill;
  void operator()(int x, emit<int>& out, again<int>& more) const {
    mill->work(1, x);
    const int tag = x % root;
    if (tag >= x / root % 4) return out(x);
    more(x + 1);
    if (tag == 0) more(x + 2);
  }
};
void go_round(int x, std::vector<int>& all) {
  const int tag = x % root;
  if (tag >= x / root % 4) return all.push_back(x);
  go_round(x + 1, all);
  if (tag == 0) go_round(x + 2, all);
}
std::vector<int> rounds(int number) {
  std::vector<int> all;
  go_round(root * number, all);
  return all;
}

void pipeline_of_stages(Mill& mill) {
  mill.counts_what_lies({1, 1, 1});
  auto one = octavo::stage(once_more(mill, 0)).bound(mill.bound(0));
  auto two = octavo::stage(once_more(mill, 1)).bound(mill.bound(1));
  auto three = octavo::stage(once_more(mill, 2)).bound(mill.bound(2));
  mill.play<Grain>(std::tuple(std::move(one), std::move(two), std::move(three)), [](int number) { return std::vector{root * number + 3}; });
}

void ordered_farms(Mill& mill) {
  const std::array<std::size_t, 3> workers{1 + static_cast<std::size_t>(mill.draw(3)), 1, 1 + static_cast<std::size_t>(mill.draw(4))};
  mill.counts_what_lies(workers);
  auto one = octavo::farm(once_more(mill, 0)).workers(workers[0]).bound(mill.bound(0));
  auto two = octavo::stage(once_more(mill, 1)).bound(mill.bound(1));
  auto three = octavo::farm(once_more(mill, 2)).workers(workers[2]).bound(mill.bound(2));
  mill.play<Grain>(std::tuple(std::move(one), std::move(two), std::move(three)), [](int number) { return std::vector{root * number + 3}; });
}

void farms_of_several(Mill& mill) {
  auto one = octavo::farm(Several{&mill, 0}).workers(2).bound(mill.bound(0));
  auto two = octavo::farm(once_more(mill, 1)).workers(3).bound(mill.bound(1));
  auto three = octavo::stage(once_more(mill, 2)).unbounded(1 << 20);
  mill.play<Grain>(std::tuple(std::move(one), std::move(two), std::move(three)), [](int number) {
    auto all = several(number);
    for (int& each : all) each += 2;
    return all;
  });
}

void unordered_farms(Mill& mill) {
  auto one = octavo::farm(Several{&mill, 0}).workers(2).bound(mill.bound(0)).unordered();
  auto two = octavo::farm(once_more(mill, 1)).workers(3).bound(mill.bound(1)).unordered();
  auto three = octavo::farm(once_more(mill, 2)).workers(2).unbounded(1 << 20).unordered();
  mill.play<Grain>(std::tuple(std::move(one), std::move(two), std::move(three)), [](int number) {
    auto all = several(number);
    for (int& each : all) each += 2;
    return all;
  });
}

void dealt_farms(Mill& mill) {
  const auto by_half = [](const Grain& x) { return x.value / root / 2; };
  auto one = octavo::farm(once_more(mill, 0)).workers(3).bound(mill.bound(0)).by(by_half);
  auto two = octavo::farm(once_more(mill, 1)).workers(2).bound(mill.bound(1)).broadcast();
  auto three = octavo::farm(once_more(mill, 2)).workers(2).bound(mill.bound(2)).round_robin();
  mill.play<Grain>(std::tuple(std::move(one), std::move(two), std::move(three)), [](int number) { return std::vector(2, root * number + 3); });
}

template <bool ordered>
void feedback(Mill& mill) {
  const auto pass = [&mill](std::size_t stage) {
    return [&mill, stage](int x) {
      mill.work(stage, x);
      return x;
    };
  };
  auto one = octavo::stage(pass(0)).bound(mill.bound(0));
  auto bound = mill.bound(1);
  bound.bytes = 1 << 20;  // of what goes round: more is an error
  auto farm = octavo::farm(Rounds{&mill}).workers(3).bound(bound);
  auto two = ordered ? std::move(farm).ordered() : std::move(farm).unordered();
  auto three = octavo::stage(pass(2)).bound(mill.bound(2));
  mill.play<int>(std::tuple(std::move(one), std::move(two), std::move(three)), rounds);
}

TEST(ScheduleOfStreams, ST1_ST2_Stages) { run(pipeline_of_stages); }
TEST(ScheduleOfStreams, ST1_ST2_OrderedFarms) { run(ordered_farms); }
TEST(ScheduleOfStreams, ST1_FarmsThatGiveNothingOrSeveral) { run(farms_of_several); }
TEST(ScheduleOfStreams, ST1_UnorderedFarms) { run(unordered_farms, {.ordered = false}); }
TEST(ScheduleOfStreams, ST7_DealtFarms) { run(dealt_farms); }
TEST(ScheduleOfStreams, ST8_Feedback) { run(feedback<true>, {.feeds_back = true}); }
TEST(ScheduleOfStreams, ST8_FeedbackWithoutOrder) { run(feedback<false>, {.ordered = false, .feeds_back = true}); }

TEST(ScheduleOfStreams, ST3_ErrorsOfStages) { run(pipeline_of_stages, {.fails = true}); }
TEST(ScheduleOfStreams, ST3_ErrorsOfOrderedFarms) { run(ordered_farms, {.fails = true}); }
TEST(ScheduleOfStreams, ST3_ErrorsOfFarmsThatGiveSeveral) { run(farms_of_several, {.fails = true}); }
TEST(ScheduleOfStreams, ST3_ErrorsOfUnorderedFarms) { run(unordered_farms, {.fails = true, .ordered = false}); }
TEST(ScheduleOfStreams, ST3_ST7_ErrorsOfDealtFarms) { run(dealt_farms, {.fails = true}); }
TEST(ScheduleOfStreams, ST3_ST8_ErrorsInFeedback) { run(feedback<true>, {.fails = true, .feeds_back = true}); }

TEST(ScheduleOfStreams, ST4_AReaderThatLeaves) { run(ordered_farms, {.leaves = true}); }
TEST(ScheduleOfStreams, ST4_AReaderThatLeavesFeedback) { run(feedback<true>, {.leaves = true, .feeds_back = true}); }
TEST(ScheduleOfStreams, ST4_SomebodyCancels) { run(ordered_farms, {.cancels = true}); }
TEST(ScheduleOfStreams, ST4_SomebodyCancelsDealtFarms) { run(dealt_farms, {.cancels = true}); }
TEST(ScheduleOfStreams, ST4_SomebodyCancelsFeedback) { run(feedback<false>, {.cancels = true, .ordered = false, .feeds_back = true}); }

TEST(ScheduleOfStreams, TheSameSeedGivesTheSameRun) {
  kit::Watchdog watchdog(60);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    World one(seed, {.cancels = true}, ordered_farms), two(seed, {.cancels = true}, ordered_farms);
    one.run();
    two.run();
    EXPECT_EQ(std::tuple(one.steps(), one.got()), std::tuple(two.steps(), two.got())) << "seed " << seed;
  }
}

}  // namespace
}  // namespace octavo::schedule
