// SPDX-License-Identifier: Apache-2.0
// G-16: a member that has answered a call to all takes no part in its collectives any more, and those who wait for it there hear why.
#include <functional>

#include "conformance/group/guest.hpp"
#include "octavo/process/errors.hpp"

namespace group_tests {

void collective_of_kind(const ov::member<Guest>& me, int kind, int number) {
  const std::size_t root = static_cast<std::size_t>(kind) % me.size();
  switch (kind) {
    case barrier_kind: return me.barrier();
    case 1: static_cast<void>(me.all_reduce(number, std::plus<>())); return;
    case 2: static_cast<void>(me.all_gather(number)); return;
    case 3: static_cast<void>(me.scan(number, std::plus<>())); return;
    case 4: static_cast<void>(me.all_to_all(std::vector<int>(me.size(), number))); return;
    case 5: static_cast<void>(me.broadcast(number, root)); return;
    case 6: static_cast<void>(me.reduce(number, std::plus<>(), root)); return;
    case 7: static_cast<void>(me.gather(number, root)); return;
    case 8: static_cast<void>(me.scatter(std::vector<int>(me.size(), number), root)); return;
    default: me.split(number % 2).barrier();
  }
}

int Guest::dine(const std::vector<int>& kinds, Leaving leaving) const {
  auto me = ov::self<Guest>();
  for (int i = 0; i < static_cast<int>(kinds.size()); ++i) {
    if (i == leaving.at && leaving.throws) fail();
    if (i == leaving.at) return -1;
    collective_of_kind(me, kinds[static_cast<std::size_t>(i)], number_);
  }
  return number_;
}

void Guest::dine_on_and_keep(int collectives, Leaving leaving) {
  kept_.clear();
  kept_ = dine_on(collectives, leaving);
}

std::vector<std::string> Guest::dine_on(int collectives, Leaving leaving) const {
  std::vector<std::string> said;
  for (int i = 0; i < collectives; ++i) {
    if (i == leaving.at && leaving.throws) fail();
    if (i == leaving.at) return said;
    try {
      meet();
      said.emplace_back();
    } catch (const std::domain_error& e) {
      said.emplace_back(e.what());
    }
  }
  return said;
}

ov::future<int> Guest::come_late(bool fails) {
  int more = co_await door_.get_future();
  if (fails) fail();
  meet();
  co_return number_ + more;
}

void Guest::sit_down() {
  auto me = ov::self<Guest>();
  table_ = me.split(static_cast<std::int64_t>(me.index()) / 2);
}
int Guest::sum_of_table(bool leaves) const {
  if (leaves) fail();
  return table_->all_reduce(number_, std::plus<>());
}

int Guest::invite(const ov::group<Guest>& others, const std::vector<int>& kinds, const std::vector<Leaving>& leaving) const {
  try {
    others->dine(kinds, ov::each(leaving));
    return -1;
  } catch (const std::domain_error&) {
    const auto sums = others->sum();
    return sums.front();
  }
}

namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

class LeftOut : public process_tests::EveryPlace {
 protected:
  ov::kit::Watchdog shorter_than_the_patience{50};
  // Member i has number 1 << i.
  [[nodiscard]] ov::group<Guest> guests(std::size_t n) const {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(1 << i);
    return ov::make_group<Guest>(here, n, ov::each(numbers));
  }
  static std::vector<Leaving> one_leaves(std::size_t n, std::size_t who, Leaving how) {
    std::vector<Leaving> all(n);
    all[who] = how;
    return all;
  }
  static void expect_whole(const ov::group<Guest>& g) { EXPECT_EQ(g->sum(), std::vector<int>(g.size(), (1 << g.size()) - 1)); }
};

TEST_P(LeftOut, G16_TheErrorOfAMemberThatThrewBeforeIsTheCauseAndTheGroupGoesOn) {
  for (const int kind : {0, 1, 2, 3, 4}) {
    for (const std::size_t who : {0, 2, 3}) {
      const auto g = guests(4);
      const auto leaving = ov::each(one_leaves(4, who, {.at = 1, .throws = true}));
      const std::vector<int> kinds{kind, kind, 0};
      for (int way = 0; way < 3; ++way) {
        try {
          if (way == 0) static_cast<void>(g->dine(kinds, leaving));
          if (way == 1) static_cast<void>(ov::start(g)->dine(kinds, leaving).get());
          if (way == 2) static_cast<void>(ov::call<&Guest::dine>(g, kinds, leaving));
          ADD_FAILURE() << "nobody heard of it";
        } catch (const std::domain_error& e) {
          EXPECT_EQ(std::string(e.what()), "bad data of " + std::to_string(1 << who));
          if (who != 0) {
            std::string trace;
            for (const auto& line : ov::origin(e)->trace) trace += line + "; ";
            EXPECT_THAT(trace, AllOf(HasSubstr("to which member"), HasSubstr("did not come")));
          }
        }
        expect_whole(g);
      }
    }
  }
}

TEST_P(LeftOut, G16_AllWhoWaitHearOfIt) {
  const auto g = guests(5);
  try {
    static_cast<void>(g->dine_on(3, ov::each(one_leaves(5, 3, {.at = 1, .throws = false}))));
    ADD_FAILURE();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("member 3 has returned"), HasSubstr("without calling barrier")));
  }
  expect_whole(g);
  // Those that catch it hear of it in each later one, too.
  const auto leaving = one_leaves(5, 3, {.at = 1, .throws = true});
  auto all = ov::start(g)->dine_on_and_keep(3, ov::each(leaving));
  EXPECT_THROW(all.get(), std::domain_error) << "its own";
  for (const std::size_t i : {0, 1, 2, 4}) EXPECT_THAT(g[i]->kept(), testing::ElementsAre("", "bad data of 8", "bad data of 8"));
  expect_whole(g);
}

