// SPDX-License-Identifier: Apache-2.0
// Collectives in which each member gets something else: what those before it give together, or one value of each.
#pragma once

#include "octavo/group/detail/elementwise.hpp"

namespace octavo::detail {

// The values of runs of neighbouring members go up the tree as in a reduction, and down it comes what lies before each of them.
template <class V, class Join>
class Scan {
 public:
  Scan(Collective& c, const Tree& tree, Join& join) : c_(c), tree_(tree), join_(join) {}

  // The value of all before this member; of nobody at the first.
  Partial<V> before(const V& mine) {
    collect(mine);
    return hand_down(tree_.parent ? ask_parent() : std::vector<Partial<V>>(1));
  }

 private:
  struct Run {
    Partial<V> of;
    std::size_t branch;  // that it came from; their number: it is this member
  };

  // All runs below, in the order of the indices.
  void collect(const V& mine) {
    const auto me = c_.membership().index();
    runs_.push_back({{me, me + 1, mine}, tree_.branches.size()});
    for (std::size_t i = 0; i < tree_.branches.size(); ++i)
      for (auto& each : c_.template receive<std::vector<Partial<V>>>(tree_.branches[i].child)) runs_.push_back({std::move(each), i});
    std::sort(runs_.begin(), runs_.end(), [](const Run& left, const Run& right) { return left.of.first < right.of.first; });
  }
  // What lies before each that is left when those that touch are joined.
  std::vector<Partial<V>> ask_parent() {
    Partials<V, Join> joined(join_);
    for (const auto& each : runs_) joined.add(each.of);
    c_.send(*tree_.parent, joined.list(), true);
    return c_.template receive<std::vector<Partial<V>>>(*tree_.parent);
  }
  Partial<V> hand_down(std::vector<Partial<V>> given) {
    std::vector<std::vector<Partial<V>>> down(tree_.branches.size() + 1);
    Partial<V> before;
    std::size_t next = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (i != 0 && touch(i)) extend(before, std::move(runs_[i - 1].of));
      else before = std::move(given.at(next++));
      down[runs_[i].branch].push_back(before);
    }
    for (auto i = tree_.branches.size(); i-- > 0;) c_.send(tree_.branches[i].child, down[i], true);
    return std::move(down.back().front());
  }
  [[nodiscard]] bool touch(std::size_t run) const { return runs_[run - 1].of.end == runs_[run].of.first; }
  void extend(Partial<V>& before, Partial<V> by) {
    if (before.end != 0) by.value = join_(std::move(before.value), std::move(by.value));
    before = {0, by.end, std::move(by.value)};
  }

  Collective& c_;
  const Tree& tree_;
  Join& join_;
  std::vector<Run> runs_;
};

// In turns, each time with other partners, so that no member is sent to by many at once.
template <class V>
std::vector<V> exchange_with_each(Collective& c, std::vector<V> values) {
  const auto n = c.membership().size(), me = c.membership().index();
  check_one_for_each("all_to_all", values.size(), c.membership());
  std::vector<V> came(n);
  came[me] = std::move(values[me]);
  for (std::uint32_t step = 1; step < n; ++step) {
    const auto to = (me + step) % n, from = (me + n - step) % n;
    V one = std::move(values[to]);
    c.send(to, one, true);
    came[from] = c.receive<V>(from);
  }
  return came;
}

}  // namespace octavo::detail
