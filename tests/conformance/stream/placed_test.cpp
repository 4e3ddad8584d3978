// SPDX-License-Identifier: Apache-2.0
// The same streams with stages in processes: ST-1 to ST-4.
#include <signal.h>
#include <unistd.h>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

struct Pid {
  int svc(int /*item*/) const { return getpid(); }
};
struct Dies {
  int svc(int item) const {
    if (item == 20) raise(SIGKILL);
    return item;
  }
};
struct Stuck {
  int svc(int item) const {
    while (item == 1) pause();
    return item;
  }
};

class PlacedPipeline : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog_{60};
  ov::Runtime runtime_;
};

TEST_F(PlacedPipeline, ST1_TheSameTextByItsPlaceAlone) {
  const auto items = numbers(500);
  for (const ov::Place& place : {ov::thread, ov::process}) {
    EXPECT_EQ(all_of(ov::pipeline(items, ov::farm<Repeat>().workers(2).on(place), ov::stage<Times>(1).on(place))), repeated(items));
    EXPECT_EQ(sorted(all_of(ov::pipeline(items, ov::farm<Times>(1).workers(2).on(place).unordered()))), items);
    int sum = 0;
    ov::pipeline(items, ov::stage([](int x) { return 2 * x; }).on(place), [&](int x) { sum += x; }).run();
    EXPECT_EQ(sum, 500 * 499);
  }
}

TEST_F(PlacedPipeline, ST1_AFarmOfAPipelineRunsItsStagesInEachProcess) {
  const auto inner = ov::pipeline(
      ov::stage<Repeat>(), [](int x) { return x + 1; }, ov::stage<Times>(2));
  std::vector<int> expected;
  for (int x : repeated(numbers(300))) expected.push_back(2 * (x + 1));
  EXPECT_EQ(all_of(ov::pipeline(numbers(300), ov::farm(inner).workers(2).on(ov::process))), expected);
}

TEST_F(PlacedPipeline, ST1_ResultsMayBeBool) {
  const auto is_even = [](int x) { return x % 2 == 0; };
  int even = 0;
  ov::pipeline(numbers(101), ov::farm(is_even).workers(2).on(ov::process), [&](bool x) { even += x ? 1 : 0; }).run();
  EXPECT_EQ(even, 51);
}

TEST_F(PlacedPipeline, ST1_WorkersAreProcessesOfTheirOwn) {
  const auto pids = all_of(ov::pipeline(numbers(100), ov::farm<Pid>().workers(2).on({ov::process, ov::process})));
  for (int pid : pids) EXPECT_NE(pid, getpid());
}

TEST_F(PlacedPipeline, ST3_AllBeforeTheFailingItemIsDeliveredThenTheErrorAsItIs) {
  for (int at : {0, 55, 299}) {
    std::vector<int> got;
    try {
      ov::pipeline(numbers(300), ov::farm<FailsAt>(at).workers(2).on(ov::process), [&](int x) { got.push_back(x); }).run();
      ADD_FAILURE() << "it was to throw";
    } catch (const std::domain_error& error) {
      EXPECT_NE(ov::origin(error), nullptr);
    }
    EXPECT_EQ(got, numbers(at));
  }
}

TEST_F(PlacedPipeline, ST3_AWorkerThatDiesEndsTheStream) {
  std::vector<int> got;
  EXPECT_THROW(ov::pipeline(numbers(300), ov::farm<Dies>().workers(2).on(ov::process), [&](int x) { got.push_back(x); }).run(), ov::process_died);
  EXPECT_EQ(got, numbers(static_cast<int>(got.size())));
  EXPECT_LE(got.size(), 20);
}

TEST_F(PlacedPipeline, ST4_AWorkerThatDoesNotAnswerIsEnded) {
  for (int x : ov::pipeline(numbers(300), ov::stage<Stuck>().on(ov::process)))
    if (x == 0) break;
  while (runtime_.processes().size() != 1) std::this_thread::yield();  // the program is left; the watchdog bounds it
}

}  // namespace
}  // namespace stream_tests
