// SPDX-License-Identifier: Apache-2.0
#include "octavo/group/detail/tree.hpp"

#include <algorithm>
#include <utility>

namespace octavo::detail {

namespace {

// A binomial tree over positions 0..n-1, turned so that `first` is its root. The rank is the distance from it; a rank's parent is itself
// without its lowest bit, and below rank r are those up to the next multiple of that bit.
class Binomial {
 public:
  Binomial(std::size_t n, std::size_t first) : n_(n), first_(first) {}
  [[nodiscard]] std::size_t parent(std::size_t position) const {
    std::size_t rank = rank_of(position);
    return at(rank & (rank - 1));
  }
  [[nodiscard]] std::vector<std::size_t> children(std::size_t position) const {
    std::vector<std::size_t> found;
    std::size_t rank = rank_of(position), bound = rank == 0 ? n_ : rank & (~rank + 1);
    for (std::size_t bit = 1; bit < bound && rank + bit < n_; bit *= 2) found.push_back(at(rank + bit));
    return found;
  }
  // All below a position that is not the root, itself included.
  [[nodiscard]] std::vector<std::size_t> below(std::size_t position) const {
    std::vector<std::size_t> found;
    std::size_t rank = rank_of(position), end = std::min(n_, rank + (rank & (~rank + 1)));
    for (; rank < end; ++rank) found.push_back(at(rank));
    return found;
  }

 private:
  [[nodiscard]] std::size_t rank_of(std::size_t position) const { return (position + n_ - first_) % n_; }
  [[nodiscard]] std::size_t at(std::size_t rank) const { return (rank + first_) % n_; }
  std::size_t n_, first_;
};

using Members = std::vector<std::uint32_t>;

// The members of each machine, in the order of their first ones.
std::vector<Members> by_machine(std::span<const std::uint64_t> machines) {
  std::vector<std::pair<std::uint64_t, Members>> found;
  for (std::uint32_t i = 0; i < machines.size(); ++i) {
    auto at = std::find_if(found.begin(), found.end(), [&](const auto& each) { return each.first == machines[i]; });
    if (at == found.end()) at = found.insert(found.end(), {machines[i], {}});
    at->second.push_back(i);
  }
  std::vector<Members> lists;
  lists.reserve(found.size());
  for (auto& [machine, members] : found) lists.push_back(std::move(members));
  return lists;
}

std::size_t index_in(const Members& list, std::uint32_t member) { return static_cast<std::size_t>(std::find(list.begin(), list.end(), member) - list.begin()); }

}  // namespace

Tree tree_of(std::span<const std::uint64_t> machines, std::uint32_t member, std::uint32_t root) {
  auto lists = by_machine(machines);
  auto machine_of = [&](std::uint32_t who) {
    return static_cast<std::size_t>(std::find_if(lists.begin(), lists.end(), [&](const Members& list) { return machines[list.front()] == machines[who]; }) -
                                    lists.begin());
  };
  std::size_t mine = machine_of(member), roots = machine_of(root);
  const Members& local = lists[mine];
  auto leader_of = [&](std::size_t machine) { return machine == roots ? root : lists[machine].front(); };

  Tree tree;
  Binomial within(local.size(), index_in(local, leader_of(mine))), between(lists.size(), roots);
  std::size_t position = index_in(local, member);
  for (std::size_t child : within.children(position)) {
    tree.branches.push_back({local[child], {}});
    for (std::size_t each : within.below(child)) tree.branches.back().members.push_back(local[each]);
  }
  if (member != leader_of(mine)) {
    tree.parent = local[within.parent(position)];
    return tree;
  }
  if (mine != roots) tree.parent = leader_of(between.parent(mine));
  for (std::size_t child : between.children(mine)) {
    tree.branches.push_back({leader_of(child), {}});
    for (std::size_t machine : between.below(child))
      tree.branches.back().members.insert(tree.branches.back().members.end(), lists[machine].begin(), lists[machine].end());
  }
  return tree;
}

}  // namespace octavo::detail
