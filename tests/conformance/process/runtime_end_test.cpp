// SPDX-License-Identifier: Apache-2.0
// What still waits when the Runtime ends: it ends with an error, and nothing of it is left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "conformance/process/juggler.hpp"
#include "kit/watchdog.hpp"

namespace process_tests {
namespace {

namespace ov = octavo;
using testing::HasSubstr;

struct Alive {
  explicit Alive(std::atomic<int>& of) : count(of) { ++count; }
  Alive(const Alive& other) : count(other.count) { ++count; }
  ~Alive() { --count; }
  std::atomic<int>& count;
};
ov::future<int> awaits(ov::future<int> what, Alive alive) {
  int n = co_await what;
  co_return n + (alive.count == 0 ? 1 : 0);
}
ov::future<int> awaits_two(ov::remote_ptr<Juggler> p, Alive alive) {
  int n = co_await awaits(ov::start(p)->when_opened(), alive);
  co_return n;
}

class RuntimeEnds : public testing::TestWithParam<ov::runtime_reach> {
 protected:
  ov::kit::Watchdog watchdog{60};
  std::atomic<int> alive = 0;
};

TEST_P(RuntimeEnds, EveryFutureOfItFailsAndNoFrameIsLeft) {
  ov::future<int> call, then, coroutine, of_promise;
  ov::future<std::vector<int>> all;
  ov::promise<int> outlives;
  bool ran = false;
  {
    ov::RuntimeOptions options;
    options.reach = GetParam();
    ov::Runtime runtime(options);
    auto use = runtime.use();
    auto p = runtime.machine().make<Juggler>();
    auto silent = [&] { return ov::start(p)->when_opened(); };
    call = silent();
    then = silent().then([&](int n) {
      ran = true;
      return n;
    });
    coroutine = awaits_two(p, Alive(alive));
    std::vector<ov::future<int>> several;
    several.push_back(silent());
    several.push_back(awaits(silent(), Alive(alive)));
    all = ov::when_all(std::move(several));
    of_promise = awaits(outlives.get_future(), Alive(alive)).then([&](int n) {
      ran = true;
      return n;
    });
    EXPECT_FALSE(call.ready() || then.ready() || coroutine.ready() || all.ready() || of_promise.ready());
  }
  try {
    call.get();
    FAIL();
  } catch (const ov::gone_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the Runtime ended before"));
  }
  EXPECT_THROW(then.get(), ov::gone_error);
  EXPECT_THROW(coroutine.get(), ov::gone_error);
  EXPECT_THROW(all.get(), ov::gone_error);
  outlives.set_value(1);
  EXPECT_THROW(of_promise.get(), ov::gone_error) << "nobody runs it any more, wherever the promise is kept";
  EXPECT_EQ(alive, 0);
  EXPECT_FALSE(ran);
}

// Nothing of it is in force any more, though a Use of it is still there.
TEST_P(RuntimeEnds, WhatUsesItAfterwardsIsAnError) {
  ov::RuntimeOptions options;
  options.reach = GetParam();
  auto runtime = std::make_unique<ov::Runtime>(options);
  auto use = runtime->use();
  auto p = runtime->machine().make<Juggler>();
  runtime.reset();
  EXPECT_THROW((void)ov::start(p)->when_opened(), ov::usage_error);
  EXPECT_THROW(ov::process.make<Juggler>(), ov::usage_error);
}

INSTANTIATE_TEST_SUITE_P(Reach, RuntimeEnds, testing::Values(ov::runtime_reach::program, ov::runtime_reach::scope),
                         [](const auto& each) { return each.param == ov::runtime_reach::program ? "Program" : "Scope"; });

}  // namespace
}  // namespace process_tests
