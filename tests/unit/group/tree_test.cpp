// SPDX-License-Identifier: Apache-2.0
// The tree of a collective, for machines that are made up (G-10), and reductions in the order of the indices (G-6).
#include "octavo/group/detail/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>

#include "octavo/group/detail/partials.hpp"

namespace octavo::detail {
namespace {

using Machines = std::vector<std::uint64_t>;

// Checks that what the members believe fits together, and gives the number of edges between machines.
std::size_t check(const Machines& machines, std::uint32_t root) {
  auto n = static_cast<std::uint32_t>(machines.size());
  std::vector<Tree> trees;
  for (std::uint32_t i = 0; i < n; ++i) trees.push_back(tree_of(machines, i, root));
  std::size_t edges = 0, between = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    EXPECT_EQ(trees[i].parent.has_value(), i != root);
    std::set<std::uint32_t> below;
    for (const auto& branch : trees[i].branches) {
      ++edges;
      between += machines[i] != machines[branch.child] ? 1 : 0;
      EXPECT_EQ(trees[branch.child].parent, i);
      std::set<std::uint32_t> its{branch.child};
      for (const auto& lower : trees[branch.child].branches) its.insert(lower.members.begin(), lower.members.end());
      EXPECT_EQ(its, std::set<std::uint32_t>(branch.members.begin(), branch.members.end()));
      EXPECT_EQ(its.size(), branch.members.size()) << "nobody twice";
      below.insert(its.begin(), its.end());
    }
    EXPECT_TRUE(i != root || below.size() == n - 1);
  }
  EXPECT_EQ(edges, n - 1u);
  return between;
}

TEST(Tree, EveryMemberIsReachedOnce) {
  for (std::uint32_t n = 1; n <= 33; ++n)
    for (std::uint32_t root = 0; root < n; ++root) EXPECT_EQ(check(Machines(n, 5), root), 0u);
}

TEST(Tree, G10_BetweenMachinesOneEdgeAMachine) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    Machines machines(1 + random() % 40);
    for (auto& each : machines) each = random() % (1 + random() % 6);
    std::set<std::uint64_t> names(machines.begin(), machines.end());
    EXPECT_EQ(check(machines, static_cast<std::uint32_t>(random() % machines.size())), names.size() - 1);
  }
}

TEST(Tree, ItIsFlatEnough) {
  Tree root = tree_of(Machines(64, 1), 0, 0);
  EXPECT_EQ(root.branches.size(), 6u);
  EXPECT_EQ(root.branches.back().members.size(), 32u);
  Tree lead = tree_of(Machines{7, 7, 9, 9}, 2, 0);
  EXPECT_EQ(lead.parent, 0u);
  ASSERT_EQ(lead.branches.size(), 1u);
  EXPECT_EQ(lead.branches[0].members, std::vector<std::uint32_t>{3});
}

TEST(Partials, G6_OperandsAreJoinedInTheOrderOfTheIndicesHoweverTheyCome) {
  std::mt19937 random(3);
  auto join = [](const std::string& a, const std::string& b) { return a + b; };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::uint32_t> order(1 + random() % 20);
    std::string expected;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      order[i] = i;
      expected += static_cast<char>('a' + i);
    }
    std::shuffle(order.begin(), order.end(), random);
    Partials<std::string, decltype(join)> partials(join);
    for (auto i : order) partials.add({i, i + 1, std::string(1, static_cast<char>('a' + i))});
    ASSERT_EQ(partials.list().size(), 1u);
    EXPECT_EQ(partials.list().front().value, expected);
  }
}

}  // namespace
}  // namespace octavo::detail
