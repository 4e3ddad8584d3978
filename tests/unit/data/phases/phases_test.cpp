// SPDX-License-Identifier: Apache-2.0
// Sums of phases, bounded timelines, and the files they become.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "data/phases/chrome_trace.hpp"
#include "data/phases/phase_meter.hpp"
#include "octavo/base/error.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

std::int64_t sum_of(const std::vector<PhaseSpan>& spans, phase what) {
  std::int64_t sum = 0;
  for (const auto& each : spans)
    if (each.what == what) sum += each.end - each.begin;
  return sum;
}

void expect_in_order(const std::vector<PhaseSpan>& spans) {
  for (std::size_t i = 0; i < spans.size(); ++i) {
    ASSERT_LT(spans[i].begin, spans[i].end);
    if (i > 0) {
      ASSERT_LE(spans[i - 1].end, spans[i].begin);
    }
  }
}

// A thousandth of a second of each phase in turn, in the parts given.
std::vector<PhaseSpan> turns(int count, std::int64_t reading, std::int64_t caching) {
  std::vector<PhaseSpan> spans;
  std::int64_t at = 5;
  for (int i = 0; i < count; ++i) {
    spans.push_back({at, at + reading, phase::reading});
    spans.push_back({at + reading, at + reading + caching, phase::caching});
    at += reading + caching;
  }
  return spans;
}

TEST(SpanRecorder, KeepsEachSpanWhileThereIsRoom) {
  SpanRecorder recorder(64);
  const auto given = turns(32, 3, 1);
  for (const auto& each : given) recorder.add(each);
  EXPECT_EQ(recorder.spans(), given);
}

TEST(SpanRecorder, NeighboursOfOnePhaseAreOne) {
  SpanRecorder recorder(8);
  for (std::int64_t i = 0; i < 1000; ++i) recorder.add({i, i + 1, phase::writing});
  recorder.add({2000, 2001, phase::writing});
  EXPECT_EQ(recorder.spans(), (std::vector<PhaseSpan>{{0, 1000, phase::writing}, {2000, 2001, phase::writing}})) << "a gap stays";
}

