// SPDX-License-Identifier: Apache-2.0
// The contract of a call (design section 2), clause by clause, on every place.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <set>
#include <thread>

#include "conformance/process/every_place.hpp"

namespace process_tests {

OCTAVO_ERROR(too_much)
OCTAVO_ERROR(with_fields)

int Counter::pid() const { return ::getpid(); }
void Counter::fail(const std::string& how) const {
  if (how == "named") throw too_much("too much of it");
  if (how == "fields") {
    with_fields e;
    e.code = 42;
    throw e;
  }
  if (how == "std") throw std::out_of_range("index 9 of 4");
  if (how == "octavo") throw octavo::io_error("the disk is on fire", "Fetch water");
  if (how == "unnamed") throw unnamed_error("nobody knows my type");
  if (how == "int") throw 17;
}
void Counter::die(const std::string& last_words) const {
  std::fprintf(stderr, "%s\n", last_words.c_str());
  ::raise(SIGUSR1);  // one that sanitizers leave alone
}
void Counter::sleep_until_killed() const {
  for (;;) ::pause();
}
octavo::remote_ptr<Counter> Counter::offspring(int start) { return octavo::Machine("local").make<Counter>(start); }
octavo::future<int> Counter::later(const octavo::remote_ptr<Counter>& other, int n) {
  int there = co_await octavo::start(other)->add(n);
  value_ += there;
  co_return value_;
}
octavo::future<int> Counter::when_opened() { return gate_.get_future(); }
Farewell::~Farewell() { std::ofstream(path_) << "gone"; }

namespace {

namespace ov = octavo;
using testing::HasSubstr;

TEST_P(EveryPlace, C1_ACallReturnsWhenTheMethodHas) {
  auto p = here.make<Counter>(5);
  EXPECT_EQ(p->pid() == ::getpid(), GetParam() == "thread") << "a process of its own, where the place is none";
  EXPECT_EQ(p->add(3), 8);
  EXPECT_EQ(p->value(), 8);
}

TEST_P(EveryPlace, C1_NeedsNoMacro) {
  auto p = here.make<Plain>();
  EXPECT_EQ(ov::call<&Plain::twice>(p, 21), 42);
  EXPECT_EQ(ov::start<&Plain::twice>(p, 4).get(), 8);
  auto q = here.make<Counter>(1);
  EXPECT_EQ(ov::call<&Counter::add>(q, 2), 3);
}

TEST_P(EveryPlace, C2_CallsOfOneCallerRunInTheOrderMade) {
  auto p = here.make<Counter>();
  std::vector<ov::future<void>> started;
  for (int i = 0; i < 2000; ++i) {
    if (i % 100 == 50) p->note(i);
    else started.push_back(ov::start(p)->note(i));
  }
  std::vector<int> expected(2000);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(p->notes(), expected);
  for (auto& f : started) f.get();
}

TEST_P(EveryPlace, C2_ManyThreadsCallTogether) {
  auto p = here.make<Counter>();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 300; ++i) p->add(1);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(p->value(), 1200);
}

TEST_P(EveryPlace, C3_ACallbackThatDescendsFromTheCallRuns) {
  auto a = here.make<Counter>(11);
  auto b = here.make<Counter>(0);
  EXPECT_EQ(a->ask_back(b, a), 11);
}

TEST_P(EveryPlace, C4_ArgumentsAndResultsAreValues) {
  auto p = here.make<Counter>(4);
  EXPECT_EQ(p->reading("kg"), (Reading{4.0, "kg"}));
  std::vector<double> data(50000);
  std::iota(data.begin(), data.end(), 0.0);
  EXPECT_EQ(p->sum(data), 50000.0 * 49999 / 2);
  EXPECT_EQ(p->big(1 << 20).size(), std::size_t{1} << 20);
}

TEST_P(EveryPlace, C4_AReferenceIsCopiedInAndBack) {
  auto p = here.make<Counter>();
  std::vector<double> data{1, 2, 3};
  p->scale(data, 2);
  EXPECT_EQ(data, (std::vector<double>{2, 4, 6}));
}

TEST_P(EveryPlace, C5_AnExceptionArrivesAsItsOwnTypeAndSaysWhereItCameFrom) {
  auto p = here.make<Counter>();
  try {
    p->fail("named");
    FAIL();
  } catch (const too_much& e) {
    EXPECT_STREQ(e.what(), "too much of it");
    const auto* from = ov::origin(e);
    ASSERT_NE(from, nullptr);
    EXPECT_EQ(from->process.pid, p->pid());
    EXPECT_THAT(from->process.class_name, HasSubstr("Counter"));
    ASSERT_EQ(from->trace.size(), 1u);
    EXPECT_THAT(from->trace[0], HasSubstr("Counter::fail"));
  }
  try {
    p->fail("fields");
    FAIL();
  } catch (const with_fields& e) {
    EXPECT_EQ(e.code, 42);
  }
  EXPECT_THROW(p->fail("std"), std::out_of_range);
  try {
    p->fail("octavo");
    FAIL();
  } catch (const ov::io_error& e) {
    EXPECT_STREQ(e.what(), "the disk is on fire. Fetch water");
    EXPECT_EQ(e.cure(), "Fetch water");
  }
  EXPECT_EQ(p->add(1), 1) << "the process lives on";
}

TEST_P(EveryPlace, C5_AnUnnamedTypeArrivesAsRemoteError) {
  auto p = here.make<Counter>();
  try {
    p->fail("unnamed");
    FAIL();
  } catch (const ov::remote_error& e) {
    EXPECT_THAT(e.type_name(), HasSubstr("unnamed_error"));
    EXPECT_STREQ(e.what(), "nobody knows my type");
    EXPECT_EQ(e.kind(), ov::error_kind::remote);
  }
  EXPECT_THROW(p->fail("int"), ov::remote_error);
}

TEST_P(EveryPlace, C5_AConstructorsExceptionArrivesAndTheProcessEnds) {
  EXPECT_THROW(here.make<Counter>(-1), too_much);
  until([&] { return objects() == 0; });
}

TEST_P(EveryPlace, C8_ARemotePointerCanBePassedOnAndReturned) {
  auto a = here.make<Counter>();
  auto b = here.make<Counter>(10);
  EXPECT_EQ(a->ask(b, 5), 15);
  auto c = a->offspring(100);
  EXPECT_EQ(c->value(), 100);
  EXPECT_EQ(b->ask(c, 1), 101);
  EXPECT_NE(b, c);
}

TEST_P(EveryPlace, C10_ProcessesAreMadeInParallel) {
  std::vector<ov::future<ov::remote_ptr<Counter>>> making;
  for (int i = 0; i < 8; ++i) making.push_back(ov::start(here).make<Counter>(i));
  std::set<int> pids;
  for (int i = 0; i < 8; ++i) {
    auto p = making[static_cast<std::size_t>(i)].get();
    EXPECT_EQ(p->value(), i);
    pids.insert(p->pid());
  }
  EXPECT_EQ(pids.size(), GetParam() == "thread" ? 1u : 8u);
  EXPECT_THROW(ov::start(here).make<Counter>(-1).get(), too_much);
}

TEST_P(EveryPlace, C12_TheNextCallBeginsWhileAFutureIsOpen) {
  auto p = here.make<Counter>();
  auto open_one = ov::start(p)->when_opened();
  EXPECT_EQ(p->add(2), 2) << "a later call is answered first";
  EXPECT_FALSE(open_one.ready());
  p->open();
  EXPECT_EQ(open_one.get(), 7);
}

TEST_P(EveryPlace, C12_AMethodMayBeACoroutine) {
  auto a = here.make<Counter>(1);
  auto b = here.make<Counter>(10);
  auto both = ov::start(a)->later(b, 5);
  EXPECT_EQ(both.get(), 16);
  EXPECT_EQ(a->later(b, 1), 32);
}

TEST_P(EveryPlace, FuturesTimeOutAndDroppedOnesReportAtDestroy) {
  auto p = here.make<Counter>();
  auto slow = ov::start(p)->when_opened();
  EXPECT_FALSE(slow.wait_for(std::chrono::milliseconds(5)));
  { auto dropped = ov::start(p)->fail("named"); }
  p->value();
  EXPECT_THROW(ov::destroy(p), too_much);
}

TEST_P(EveryPlace, WhatAnExceptionDropsIsNotToldAgain) {
  auto p = here.make<Counter>();
  auto two_that_fail = [&] {
    auto first = ov::start(p)->fail("named");
    auto second = ov::start(p)->fail("named");
    first.get();
  };
  EXPECT_THROW(two_that_fail(), too_much);
  p->value();
  EXPECT_NO_THROW(ov::destroy(p)) << "the first was heard of, and it kept the second from being looked at";
}

TEST_P(EveryPlace, WhatNobodyWaitsForIsReadToo) {
  auto p = here.make<Counter>(1);
  std::atomic<int> came = 0;
  std::vector<ov::future<int>> started;
  for (int i = 0; i < 20; ++i) {
    started.push_back(ov::start(p)->add(1));
    started.back().on_ready([&] { ++came; });
  }
  until([&] { return came == 20; });  // no wait, no call: the progress thread reads
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) p->add(1);
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(p->value(), 621) << "and those who wait are not held up by it";
}

TEST_P(EveryPlace, MistakesAreNamed) {
  ov::remote_ptr<Counter> nowhere;
  EXPECT_THROW(nowhere->value(), ov::usage_error);
  ov::remote_ptr<Counter> never_was(ov::Address{runtime.processes()[0].address.agent, 1, 9999});
  EXPECT_THROW(never_was->value(), ov::gone_error);
  EXPECT_THROW((void)runtime.machine("mars"), ov::usage_error);
  EXPECT_THROW(ov::Runtime(), ov::usage_error);
}

INSTANTIATE_TEST_SUITE_P(, EveryPlace, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(By, EveryPlace, every_link, name_of_place);

}  // namespace
}  // namespace process_tests
