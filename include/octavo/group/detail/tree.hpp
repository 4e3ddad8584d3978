// SPDX-License-Identifier: Apache-2.0
// Which member sends to which in a collective: a tree over the members in which each machine has one leader, so that between two machines a value goes
// once each way, never once per member. Within a machine, and between the leaders, the tree is binomial.
//
//   Tree tree = tree_of(std::vector<std::uint64_t>{7, 7, 9, 9}, 2, 0);     // of member 2, root 0: its parent is 0, it is the leader of 9, with the branch {3}
//
// The root leads its machine; elsewhere the first member does. Whatever the root, a member of n has to do with at most 2 log2(n) others
// of its machine. Threading: pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octavo::detail {

struct Tree {
  struct Branch {
    std::uint32_t child = 0;
    std::vector<std::uint32_t> members;  // the child and all below it
  };
  std::optional<std::uint32_t> parent;  // none: this is the root
  std::vector<Branch> branches;         // small ones first; those on other machines last
};

// `machines[i]` names the machine of member i.
Tree tree_of(std::span<const std::uint64_t> machines, std::uint32_t member, std::uint32_t root);

}  // namespace octavo::detail
