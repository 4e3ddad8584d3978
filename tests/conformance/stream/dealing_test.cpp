// SPDX-License-Identifier: Apache-2.0
// Which worker of a farm has an item: ST-7; and ST-3 where that goes wrong.
#include <map>
#include <mutex>
#include <set>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

using testing::ElementsAre;

// Which worker it is, as they come to life.
struct Who {
  static inline std::atomic<int> made = 0;
  int me = made++;
  std::pair<int, int> svc(int item) const { return {item, me}; }
};
using Done = std::vector<std::pair<int, int>>;

template <class Stream>
Done pairs_of(const Stream& stream) {
  Done all;
  for (auto each : stream) all.push_back(each);
  return all;
}
std::vector<int> firsts(const Done& done) {
  std::vector<int> all;
  for (const auto& [item, worker] : done) all.push_back(item);
  return all;
}
// How many workers had items of each remainder.
std::map<int, std::set<int>> workers_by_remainder(const Done& done, int by) {
  std::map<int, std::set<int>> found;
  for (const auto& [item, worker] : done) found[item % by].insert(worker);
  return found;
}

class Dealing : public testing::TestWithParam<std::uint64_t> {
 protected:
  [[nodiscard]] ov::StreamBound bound() const { return {.items = GetParam()}; }
  ov::kit::Watchdog watchdog_{60};
};

TEST_P(Dealing, ST7_RoundRobinDealsInTurn) {
  const auto done = pairs_of(ov::pipeline(numbers(3000), ov::farm<Who>().workers(3).bound(bound()).round_robin()));
  EXPECT_EQ(firsts(done), numbers(3000));
  for (const auto& [remainder, workers] : workers_by_remainder(done, 3)) EXPECT_EQ(workers.size(), 1) << remainder;
}

TEST_P(Dealing, ST7_ItemsOfOneKeyGoToOneWorkerAndStayInOrder) {
  const auto last_digit = [](int item) { return std::to_string(item % 10); };
  const auto done = pairs_of(ov::pipeline(numbers(3000), ov::farm<Who>().workers(4).by(last_digit).bound(bound())));
  EXPECT_EQ(firsts(done), numbers(3000));
  for (const auto& [remainder, workers] : workers_by_remainder(done, 10)) EXPECT_EQ(workers.size(), 1) << remainder;
  std::map<int, int> last;
  for (const auto& [item, worker] : pairs_of(ov::pipeline(numbers(3000), ov::farm<Who>().workers(4).by(last_digit).bound(bound()).unordered()))) {
    EXPECT_LE(last[item % 10], item);
    last[item % 10] = item;
  }
}

TEST_P(Dealing, ST7_BroadcastGivesEachItemToAll) {
  EXPECT_THAT(all_of(ov::pipeline(numbers(3), ov::farm<Times>(2).workers(2).broadcast().bound(bound()))), ElementsAre(0, 0, 2, 2, 4, 4));
  std::vector<std::vector<int>> gathered;
  for (auto each : ov::pipeline(numbers(200), ov::farm<Times>(2).workers(3).broadcast().gather().bound(bound()))) gathered.push_back(each);
  ASSERT_EQ(gathered.size(), 200);
  for (int i = 0; i < 200; ++i) EXPECT_THAT(gathered[static_cast<std::size_t>(i)], ElementsAre(2 * i, 2 * i, 2 * i));
  EXPECT_THAT(sorted(all_of(ov::pipeline(numbers(3), ov::farm<Repeat>().workers(2).broadcast().unordered().bound(bound())))), ElementsAre(1, 1, 2, 2, 2, 2));
}

TEST_P(Dealing, ST7_ScatterGivesEachWorkerItsPart) {
  const auto digits = [](int item, std::size_t workers) {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < workers; ++i) parts.push_back(std::to_string(item) + std::to_string(i));
    return parts;
  };
  const auto read = [](const std::string& text) { return std::stoi(text); };
  EXPECT_THAT(all_of(ov::pipeline(numbers(3), ov::farm(read).workers(2).scatter(digits).bound(bound()))), ElementsAre(0, 1, 10, 11, 20, 21));
  int sum = 0;
  ov::pipeline(numbers(3), ov::farm(read).workers(2).scatter(digits).gather().bound(bound()), [&](const std::vector<int>& parts) {
    sum += parts[0] * parts[1];
  }).run();
  EXPECT_EQ(sum, 0 * 1 + 10 * 11 + 20 * 21);
}

// Behind a farm whose results are bunches, too.
TEST_P(Dealing, ST7_AResultMayNameTheWorkerThatHasIt) {
  const auto named = [](int item, ov::emit<ov::To<int>>& out) {
    out.to(static_cast<std::size_t>(item % 3), item);
    out({2, item + 3000});
  };
  const auto done = pairs_of(ov::pipeline(numbers(600), ov::farm(named).workers(2), ov::farm<Who>().workers(3).bound(bound())));
  ASSERT_EQ(done.size(), 1200);
  std::set<int> second;
  std::map<int, std::set<int>> first;
  for (const auto& [item, worker] : done) (item < 3000 ? first[item % 3] : second).insert(worker);
  for (const auto& [remainder, workers] : first) EXPECT_EQ(workers.size(), 1) << remainder;
  EXPECT_EQ(second, first[2]);
}

