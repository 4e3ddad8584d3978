// SPDX-License-Identifier: Apache-2.0
// Streams whose stages are threads: ST-1 to ST-6.
#include <algorithm>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

using testing::ElementsAre;

TEST(Pipeline, ST1_ResultsAreInOrderBehindStagesAndFarms) {
  ov::kit::Watchdog watchdog;
  const auto items = numbers(20000);
  std::vector<int> expected;
  for (int each : items) expected.push_back(each * 3 + 1);
  std::vector<int> got;
  ov::pipeline(
      items, ov::farm<Times>(3).workers(3), [](int x) { return x + 1; }, [&](int x) { got.push_back(x); })
      .run();
  EXPECT_EQ(got, expected);
}

TEST(Pipeline, ST1_AStageMayGiveNothingOrSeveral) {
  ov::kit::Watchdog watchdog;
  const auto items = numbers(3000);
  EXPECT_EQ(all_of(ov::pipeline(items, ov::farm<Repeat>().workers(3))), repeated(items));
  EXPECT_EQ(all_of(ov::pipeline(items, ov::stage<Repeat>(), ov::farm<Repeat>().workers(2))), repeated(repeated(items)));
  EXPECT_EQ(all_of(ov::pipeline(items, ov::farm<Repeat>().workers(2), ov::farm<Times>(1).workers(2))), repeated(items));
  const auto even = [](int x) { return x % 2 == 0 ? std::optional(x) : std::nullopt; };
  EXPECT_THAT(all_of(ov::pipeline(numbers(7), ov::farm(even).workers(2))), ElementsAre(0, 2, 4, 6));
}

TEST(Pipeline, ST1_AnUnorderedFarmGivesAllOnce) {
  ov::kit::Watchdog watchdog;
  const auto items = numbers(20000);
  EXPECT_EQ(sorted(all_of(ov::pipeline(items, ov::farm<Times>(1).workers(3).unordered()))), items);
  EXPECT_EQ(sorted(all_of(ov::pipeline(items, ov::farm<Repeat>().workers(3).unordered()))), repeated(items));
}

TEST(Pipeline, ST1_WhatCannotBeCopiedIsMoved) {
  ov::kit::Watchdog watchdog;
  int next = 0;
  const auto source = [&]() -> std::optional<std::unique_ptr<int>> {
    if (next == 100) return std::nullopt;
    return std::make_unique<int>(next++);
  };
  int sum = 0;
  const auto twice = [](std::unique_ptr<int> x) {
    *x *= 2;
    return x;
  };
  ov::pipeline(
      source, ov::farm(twice).workers(2), [](std::unique_ptr<int>& x) { return std::move(x); }, [&](std::unique_ptr<int> x) { sum += *x; })
      .run();
  EXPECT_EQ(sum, 9900);
}

TEST(Pipeline, ST1_AFarmOfAPipelineRunsItsStagesInEachWorker) {
  ov::kit::Watchdog watchdog;
  const auto items = numbers(2000);
  const auto inner = ov::pipeline(ov::stage<Repeat>(), ov::stage<Times>(1));
  EXPECT_EQ(all_of(ov::pipeline(items, ov::farm(inner).workers(2))), repeated(items));
  EXPECT_EQ(all_of(ov::pipeline(items, inner, [](int x) { return x; })), repeated(items));
}

TEST(Pipeline, ST2_NoMoreLieBetweenTwoStagesThanTheBoundSays) {
  ov::kit::Watchdog watchdog;
  for (std::uint64_t bound : {1, 2, 3, 5}) {
    std::atomic<int> made = 0, taken = 0, most = 0;
    const auto source = [&]() -> std::optional<int> {
      most = std::max(most.load(), made - taken);
      return made < 200 ? std::optional(made++) : std::nullopt;
    };
    ov::pipeline(source, ov::stage([&](int x) {
                           taken = x + 1;
                           return x;
                         }).bound({.items = bound}),
                 [](int) {})
        .run();
    EXPECT_LE(most, static_cast<int>(bound) + 1) << "and the one that waits for room";
  }
}

TEST(Pipeline, ST2_BytesAreCounted) {
  ov::kit::Watchdog watchdog;
  std::atomic<int> made = 0, taken = 0, most = 0;
  const auto source = [&]() -> std::optional<std::vector<char>> {
    most = std::max(most.load(), made - taken);
    return made < 100 ? (++made, std::optional(std::vector<char>(1000))) : std::nullopt;
  };
  ov::pipeline(source, ov::stage([&](std::vector<char> x) {
                         ++taken;
                         return x.size();
                       }).bound({.items = 64, .bytes = 3500}),
               [](std::size_t) {})
      .run();
  EXPECT_LE(most, 4 + 1);
}

