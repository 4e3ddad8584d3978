// SPDX-License-Identifier: Apache-2.0
// Farms that feed back to themselves: ST-8.
#include <random>
#include <utility>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

using testing::ElementsAre;

class Feedback : public testing::TestWithParam<std::tuple<std::size_t, std::uint64_t>> {
 protected:
  template <class Farm>
  auto settled(Farm farm) const {
    return std::move(farm).workers(std::get<0>(GetParam())).bound({.items = std::get<1>(GetParam())});
  }
  ov::kit::Watchdog watchdog_{60};
};

TEST_P(Feedback, ST8_ItEndsWhenNothingIsUnderWay) {
  EXPECT_EQ(sorted(all_of(ov::pipeline(std::vector<Span>{{0, 5000}}, settled(ov::farm<Halve>()).unordered()))), numbers(5000));
  EXPECT_EQ(sorted(all_of(ov::pipeline(std::vector<Span>{{0, 500}}, settled(ov::farm<Halve>())))), numbers(500));
  EXPECT_TRUE(all_of(ov::pipeline(std::vector<Span>{}, settled(ov::farm<Halve>()))).empty());
  EXPECT_TRUE(all_of(ov::pipeline(std::vector<Span>{{3, 3}}, settled(ov::farm<Halve>()))).empty());
}

TEST_P(Feedback, ST8_InOrderResultsAreThoseOfTheItemsOneAfterTheOther) {
  std::vector<int> items;
  for (int i = 0; i < 300; ++i) items.push_back(100 * i + (i * 37) % 100);
  EXPECT_EQ(all_of(ov::pipeline(items, settled(ov::farm<CountDown>()), ov::stage<Times>(1).bound({.items = 1}))), numbers(300));
}

// The items before it are bunches, of which some are empty.
TEST_P(Feedback, ST8_BehindAFarmAndBeforeOne) {
  std::vector<int> expected;
  for (int item : repeated(numbers(200))) expected.push_back(item);
  const auto hundred = [](int item) { return 100 * item + 5; };
  EXPECT_EQ(all_of(ov::pipeline(numbers(200), ov::farm<Repeat>().workers(2), ov::farm(hundred).workers(2), settled(ov::farm<CountDown>()),
                                ov::farm<Times>(1).workers(2).bound({.items = 1}))),
            expected);
}

TEST_P(Feedback, ST8_AnErrorEndsItBehindWhatWasDone) {
  std::vector<int> got;
  std::vector<int> items;
  for (int i = 0; i < 200; ++i) items.push_back(100 * i + 50);
  EXPECT_THROW(ov::pipeline(items, settled(ov::farm<CountDown>(10'020)), [&](int x) { got.push_back(x); }).run(), std::domain_error);
  EXPECT_LE(got.size(), 100);
  EXPECT_EQ(got, numbers(static_cast<int>(got.size())));
}

TEST_P(Feedback, ST4_AConsumerThatStopsEndsAnEndlessLoop) {
  const auto forever = [](int item, ov::emit<int>& out, ov::again<int>& more) {
    out(item);
    more(item + 1);
  };
  int last = 0;
  for (int x : ov::pipeline(std::vector{0, 1}, settled(ov::farm(forever)).unordered()))
    if ((last = x) > 1000) break;
  EXPECT_GT(last, 1000);
}

TEST_P(Feedback, ST6_InlinedGivesTheSame) {
  std::vector<int> got;
  ov::pipeline(std::vector{205, 100, 399}, settled(ov::farm<CountDown>()), [&](int x) { got.push_back(x); }).inlined().run();
  EXPECT_THAT(got, ElementsAre(2, 1, 3));
}

INSTANTIATE_TEST_SUITE_P(WorkersAndBounds, Feedback, testing::Combine(testing::Values(1, 2, 4), testing::Values(1, 2, 3, 64)));

TEST(FeedbackOfAStage, ST8_OneWorkerFeedsBackToItself) {
  ov::kit::Watchdog watchdog(60);
  EXPECT_EQ(sorted(all_of(ov::pipeline(std::vector<Span>{{0, 100}}, ov::stage<Halve>()))), numbers(100));
}

TEST(FeedbackOfAStage, ST8_WhatWaitsToGoRoundIsBoundInBytes) {
  ov::kit::Watchdog watchdog(60);
  const auto doubles = [](std::vector<char> item, ov::emit<int>&, ov::again<std::vector<char>>& more) {
    more(item);
    more(item);
  };
  auto soon =
      ov::start(ov::pipeline(std::vector<std::vector<char>>{std::vector<char>(1000)}, ov::farm(doubles).workers(2).named("doubles").bound({.bytes = 1 << 20})));
  try {
    soon.get();
    ADD_FAILURE() << "it was to throw";
  } catch (const ov::refused& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("'doubles'"));
  }
}

TEST(PlacedFeedback, ST8_TheSameInProcesses) {
  ov::kit::Watchdog watchdog(60);
  const ov::Runtime runtime;
  EXPECT_EQ(sorted(all_of(ov::pipeline(std::vector<Span>{{0, 300}}, ov::farm<Halve>().workers(2).on(ov::process)))), numbers(300));
  EXPECT_EQ(all_of(ov::pipeline(std::vector{205, 100, 399}, ov::farm<CountDown>().workers(2).on(ov::process))), (std::vector{2, 1, 3}));
}

}  // namespace
}  // namespace stream_tests
