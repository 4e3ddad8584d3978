// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/search.hpp"

#include <algorithm>

namespace octavo::fft {

namespace {

constexpr double scratch_penalty = 1.2;  // a scratch file must save a fifth to be worth its room on the disk

// Combinations of boxes are tried by windows of size, the largest first: (top / ratio, top], and the smallest box of each pass always.
// The windows do not depend on the budget, so that a larger budget only ever adds combinations (least_memory relies on it).
std::int64_t window_ratio(std::size_t passes) { return passes <= 2 ? 64 : passes == 3 ? 8 : passes == 4 ? 4 : 2; }

std::vector<Shape> guides_of(const Problem& problem, bool first, bool last) {
  const auto& request = problem.request;
  std::vector<Shape> guides{request.shape};
  if (!request.source_flat) guides.push_back(request.source_chunk);
  if (request.target_chunk) guides.push_back(*request.target_chunk);
  // With many passes the combinations are many: the ends of a pass that lie in the middle are guided by nothing.
  if (problem.axes.size() > 4 && !first && !last) guides.resize(1);
  return guides;
}

using BoxLists = std::vector<std::vector<Shape>>;

// The boxes of each pass within the window and the budget; false where a pass has none.
bool within(const BoxLists& all, std::int64_t element, std::int64_t top, std::int64_t budget, BoxLists& some) {
  std::int64_t ratio = window_ratio(all.size());
  some.assign(all.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < all[i].size(); ++j) {
      std::int64_t bytes = all[i][j].count() * element;
      if (bytes <= budget && (j == 0 || (bytes <= top && bytes > top / ratio))) some[i].push_back(all[i][j]);
    }
  return std::none_of(some.begin(), some.end(), [](const auto& list) { return list.empty(); });
}

// The best layout over all combinations, one box from each list; the first one with `any`.
std::optional<Layout> best_combination(const Problem& problem, const BoxLists& lists, via_kind via, std::int64_t budget, bool any) {
  std::optional<Layout> best;
  std::vector<std::size_t> at(lists.size(), 0);
  std::vector<Shape> boxes(lists.size());
  while (true) {
    for (std::size_t i = 0; i < lists.size(); ++i) boxes[i] = lists[i][at[i]];
    auto layout = best_layout(problem, boxes, via, budget);
    if (layout && (!best || layout->cost < best->cost)) best = std::move(layout);
    if (best && any) return best;
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == lists[i].size()) at[i++] = 0;
    if (i == at.size()) return best;
  }
}

std::optional<Layout> best_boxes(const Problem& problem, const BoxLists& all, via_kind via, std::int64_t budget, bool any) {
  std::int64_t element = problem.out_size(), top = element;
  while (top < budget) top *= 8;
  std::optional<Layout> best;
  BoxLists some;
  for (int more = 1; top >= element && more >= 0; top /= 8) {
    if (!within(all, element, top, budget, some)) {
      if (std::any_of(all.begin(), all.end(), [&](auto& list) { return list[0].count() * element > budget; })) return best;
      continue;
    }
    auto layout = best_combination(problem, some, via, budget, any);
    if (layout && (!best || layout->cost < best->cost)) best = std::move(layout);
    if (best) --more;
    if (best && any) return best;
  }
  return best;
}

// Passes without axes bring an array that another library decodes or encodes from or to the scratch file.
AxisGroups with_copies(AxisGroups groups, bool before, bool after) {
  if (before) groups.insert(groups.begin(), std::vector<int>());
  if (after) groups.emplace_back();
  return groups;
}

int most_passes(const Problem& problem) {
  if (problem.request.copy) return 2;
  return static_cast<int>(problem.axes.size()) + (problem.request.source.whole_chunks ? 1 : 0) + (problem.request.target.whole_chunks ? 1 : 0);
}

std::vector<AxisGroups> all_orders(const Problem& problem, int passes) {
  if (problem.request.copy) return {AxisGroups(static_cast<std::size_t>(passes))};
  std::vector<AxisGroups> all;
  for (bool before : {false, true})
    for (bool after : {false, true}) {
      int rest = passes - (before ? 1 : 0) - (after ? 1 : 0);
      if ((before && !problem.request.source.whole_chunks) || (after && !problem.request.target.whole_chunks)) continue;
      if (rest < 1 || rest > static_cast<int>(problem.axes.size())) continue;
      for (auto& groups : orders_of(problem.request.shape, problem.axes, rest)) all.push_back(with_copies(std::move(groups), before, after));
    }
  return all;
}

class Search {
 public:
  Search(const Problem& problem, std::int64_t memory, bool any) : problem_(problem), memory_(memory), any_(any) {}

