// SPDX-License-Identifier: Apache-2.0
// The lists of nodes that Slurm writes (SLURM-1): known ones, and random ones that are written as Slurm would and read again.
#include "machine/engine/slurm/node_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "octavo/base/error.hpp"

namespace octavo::engine::slurm {
namespace {

using testing::ElementsAre;

TEST(NodeList, SLURM1_WhatSlurmWritesIsRead) {
  EXPECT_THAT(nodes_of("n1"), ElementsAre("n1"));
  EXPECT_THAT(nodes_of("n[1-3,7]"), ElementsAre("n1", "n2", "n3", "n7"));
  EXPECT_THAT(nodes_of("n[08-10],x,login0[1-2]"), ElementsAre("n08", "n09", "n10", "x", "login01", "login02"));
  EXPECT_THAT(nodes_of("r[0-1]c[00-01]-ib"), ElementsAre("r0c00-ib", "r0c01-ib", "r1c00-ib", "r1c01-ib"));
  EXPECT_THAT(nodes_of("n[009-011]"), ElementsAre("n009", "n010", "n011"));
  EXPECT_THAT(nodes_of("n[9-11]"), ElementsAre("n9", "n10", "n11"));
  EXPECT_THAT(nodes_of(""), ElementsAre());
}

TEST(NodeList, SLURM1_WhatIsNoneIsSaidWithWhatIsWrong) {
  for (const std::string wrong : {",", "n1,", "n1,,n2", "n[", "n[1", "n[1-", "n[1-2", "n[]", "n[a]", "n[1,]", "n]1", "n[3-1]", "n[1-2]]", "n[1[2]]", "n[1-2-3]",
                                  "n[0-999999999]", "n[99999999999]", "a[0-999]b[0-999]", "a[0-65535],b[0-65535],c[0-65535]"}) {
    try {
      (void)nodes_of(wrong);
      ADD_FAILURE() << wrong;
    } catch (const usage_error& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("is no list of Slurm's nodes"));
    }
  }
}

// Some nodes of a cluster and the list of them, in one form that Slurm may choose.
struct Listed {
  std::vector<std::string> nodes;
  std::string list;
};

std::string padded(unsigned number, std::size_t width) {
  std::string text = std::to_string(number);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

Listed random_list(std::mt19937& random) {
  Listed made;
  for (unsigned group = 0, groups = 1 + random() % 4; group < groups; ++group) {
    const std::string head = std::string(1, static_cast<char>('a' + group)) + (random() % 2 == 0 ? "node" : "-");
    const std::string tail = random() % 3 == 0 ? "-ib" : "";
    const std::size_t width = random() % 4;
    std::string inside;
    for (unsigned at = random() % 20, ranges = 1 + random() % 3; ranges > 0; --ranges) {
      const unsigned last = at + random() % 12;
      inside += (inside.empty() ? "" : ",") + padded(at, width) + (last == at ? "" : "-" + padded(last, width));
      for (; at <= last; ++at) made.nodes.push_back(head + padded(at, width) + tail);
      at += 1 + random() % 30;
    }
    made.list += (made.list.empty() ? "" : ",") + head + "[" + inside + "]" + tail;
  }
  return made;
}

TEST(NodeList, SLURM1_RandomListsAreReadAsTheyWereWritten) {
  std::mt19937 random(37);
  for (int i = 0; i < 500; ++i) {
    const auto made = random_list(random);
    ASSERT_EQ(nodes_of(made.list), made.nodes) << made.list;
  }
}

TEST(NodeList, AnyBytesAreReadOrRefused) {
  std::mt19937 random(4);
  constexpr std::string_view bytes = "ab019[],-";
  for (int i = 0; i < 3000; ++i) {
    std::string list;
    for (auto left = random() % 12; left > 0; --left) list += bytes[random() % bytes.size()];
    try {
      for (const auto& node : nodes_of(list)) EXPECT_EQ(node.find_first_of("[],"), std::string::npos) << list;
    } catch (const usage_error&) {  // what is no list
    }
  }
}

}  // namespace
}  // namespace octavo::engine::slurm