TEST(Pipeline, ST2_TheItemThatIsDueHasRoomInAnOrderedFarm) {
  ov::kit::Watchdog watchdog;
  for (std::uint64_t bound : {1, 2, 3}) {
    // The first item is done last of those that fit.
    std::atomic<int> done = 0;
    const auto work = [&](int x) {
      while (x == 0 && done < static_cast<int>(bound) - 1) std::this_thread::yield();
      ++done;
      return x;
    };
    EXPECT_EQ(all_of(ov::pipeline(numbers(50), ov::farm(work).workers(4).bound({.items = bound}), ov::stage<Times>(1).bound({.items = bound}))), numbers(50));
  }
}

TEST(Pipeline, ST3_AllBeforeTheFailingItemIsDeliveredThenTheError) {
  ov::kit::Watchdog watchdog;
  for (int at : {0, 1, 77, 999}) {
    std::vector<int> got;
    const auto s = ov::pipeline(numbers(1000), ov::farm<FailsAt>(at).workers(3), ov::stage<Times>(1), [&](int x) { got.push_back(x); });
    try {
      s.run();
      ADD_FAILURE() << "it was to throw";
    } catch (const std::domain_error& error) {
      EXPECT_EQ(error.what(), "item " + std::to_string(at));
    }
    EXPECT_EQ(got, numbers(at));
  }
}

TEST(Pipeline, ST3_ASourceThatThrowsAndASinkThatThrows) {
  ov::kit::Watchdog watchdog;
  int next = 0;
  const auto source = [&]() -> std::optional<int> {
    if (next == 5) throw std::domain_error("source");
    return next++;
  };
  std::vector<int> got;
  EXPECT_THROW(ov::pipeline(source, ov::farm<Times>(1).workers(2), [&](int x) { got.push_back(x); }).run(), std::domain_error);
  EXPECT_EQ(got, numbers(5));
  std::atomic<int> made = 0;
  const auto endless = [&]() -> std::optional<int> { return made++; };
  const auto sink = [](int x) {
    if (x == 10) throw std::range_error("sink");
  };
  auto soon = ov::start(ov::pipeline(endless, ov::farm<Times>(1).workers(2), sink));
  EXPECT_THROW(soon.get(), std::range_error);
  EXPECT_EQ(soon.report().failed_stage, "sink");
  EXPECT_EQ(soon.report().failed_item, 10);
}

TEST(Pipeline, ST3_InitAndEndAreCalledAndMayThrow) {
  ov::kit::Watchdog watchdog;
  Life::begun = Life::ended = 0;
  EXPECT_EQ(all_of(ov::pipeline(numbers(100), ov::farm<Life>().workers(3))), numbers(100));
  EXPECT_EQ(Life::begun, 3);
  EXPECT_EQ(Life::ended, 3);
  std::atomic<int> made = 0;
  const auto endless = [&]() -> std::optional<int> { return made++; };
  EXPECT_THROW(ov::pipeline(endless, ov::farm<Life>(true).workers(2)).run(), std::runtime_error);
  std::vector<int> got;
  EXPECT_THROW(ov::pipeline(numbers(100), ov::stage<Life>(false, true), [&](int x) { got.push_back(x); }).run(), std::runtime_error);
  EXPECT_EQ(got, numbers(100));
}

TEST(Pipeline, ST4_AConsumerThatStopsEndsAnEndlessStream) {
  ov::kit::Watchdog watchdog;
  std::atomic<int> made = 0;
  const auto endless = [&]() -> std::optional<int> { return made++; };
  int last = 0;
  for (int x : ov::pipeline(endless, ov::farm<Times>(1).workers(2), ov::stage<Times>(2)))
    if ((last = x) >= 100) break;
  EXPECT_EQ(last, 100);
}

