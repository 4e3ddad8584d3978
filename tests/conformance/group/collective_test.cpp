// SPDX-License-Identifier: Apache-2.0
// The collectives (include/octavo/group/self.hpp), clause by clause, on every place.
#include <filesystem>

#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"

namespace group_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Collectives : public process_tests::EveryPlace {
 protected:
  // What each member's call threw, as text.
  template <class E, class Value>
  std::vector<std::string> errors_of(std::vector<ov::future<Value>>& started) {
    std::vector<std::string> texts;
    for (auto& one : started) {
      try {
        one.get();
        texts.emplace_back("nothing");
      } catch (const E& e) {
        texts.emplace_back(e.what());
      }
    }
    return texts;
  }
  void check_all(std::size_t n) {
    auto g = ov::make_group<Player>(here, n);
    std::string twice, minus, names;
    for (std::size_t i = 0; i < n; ++i) {
      twice += std::to_string(2 * i) + " ";
      minus += (i == 0 ? "" : "-") + std::to_string(i) + " ";
      names += std::to_string(i) + ",";
    }
    for (std::size_t root : {std::size_t{0}, n / 2, n - 1}) {
      auto came = g->try_all(root);
      ASSERT_EQ(came.size(), n);
      for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::string> expected{
            std::to_string(100 + root), std::to_string(i * i), i == root ? twice : "", minus, i == root ? names : "nothing", names};
        EXPECT_EQ(came[i], expected) << "member " << i << " of " << n << ", root " << root;
      }
    }
    for (const auto& p : g) ov::destroy(p);
  }
};

TEST_P(Collectives, G5_G6_EachKindForGroupsOfManySizes) {
  for (std::size_t n : {1, 2, 3, 5, 8, 13}) check_all(n);
}

TEST_P(Collectives, G5_G6_SixtyFourMembers) { check_all(64); }

TEST_P(Collectives, G6_VectorsAreReducedElementByElementInPieces) {
  for (std::size_t n : {1, 3, 4}) {
    auto g = ov::make_group<Player>(here, n);
    for (std::size_t length : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{32768}, std::size_t{100001}}) {
      double factor = static_cast<double>(n * (n + 1)) / 2;
      double expected = length == 0 ? 0 : static_cast<double>(length - 1) * factor;
      EXPECT_EQ(g->reduce_vector(length), std::vector<double>(n, expected)) << n << " members, " << length << " elements";
    }
  }
}

TEST_P(Collectives, G6_VectorsOfOtherLengthsAreAnErrorAtAll) {
  auto g = ov::make_group<Player>(here, 3, ov::each(std::vector<int>{0, 0, 1}));
  std::vector<ov::future<double>> started;
  for (const auto& p : g) started.push_back(ov::start(p)->reduce_vector(10));
  for (const auto& text : errors_of<ov::usage_error>(started)) EXPECT_THAT(text, AllOf(HasSubstr("[10]"), HasSubstr("[11]"), HasSubstr("member 2")));
}

TEST_P(Collectives, ARootThatIsNoMemberIsNamedAsItWasWritten) {
  auto g = ov::make_group<Player>(here, 2);
  for (const auto& [root, text] : {std::pair(static_cast<std::size_t>(-1), "root -1 of a group of 2"), std::pair(std::size_t{2}, "root 2 of a group of 2")})
    try {
      g->try_all(root);
      FAIL();
    } catch (const ov::usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(text));
    }
}