TEST_P(Dealing, ST3_AllBeforeTheFailingItemIsDeliveredWhoeverHasIt) {
  for (int at : {0, 1, 77, 499}) {
    std::vector<int> got;
    const auto s = ov::pipeline(numbers(500), ov::farm<FailsAt>(at).workers(3).round_robin().bound(bound()), [&](int x) { got.push_back(x); });
    EXPECT_THROW(s.run(), std::domain_error);
    EXPECT_EQ(got, numbers(at));
  }
}

TEST_P(Dealing, ST3_AFunctionThatDealsWronglyEndsTheStream) {
  std::vector<int> got;
  const auto key = [](int item) { return item == 50 ? throw std::domain_error("key") : item; };
  auto soon = ov::start(ov::pipeline(numbers(100), ov::farm<Times>(1).workers(2).by(key).named("by key").bound(bound()), [&](int x) { got.push_back(x); }));
  EXPECT_THROW(soon.get(), std::domain_error);
  EXPECT_EQ(soon.report().failed_stage, "by key");
  EXPECT_EQ(soon.report().failed_item, 50);
  EXPECT_EQ(got, numbers(50));
  const auto too_few = [](int item, std::size_t) { return std::vector{item}; };
  EXPECT_THROW(all_of(ov::pipeline(numbers(9), ov::farm<Times>(1).workers(2).scatter(too_few))), ov::usage_error);
  const auto nobody = [](int item) { return ov::To<int>{7, item}; };
  EXPECT_THROW(all_of(ov::pipeline(numbers(9), nobody, ov::farm<Times>(1).workers(2))), ov::usage_error);
}

TEST_P(Dealing, ST4_AConsumerThatStopsEndsAnEndlessStream) {
  const auto endless = [n = 0]() mutable -> std::optional<int> { return n++; };
  int last = 0;
  for (int x : ov::pipeline(endless, ov::farm<Times>(1).workers(2).round_robin().bound(bound()), ov::farm<Times>(1).workers(2).broadcast()))
    if ((last = x) >= 100) break;
  EXPECT_EQ(last, 100);
}

TEST_P(Dealing, ST6_InlinedGivesTheSame) {
  const auto parts = [](int item, std::size_t workers) { return std::vector<int>(workers, item); };
  const auto sum = [](const std::vector<int>& all) { return std::accumulate(all.begin(), all.end(), 0); };
  const auto s = ov::pipeline(ov::farm<Times>(3).workers(2).round_robin().bound(bound()), ov::farm<Times>(1).workers(2).scatter(parts).gather(), sum,
                              ov::farm<Repeat>().workers(2).broadcast());
  std::vector<int> inlined;
  auto sink = [&](int x) { inlined.push_back(x); };
  ov::pipeline(s, sink).inlined().run(numbers(50));
  EXPECT_EQ(inlined, all_of(s(numbers(50))));
}

INSTANTIATE_TEST_SUITE_P(Bounds, Dealing, testing::Values(1, 2, 3, 256));

TEST(PlacedDealing, ST7_TheSameInProcesses) {
  ov::kit::Watchdog watchdog(60);
  const ov::Runtime runtime;
  EXPECT_EQ(all_of(ov::pipeline(numbers(200), ov::farm<Times>(1).workers(2).on(ov::process).round_robin())), numbers(200));
  std::vector<int> got;
  EXPECT_THROW(ov::pipeline(numbers(200), ov::farm<FailsAt>(60).workers(2).on(ov::process).round_robin(), [&](int x) { got.push_back(x); }).run(),
               std::domain_error);
  EXPECT_EQ(got, numbers(60));
  EXPECT_THAT(all_of(ov::pipeline(numbers(3), ov::farm<Times>(2).workers(2).on(ov::process).broadcast())), ElementsAre(0, 0, 2, 2, 4, 4));
}

TEST(Unbounded, ST2_TakesWhatComesUpToItsMemoryAndThenNamesTheStage) {
  ov::kit::Watchdog watchdog(60);
  std::atomic<bool> all_made = false;
  const auto source = [&, made = 0]() mutable -> std::optional<int> {
    if (made == 50'000) all_made = true;
    return made < 50'000 ? std::optional(made++) : std::nullopt;
  };
  const auto waits = [&](int item) {
    while (!all_made) std::this_thread::yield();
    return item;
  };
  EXPECT_EQ(all_of(ov::pipeline(source, ov::farm(waits).workers(2).unbounded(), ov::stage<Times>(1).unbounded())), numbers(50'000));
  // The stage goes on when an item was refused, which is the first that is dropped.
  std::atomic<bool> dropped = false;
  using Item = std::shared_ptr<int>;
  const auto endless = [&]() -> std::optional<Item> {
    return Item(new int, [&](const int* item) {
      dropped = true;
      delete item;
    });
  };
  const auto stuck = [&](const Item& /*item*/) {
    while (!dropped) std::this_thread::yield();
    return 0;
  };
  auto soon = ov::start(ov::pipeline(endless, ov::stage(stuck).named("stuck").unbounded(1 << 16)));
  try {
    soon.get();
    ADD_FAILURE() << "it was to throw";
  } catch (const ov::refused& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("before stage 'stuck'"));
  }
}

}  // namespace
}  // namespace stream_tests
