// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <unordered_map>
#include <utility>

#include "kit/model/model.hpp"

namespace octavo::kit::model {

namespace {

struct HashOf {
  std::size_t operator()(const Digest& digest) const noexcept { return digest.hash(); }
};

}  // namespace

// Breadth first, so that the way to a fault is a short one.
template <class Memory>
struct Model<Memory>::Search {
  struct Came {
    std::uint32_t from;
    std::int8_t thread, choice;  // choice -1: Memory::late_step
  };
  Model& model;
  std::size_t threads;
  std::unordered_map<Digest, std::uint32_t, HashOf> known;
  std::deque<State> next;  // not gone on from yet
  std::vector<Came> came;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ways;
  std::vector<std::uint32_t> ends;
  Found found;

  void tidy(State& state) const {
    unsigned running = 0;
    for (std::size_t t = 0; t < threads; ++t)
      if (state.threads[t].at != end) running |= 1U << t;
    state.memory.tidy(running);
    state.rung = static_cast<std::uint8_t>(state.rung & running);
  }
  Digest digest(const State& state) const {
    Digest all;
    state.memory.add_to(all);
    for (std::size_t t = 0; t < threads; ++t) {
      const auto& each = state.threads[t];
      all.add(each.at | each.count << 8);
      for (int i = 0; i < each.count; ++i) all.add(each.seen[i]);
    }
    all.add(state.rung);
    return all;
  }

  void reach(State& state, Came how) {
    tidy(state);
    const auto [at, is_new] = known.try_emplace(digest(state), static_cast<std::uint32_t>(came.size()));
    if (!came.empty()) ways.emplace_back(how.from, at->second);
    ++found.steps;
    if (!is_new) return;
    came.push_back(how);
    next.push_back(state);
  }

  // False: a fault.
  bool go_on(const State& from, std::uint32_t at) {
    bool ended = true;
    for (int t = 0; t < static_cast<int>(threads); ++t) {
      if (from.memory.has_late(t)) {
        State to = from;
        to.memory.let_late_come(t);
        reach(to, {at, static_cast<std::int8_t>(t), -1});
      }
      if (from.threads[t].at == end) continue;
      ended = false;
      for (int choice = 0, options = 1; choice < options; ++choice) {
        State to = from;
        const auto how = model.run(to, t, choice);
        options = model.options_;
        const Came came_so{at, static_cast<std::int8_t>(t), static_cast<std::int8_t>(choice)};
        if (how == ran::broke) {
          found.complaint = model.complaint_;
          came.push_back(came_so);
          tell(static_cast<std::uint32_t>(came.size() - 1));
          return false;
        }
        if (how == ran::stepped) reach(to, came_so);
      }
    }
    if (ended) ends.push_back(at);
    return true;
  }

  void tell(std::uint32_t at) {
    std::vector<Came> way;
    for (; at != 0; at = came[at].from) way.push_back(came[at]);
    State state = model.first_;
    tidy(state);
    model.tell_ = &found.trace;
    for (auto each = way.rbegin(); each != way.rend(); ++each) {
      if (each->choice < 0) {
        state.memory.let_late_come(each->thread);
        found.trace += "\n  thread " + std::to_string(each->thread + 1) + ": " + Memory::late_step;
      } else {
        model.run(state, each->thread, each->choice);
      }
      tidy(state);
    }
    model.tell_ = nullptr;
  }

  // Of the states from which no end can be reached, one that is reached first.
  void look_for_stuck() {
    std::vector<std::uint32_t> first(came.size() + 1), from(ways.size());
    for (const auto& [a, b] : ways) ++first[b];
    for (std::uint32_t i = 0, sum = 0; i <= came.size(); ++i) sum += std::exchange(first[i], sum);
    auto free = first;
    for (const auto& [a, b] : ways) from[free[b]++] = a;
    std::vector<bool> can_end(came.size());
    std::vector<std::uint32_t> open = ends;
    for (const auto each : open) can_end[each] = true;
    while (!open.empty()) {
      const auto at = open.back();
      open.pop_back();
      for (auto i = first[at]; i < first[at + 1]; ++i)
        if (!can_end[from[i]]) can_end[from[i]] = true, open.push_back(from[i]);
    }
    const auto at = std::find(can_end.begin(), can_end.end(), false);
    if (at == can_end.end()) return;
    found.complaint = stuck;
    tell(static_cast<std::uint32_t>(at - can_end.begin()));
  }
};

template <class Memory>
Found Model<Memory>::explore(const std::vector<Work>& threads) {
  work_ = &threads;
  Search search{*this, threads.size(), {}, {}, {}, {}, {}, {}};
  State begin = first_;
  for (std::size_t t = threads.size(); t < most_threads; ++t) begin.threads[t].at = end;
  search.reach(begin, {});
  bool whole = true;
  for (std::uint32_t at = 0; whole && !search.next.empty(); ++at) {
    const State from = search.next.front();
    search.next.pop_front();
    whole = search.go_on(from, at);
    if (search.came.size() > most_states) search.found.complaint = "more states than most_states", whole = false;
  }
  if (whole) search.look_for_stuck();
  search.found.states = search.came.size();
  return search.found;
}

template Found Model<TsoMemory>::explore(const std::vector<Work>&);
template Found Model<CppMemory>::explore(const std::vector<Work>&);

}  // namespace octavo::kit::model
