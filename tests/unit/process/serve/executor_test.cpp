// SPDX-License-Identifier: Apache-2.0
// Coroutines that may go on: in which order, of which root, on which thread, and what becomes of them at the end. The thread of the test is the one of methods.
#include "process/serve/executor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
constexpr std::uint64_t root = 7, other_root = 8;

struct Coroutine {
  struct promise_type {
    [[nodiscard]] Coroutine get_return_object() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    [[noreturn]] void unhandled_exception() const noexcept { std::terminate(); }
  };
};

class ExecutorTest : public PartTest {
 protected:
  ExecutorTest() { context.serve_here(); }

  struct Suspended {
    std::shared_ptr<Executor> home;
    StateBase& state;
    std::uint64_t root;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) const {
      std::unique_ptr<Continuation> what = std::make_unique<Resumption>(handle, state, home, root);
      ASSERT_TRUE(state.attach(what));
    }
    void await_resume() const noexcept {}
  };
  struct Frame {
    ExecutorTest& test;
    ~Frame() { ++test.destroyed; }
  };
  // Notes its name when it goes on.
  Coroutine begin(std::string name, LocalState<void>& state, std::uint64_t of) {
    const Frame frame{*this};
    const Suspended suspended{executor, state, of};
    co_await suspended;
    went_on.push_back(name);
    roots.push_back(context.root());
    threads.push_back(std::this_thread::get_id());
  }

  CallContext context;
  Waiters waiters{mine.bell};
  std::shared_ptr<Executor> executor = std::make_shared<Executor>(Executor::Home{waiters, context, mine.row});
  std::vector<std::string> went_on;
  std::vector<std::uint64_t> roots;
  std::vector<std::thread::id> threads;
  int destroyed = 0;
  LocalState<void> a, b, c;
};

TEST_F(ExecutorTest, TheyGoOnInTheOrderInWhichTheyBecameReadyEachWithinItsRoot) {
  begin("a", a, root);
  begin("b", b, other_root);
  begin("c", c, root);
  EXPECT_FALSE(executor->run_one()) << "nothing is ready";
  for (auto* each : {&b, &a, &c}) each->set();
  EXPECT_THAT(went_on, IsEmpty()) << "the thread that makes them ready does not run them";
  EXPECT_EQ(executor->alive(), 3);
  while (executor->run_one()) EXPECT_EQ(executor->alive(), 3 - destroyed);
  EXPECT_THAT(went_on, ElementsAre("b", "a", "c"));
  EXPECT_THAT(roots, ElementsAre(other_root, root, root));
  EXPECT_EQ(destroyed, 3);
  EXPECT_EQ(executor->alive(), 0);
}

TEST_F(ExecutorTest, C3_WhileAMethodRunsOnlyThoseOfItsRootGoOn) {
  begin("a", a, other_root);
  begin("b", b, root);
  a.set();
  EXPECT_FALSE(executor->has(root) || executor->run_one(root));
  b.set();
  EXPECT_TRUE(executor->has(root));
  EXPECT_TRUE(executor->holds_back(a, root));
  EXPECT_FALSE(executor->holds_back(b, root)) << "it may go on";
  EXPECT_FALSE(executor->holds_back(c, root)) << "nothing awaits it";
  EXPECT_TRUE(executor->run_one(root));
  EXPECT_FALSE(executor->run_one(root));
  EXPECT_THAT(went_on, ElementsAre("b"));
  EXPECT_TRUE(executor->run_one());
  EXPECT_THAT(went_on, ElementsAre("b", "a"));
}

TEST_F(ExecutorTest, TheEndDestroysWhatWaitsAndWhatComesLater) {
  begin("a", a, root);
  begin("b", b, root);
  a.set();
  executor->close();
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(executor->alive(), 1) << "the other awaits something yet";
  EXPECT_FALSE(executor->has() || executor->run_one());
  b.set();
  EXPECT_EQ(destroyed, 2);
  EXPECT_EQ(executor->alive(), 0);
  EXPECT_THAT(went_on, IsEmpty());
}

TEST_F(ExecutorTest, WhatAnotherThreadMakesReadyWakesTheThreadThatReadsAndGoesOnThere) {
  begin("a", a, root);
  std::jthread other;
  const auto read = [&] {
    other = std::jthread([&] { a.set(); });
    return mine.around().sleep([&] { return executor->has(); }, road::never);
  };
  EXPECT_TRUE(waiters.wait([] { return false; }, road::never, read));
  EXPECT_THAT(went_on, IsEmpty());
  EXPECT_TRUE(executor->run_one());
  EXPECT_THAT(threads, ElementsAre(std::this_thread::get_id()));
}

}  // namespace
}  // namespace octavo::detail