TEST(SpanRecorder, PH2_IsBoundedAndCoversAllTime) {
  std::mt19937 random(7);
  for (int most : {2, 10, 64, 4096}) {
    SpanRecorder recorder(most);
    std::int64_t at = 0;
    for (int i = 0; i < 50'000; ++i) {
      const std::int64_t length = 1 + static_cast<std::int64_t>(random() % (i % 100 == 0 ? 100'000 : 100));
      recorder.add({at, at + length, static_cast<phase>(random() % phase_count)});
      at += length;
      ASSERT_LE(recorder.spans().size(), static_cast<std::size_t>(most));
    }
    expect_in_order(recorder.spans());
    std::int64_t covered = 0;
    for (const auto& each : recorder.spans()) covered += each.end - each.begin;
    EXPECT_EQ(covered, at) << most;
    EXPECT_EQ(recorder.spans().front().begin, 0);
    EXPECT_GE(recorder.spans().size(), std::min<std::size_t>(static_cast<std::size_t>(most) / 8, 100)) << "no coarser than need be";
  }
}

TEST(SpanRecorder, PH2_WhatIsJoinedIsOfThePhaseThatTookMostOfIt) {
  SpanRecorder recorder(16);
  for (const auto& each : turns(10'000, 3, 1)) recorder.add(each);
  for (const auto& each : recorder.spans()) EXPECT_EQ(each.what, phase::reading);
}

TEST(SpanRecorder, PH2_GapsWithoutEndAreBoundedToo) {
  SpanRecorder recorder(16);
  for (std::int64_t i = 0; i < 1000; ++i) recorder.add({2 * i, 2 * i + 1, phase::reading});
  EXPECT_LE(recorder.spans().size(), 16u);
  EXPECT_EQ(recorder.spans().back().end, 1999);
}

void work_a_while() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

void expect_consistent(const Phases& sums) {
  double together = sums.idle;
  for (const Phase* each : sums.all()) {
    EXPECT_GE(each->seconds, 0);
    EXPECT_GE(each->under_way + 1e-9, each->seconds) << "what counts is under way";
    EXPECT_LE(each->under_way, sums.wall + 1e-9);
    together += each->seconds;
  }
  EXPECT_GE(sums.idle, 0);
  EXPECT_NEAR(together, sums.wall, 1e-6);
}

TEST(PhaseMeter, PH1_TheSumsAreTheWallTime) {
  auto meter = std::make_shared<PhaseMeter>(most_spans);
  std::mt19937 random(3);
  std::array<int, phase_count> open{};
  for (int i = 0; i < 3000; ++i) {
    const auto what = static_cast<phase>(random() % phase_count);
    auto& count = open[static_cast<std::size_t>(what)];
    switch (random() % 4) {
      case 0: meter->enter(what); break;
      case 1: meter->begin(what), ++count; break;
      case 2: meter->waited_for(what == phase::writing ? phase::writing : phase::reading); break;
      default:
        if (count > 0) meter->end(what), --count;
    }
    if (i % 100 == 0) expect_consistent(meter->sums());
  }
}

TEST(PhaseMeter, WhatTheThreadDoesCountsBeforeWhatIsUnderWayBesideIt) {
  PhaseMeter meter;
  meter.begin(phase::reading);
  meter.enter(phase::caching);
  work_a_while();
  meter.enter(phase::idle);
  work_a_while();
  meter.end(phase::reading);
  const Phases sums = meter.sums();
  EXPECT_GE(sums.caching.seconds, 0.002);
  EXPECT_GE(sums.reading.seconds, 0.002);
  EXPECT_GE(sums.reading.under_way, sums.reading.seconds + sums.caching.seconds - 1e-9) << "it was, all the time";
  EXPECT_EQ(sums.caching.under_way, sums.caching.seconds);
  expect_consistent(sums);
}

TEST(PhaseMeter, AWaitIsForWhatEndedIt) {
  PhaseMeter meter(16);
  meter.begin(phase::reading);
  meter.begin(phase::writing);
  work_a_while();
  meter.waited_for(phase::writing);
  meter.end(phase::writing);
  const Phases sums = meter.sums();
  EXPECT_GE(sums.writing.seconds, 0.002);
  const auto spans = meter.timeline().spans;
  EXPECT_GE(sum_of(spans, phase::writing), 2'000'000);
  expect_consistent(sums);
}

TEST(PhaseMeter, ScopesEndWhatTheyBegan) {
  auto meter = std::make_shared<PhaseMeter>();
  {
    const auto outer = meter->doing(phase::computing);
    {
      const auto inner = meter->doing(phase::waiting);
      const auto beside = meter->while_open(phase::writing);
    }
    work_a_while();
  }
  meter->moved(phase::computing, 4'000'000);
  const auto before = meter->sums();
  work_a_while();
  const auto after = meter->sums();
  EXPECT_GE(before.computing.seconds, 0.002);
  EXPECT_GT(before.computing.mb_per_second(), 0);
  EXPECT_LE(before.computing.mb_per_second(), 2000);
  EXPECT_EQ(before.computing.seconds, after.computing.seconds);
  EXPECT_EQ(before.waiting.seconds, after.waiting.seconds);
  EXPECT_EQ(before.writing.under_way, after.writing.under_way);
  EXPECT_GE(after.idle, before.idle + 0.002);
}

TEST(PhaseMeter, TheTimelineGoesOnToNow) {
  PhaseMeter meter(16);
  meter.enter(phase::computing);
  work_a_while();
  const auto told = meter.timeline();
  ASSERT_FALSE(told.spans.empty());
  EXPECT_EQ(told.spans.back().end, told.now);
  EXPECT_EQ(told.spans.back().what, phase::computing);
  EXPECT_TRUE(PhaseMeter().timeline().spans.empty()) << "kept only where it is asked for";
}

std::vector<ProcessTimeline> two_processes() {
  ProcessTimeline first{"source & <sink>",
                        "box",
                        4711,
                        {.now = 3'000'000'000, .spans = {{1'000'000'000, 1'500'000'000, phase::reading}, {1'500'000'000, 3'000'000'000, phase::idle}}}};
  ProcessTimeline second{"transform 1", "box", 4712, {.now = 3'000'000'000, .spans = {{1'500'000'000, 2'000'000'000, phase::computing}}}};
  return {first, second, {"silent", "", 1, {}}};
}

TEST(TimelineFile, AChromeTraceHasAnEventForEachSpanButIdleOnes) {
  const auto trace = nlohmann::json::parse(chrome_trace(two_processes()));
  std::vector<nlohmann::json> complete;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X") complete.push_back(event);
  ASSERT_EQ(complete.size(), 2u);
  EXPECT_EQ(complete[0].at("name"), "reading");
  EXPECT_EQ(complete[0].at("ts"), 0.0);
  EXPECT_EQ(complete[0].at("dur"), 500'000.0);
  EXPECT_EQ(complete[1].at("ts"), 500'000.0);
  EXPECT_EQ(complete[1].at("pid"), 2);
  EXPECT_EQ(trace.at("traceEvents")[0].at("args").at("name"), "source & <sink> (pid 4711 on box)");
}

TEST(TimelineFile, ItEndsInJson) {
  test::Scratch scratch;
  const std::string file = scratch / "a.JSON";
  write_timeline(file, two_processes());
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(file)), nlohmann::json::parse(chrome_trace(two_processes())));
  for (const char* name : {"a.svg", "a.png"}) EXPECT_THROW(write_timeline(scratch / name, two_processes()), usage_error) << name;
  EXPECT_THROW(check_timeline(scratch / "none/a.json"), io_error);
}

}  // namespace
}  // namespace octavo