TEST_P(LeftOut, G16_ACallOfOneMemberAloneIsNone) {
  const auto g = guests(3);
  std::vector<ov::future<void>> waiting;
  for (const std::size_t i : {0, 1}) waiting.push_back(ov::start(g[i])->meet());
  EXPECT_EQ(g[2]->number(), 4);
  EXPECT_THROW(g[2]->fail(), std::domain_error);
  EXPECT_FALSE(waiting[0].wait_for(milliseconds(300))) << "it has been asked several times";
  EXPECT_FALSE(waiting[1].ready());
  EXPECT_EQ(g[2]->number(), 4);
  waiting.push_back(ov::start(g[2])->meet());
  for (auto& each : waiting) EXPECT_NO_THROW(each.get());
  expect_whole(g);
}

TEST_P(LeftOut, G16_OneThatAnswersWhenAFutureIsReadyIsWaitedForUntilThen) {
  for (const int fails : {1, 0}) {
    const auto g = guests(3);
    auto all = ov::start(g)->come_late(ov::each(std::vector<int>{0, fails, 0}));
    for (const std::size_t i : {0, 2}) g[i]->open();
    EXPECT_FALSE(all.wait_for(milliseconds(300)));
    g[1]->open();
    if (fails != 0) EXPECT_THROW(all.get(), std::domain_error);
    else EXPECT_EQ(all.get(), (std::vector<int>{1, 2, 4}));
    expect_whole(g);
  }
}

TEST_P(LeftOut, G16_PartsThatAreKeptGoOnToo) {
  const auto g = guests(6);
  g->sit_down();
  for (int round = 0; round < 5; ++round) {
    std::vector<int> leaves(6);
    leaves[static_cast<std::size_t>(round)] = 1;
    EXPECT_THROW(static_cast<void>(g->sum_of_table(ov::each(leaves))), std::domain_error);
    EXPECT_EQ(g->sum_of_table(false), (std::vector<int>{3, 3, 12, 12, 48, 48})) << "after round " << round;
  }
  expect_whole(g);
}

TEST_P(LeftOut, G16_OfACallToAllWithinAMethod) {
  const auto g = guests(4);
  const auto host = here.make<Guest>(0);
  for (std::size_t who = 0; who < 4; ++who)
    EXPECT_EQ(host->invite(g, std::vector<int>{0, 1, 2}, one_leaves(4, who, {.at = static_cast<int>(who) % 3, .throws = true})), 15);
}

// The text of each error that the call to all may throw; none if it must not throw. One that returns early may do so after one that returned earlier, and not
// have needed it.
std::vector<std::string> errors_of(const std::vector<Leaving>& leaving, const std::vector<int>& numbers, bool& must) {
  std::vector<std::string> may;
  bool stays = false, throws = false;
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    if (leaving[i].at < 0) stays = true;
    else if (leaving[i].throws) may.push_back("bad data of " + std::to_string(numbers[i]));
    else may.push_back("member " + std::to_string(i) + " has returned");
    throws = throws || (leaving[i].at >= 0 && leaving[i].throws);
  }
  must = throws || (stays && !may.empty());
  return may;
}

std::string text_of(const std::vector<Leaving>& leaving) {
  std::string text;
  for (const auto& each : leaving) text += (each.at < 0 ? "stays" : (each.throws ? "throws at " : "returns at ") + std::to_string(each.at)) + ", ";
  return text;
}

TEST_P(LeftOut, G16_RandomMembersLeaveAtRandomCollectives) {
  constexpr int rounds = 100;
  for (const std::size_t n : {2, 3, 5}) {
    std::vector<ov::Place> places{here};
    if (n == 5) places = {here, ov::thread, ov::process};
    std::vector<int> numbers;
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(1 << i);
    const auto g = ov::make_group<Guest>(places, n, ov::each(numbers));
    std::mt19937_64 random(n);
    struct Round {
      std::vector<int> kinds;
      std::vector<Leaving> leaving;
      ov::future<std::vector<int>> all;
    };
    for (int round = 0; round < rounds; ++round) {
      // Some at once: what is left of one that failed is not taken for the next one's.
      std::vector<Round> at_once(1 + random() % 3);
      for (auto& each : at_once) {
        const auto length = 1 + random() % 4;
        for (std::size_t i = 0; i < length; ++i) each.kinds.push_back(static_cast<int>(random() % kinds_of_collectives));
        each.kinds.push_back(barrier_kind);
        for (std::size_t i = 0; i < n; ++i)
          each.leaving.push_back(random() % 3 != 0 ? Leaving{} : Leaving{.at = static_cast<int>(random() % (length + 1)), .throws = random() % 2 == 0});
        each.all = ov::start(g)->dine(each.kinds, ov::each(each.leaving));
      }
      for (auto& each : at_once) {
        bool must = false;
        const auto may = errors_of(each.leaving, numbers, must);
        try {
          const auto came = each.all.get();
          EXPECT_FALSE(must) << "round " << round;
          for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(came[i], each.leaving[i].at < 0 ? numbers[i] : -1);
        } catch (const std::exception& e) {
          EXPECT_TRUE(std::any_of(may.begin(), may.end(), [&](const auto& text) { return std::string(e.what()).find(text) != std::string::npos; }))
              << "round " << round << ": " << e.what() << ", of which members: " << text_of(each.leaving);
        }
      }
      expect_whole(g);
      if (testing::Test::HasFailure()) return;
    }
    for (const auto& each : g) ov::destroy(each);
  }
}

INSTANTIATE_TEST_SUITE_P(, LeftOut, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