TEST(Pipeline, ST4_CancelWakesWhoWaitsAndIsTold) {
  ov::kit::Watchdog watchdog;
  std::atomic<bool> sinks = false, go_on = false;
  std::atomic<int> made = 0;
  const auto endless = [&]() -> std::optional<int> { return made++; };
  const auto s = ov::pipeline(endless, ov::farm<Times>(1).workers(2).bound({.items = 2}), [&](int) {
    sinks = true;
    while (!go_on) std::this_thread::yield();
  });
  auto soon = ov::start(s);
  while (!sinks) std::this_thread::yield();
  EXPECT_TRUE(soon.cancel());
  go_on = true;
  EXPECT_THROW(soon.get(), ov::cancelled);
  EXPECT_FALSE(soon.cancel());
  const auto report = soon.report();
  ASSERT_EQ(report.stages.size(), 1);
  EXPECT_GE(report.stages[0].taken, 1);
}

TEST(Pipeline, ST5_ItRunsAgainOnceItHasEndedWhoeverKeepsTheReport) {
  ov::kit::Watchdog watchdog;
  const auto items = numbers(10);
  int sum = 0;
  auto s = ov::pipeline(items, ov::farm<Times>(2).workers(2), [&](int x) { sum += x; });
  auto soon = ov::start(s);
  EXPECT_EQ(soon.get().delivered, 10U);
  EXPECT_EQ(s.run().delivered, 10U);
  EXPECT_EQ(soon.report().delivered, 10U);
  EXPECT_EQ(sum, 180);
}

TEST(Pipeline, SettingsOfADescriptionThatIsKeptMakeAnother) {
  ov::kit::Watchdog watchdog;
  const auto times = ov::farm<Times>(2);
  auto several = times.workers(2).named("several");
  const auto unordered = several.unordered();
  static_assert(decltype(several.on(ov::process))::placed);
  EXPECT_EQ(all_of(ov::pipeline(numbers(3), times.workers(1), several)), (std::vector{0, 4, 8}));
  EXPECT_EQ(sorted(all_of(ov::pipeline(numbers(3), unordered))), (std::vector{0, 2, 4}));
  std::vector<std::vector<int>> gathered;
  for (auto each : ov::pipeline(numbers(2), several.broadcast().gather())) gathered.push_back(std::move(each));
  EXPECT_EQ(gathered, (std::vector<std::vector<int>>{{0, 0}, {2, 2}}));
}

TEST(Pipeline, ST5_ADescriptionRunsAgainButOnceAtATime) {
  ov::kit::Watchdog watchdog;
  const auto s = ov::pipeline(ov::farm<Times>(2).workers(2), [](int x) { return x + 1; });
  EXPECT_THAT(all_of(s(std::vector{1, 2})), ElementsAre(3, 5));
  EXPECT_THAT(all_of(s(std::vector{3})), ElementsAre(7));
  EXPECT_EQ(s.run(std::vector{1, 2, 3}).delivered, 3);
  const auto whole = s(numbers(5));
  auto reading = whole.begin();
  EXPECT_THROW(whole.run(), ov::usage_error);
}

TEST(Pipeline, ST6_InlinedGivesTheSame) {
  ov::kit::Watchdog watchdog;
  std::vector<int> got;
  const auto caller = std::this_thread::get_id();
  const auto s = ov::pipeline(numbers(100), ov::farm<Repeat>(), ov::stage<Times>(1), [&](int x) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    got.push_back(x);
  });
  const auto report = s.inlined().run();
  EXPECT_EQ(got, repeated(numbers(100)));
  EXPECT_EQ(report.delivered, got.size());
  ASSERT_EQ(report.stages.size(), 2);
  EXPECT_EQ(report.stages[0].taken, 100);
  EXPECT_EQ(report.stages[0].given, got.size());
}

TEST(Pipeline, TheReportCountsEachStage) {
  ov::kit::Watchdog watchdog;
  const auto report = ov::pipeline(numbers(30), ov::farm<Repeat>().workers(2), ov::stage([](int x) { return x; }).named("same"), [](int) {}).run();
  ASSERT_EQ(report.stages.size(), 2);
  EXPECT_EQ(report.stages[0].name, "stream_tests::Repeat");
  EXPECT_EQ(report.stages[0].place, "thread");
  EXPECT_EQ(report.stages[0].taken, 30);
  EXPECT_EQ(report.stages[0].given, 30);
  EXPECT_EQ(report.stages[1].name, "same");
  EXPECT_EQ(report.stages[1].taken, 30);
  EXPECT_EQ(report.stages[1].left, 0);
  EXPECT_EQ(report.delivered, 30);
}

TEST(Pipeline, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(ov::farm<Repeat>().workers(0), ov::usage_error);
  EXPECT_THROW(ov::stage<Repeat>().bound({.items = 0}), ov::usage_error);
}

}  // namespace
}  // namespace stream_tests