TEST_P(Collectives, G7_MembersThatCallDifferentCollectivesAreNamed) {
  struct Case {
    const char *mine, *theirs, *my_name, *their_name;
  };
  auto g = ov::make_group<Player>(here, 5);
  for (const Case& each :
       {Case{"barrier", "reduce", "barrier", "reduce of int"}, Case{"all_gather", "barrier", "all_gather", "barrier"},
        Case{"broadcast 0", "broadcast double", "broadcast of int", "broadcast of double"}, Case{"reduce", "broadcast 0", "reduce", "broadcast"},
        Case{"broadcast last", "broadcast 0", "from 4", "from 0"}, Case{"gather last", "scatter 0", "gather", "scatter"},
        Case{"scan", "exclusive_scan", "scan of int", "exclusive_scan of int"}, Case{"all_to_all", "all_gather", "all_to_all", "all_gather"},
        Case{"scan", "all_to_all", "scan", "all_to_all"}, Case{"barrier", "scan", "barrier", "scan"}}) {
    for (std::size_t who : {0, 3, 4}) {
      auto named = AllOf(HasSubstr(each.my_name), HasSubstr(each.their_name), HasSubstr("member " + std::to_string(who)));
      std::vector<ov::future<void>> started;
      for (const auto& p : g) started.push_back(ov::start(p)->one_differs(each.mine, who, each.theirs));
      std::size_t unhurt = 0;
      for (const auto& text : errors_of<ov::usage_error>(started)) {
        if (text == "nothing") ++unhurt;  // it had all it needed
        else EXPECT_THAT(text, named);
      }
      if (unhurt < g.size()) continue;
      // They all gave and left before anybody was given the wrong thing: the next collective tells.
      try {
        g->barrier();
        FAIL() << each.mine << ", member " << who << ": " << each.theirs;
      } catch (const ov::usage_error& e) {
        EXPECT_THAT(e.what(), named);
      }
    }
  }
  EXPECT_EQ(g->play(1, 10), model_of_play(1, 10, 5)) << "the group goes on";
}

TEST_P(Collectives, G8_WhatOneThrowsAllThrow) {
  auto g = ov::make_group<Player>(here, 6);
  std::vector<ov::future<int>> started;
  for (const auto& p : g) started.push_back(ov::start(p)->op_fails(2));
  for (const auto& text : errors_of<std::domain_error>(started)) EXPECT_THAT(text, HasSubstr("cannot add 2 and 3"));
  started.clear();
  for (const auto& p : g) started.push_back(ov::start(p)->scatter_wrong());
  for (const auto& text : errors_of<ov::usage_error>(started)) EXPECT_THAT(text, HasSubstr("scatter was given 7 values for 6 members"));
  try {
    g->op_fails(4);
    FAIL();
  } catch (const std::domain_error& e) {
    const auto* from = ov::origin(e);
    ASSERT_NE(from, nullptr);
    std::string trace;
    for (const auto& line : from->trace) trace += line + "; ";
    EXPECT_THAT(trace, AllOf(HasSubstr("all_reduce of int, member 4 of 6"), HasSubstr("as member 0 of 6")));
  }
  EXPECT_EQ(g->play(2, 10), model_of_play(2, 10, 6)) << "the group goes on";
}

TEST_P(Collectives, AFastMemberIsNotFarAhead) {
  auto g = ov::make_group<Player>(here, 3);
  EXPECT_EQ(g->ahead(1000), std::vector<double>(3, 499500.0));
}

TEST_P(Collectives, SplitMakesPartsWithIndicesOfTheirOwn) {
  auto g = ov::make_group<Player>(here, 6);
  for (int round = 0; round < 2; ++round) {
    auto came = g->split_and_sum(2);  // rows 0 2 4 and 1 3 5, columns 0 1 and 2 3 and 4 5
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(came[i], (std::vector<std::size_t>{i % 2 == 0 ? 6u : 9u, (i / 2) * 4 + 1, 2 - i / 2, i}));
  }
}

TEST_P(Collectives, G11_CallbacksRunWhileAMemberWaits) {
  auto g = ov::make_group<Player>(here, 2, ov::each(std::vector<int>{40, 50}));
  EXPECT_EQ(g[0]->ask_within(g[1], false), 40);
  EXPECT_EQ(g[1]->ask_within(g[0], true), -2) << "and may not enter the same group's";
  g->barrier();
}

TEST_P(Collectives, G10_ConnectionsAreMadeLazily) {
  constexpr std::size_t n = 64;
  auto g = ov::make_group<Player>(here, n);
  for (auto before : g->connections()) EXPECT_EQ(before, 1u) << "with the program alone";
  g->barriers(3);
  std::size_t sum = 0, most = 0;
  for (auto after : g->connections()) {
    sum += after - 1;
    most = std::max(most, after - 1);
  }
  EXPECT_EQ(sum, 2 * (n - 1)) << "a tree";
  EXPECT_LE(most, 6u);
  for (std::size_t root = 0; root < n; root += 5) g->try_all(root);
  sum = 0;
  for (auto after : g->connections()) sum += after - 1;
  EXPECT_LE(sum, n * 2 * 6) << "far from each with each (" << n * (n - 1) << ")";
}

INSTANTIATE_TEST_SUITE_P(, Collectives, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(By, Collectives, process_tests::every_link, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