  std::optional<Choice> with_passes(int passes, const std::vector<Setting>& from) {
    prepare(passes);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (best_ && from[i].tight && !best_->setting.tight) break;
      for (std::size_t order = 0; order < orders_.size(); ++order) {
        try_way(order, from[i], via_kind::target);
        if (passes > 1 && problem_.request.allow_scratch) try_way(order, from[i], via_kind::scratch);
        if (any_ && best_) return best_;
      }
    }
    return best_;
  }

 private:
  void prepare(int passes) {
    orders_ = all_orders(problem_, passes);
    boxes_.clear();
    for (const auto& groups : orders_) {
      auto& lists = boxes_.emplace_back();
      for (std::size_t i = 0; i < groups.size(); ++i) {
        bool first = i == 0, last = i + 1 == groups.size();
        lists.push_back(boxes_for(problem_.request.shape, groups[i], guides_of(problem_, first, last)));
        keep_whole(lists.back(), first, last);
      }
    }
  }

  // What another library moves, it moves by whole chunks.
  void keep_whole(std::vector<Shape>& boxes, bool first, bool last) const {
    const auto& request = problem_.request;
    auto drop = [&](const Shape& chunk) { std::erase_if(boxes, [&](const Shape& box) { return !whole_chunks(request.shape, box, chunk); }); };
    if (first && request.source.whole_chunks) drop(request.source_chunk);
    if (last && request.target.whole_chunks && request.target_chunk) drop(*request.target_chunk);
  }

  // No layout can cost less than every byte moved in one run.
  [[nodiscard]] double floor_of(std::size_t passes) const {
    auto count = static_cast<double>(problem_.request.shape.count());
    return count * static_cast<double>(problem_.in_size()) + count * static_cast<double>(problem_.out_size()) * static_cast<double>(2 * passes - 1);
  }

  void try_way(std::size_t order, const Setting& setting, via_kind via) {
    const auto& groups = orders_[order];
    if (std::any_of(boxes_[order].begin(), boxes_[order].end(), [](const auto& list) { return list.empty(); })) return;
    if (via == via_kind::target && groups.size() > 1 && problem_.request.target.whole_chunks) return;
    double factor = factor_of(setting) * (via == via_kind::scratch ? scratch_penalty : 1.0);
    if (best_ && floor_of(groups.size()) * factor >= best_->cost) return;
    auto memory = share(problem_, groups, setting, via, memory_);
    if (!memory) return;
    auto layout = best_boxes(problem_, boxes_[order], via, memory->pool / (setting.transforms * setting.depth), any_);
    if (!layout || (best_ && layout->cost * factor >= best_->cost)) return;
    double cost = layout->cost * factor;
    best_ = Choice{groups, setting, *memory, via, std::move(*layout), cost};
  }

  const Problem& problem_;
  std::int64_t memory_;
  bool any_;
  std::vector<AxisGroups> orders_;
  std::vector<BoxLists> boxes_;  // by order
  std::optional<Choice> best_;
};

}  // namespace

std::optional<Choice> search(const Problem& problem, std::int64_t memory) {
  auto from = settings(problem.request.cores);
  std::optional<Choice> best;
  for (int passes = 1; passes <= most_passes(problem); ++passes) {
    auto choice = Search(problem, memory, false).with_passes(passes, from);
    if (choice && (!best || choice->cost < best->cost)) best = std::move(choice);
    // A copy between chunks that hardly meet may be faster by way of others, like a rechunk; a transform's passes are dear.
    if (best && !problem.request.copy) return best;
  }
  return best;
}

// What fits at all fits with one box in flight and everything else at its least; most passes need least, and are tried first.
bool fits(const Problem& problem, std::int64_t memory) {
  for (int passes = most_passes(problem); passes >= 1; --passes)
    if (Search(problem, memory, true).with_passes(passes, {{1, 1, true}})) return true;
  return false;
}

}  // namespace octavo::fft
