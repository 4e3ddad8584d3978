// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/search.hpp"

#include <algorithm>

#include "octavo/machine/pool.hpp"

namespace octavo::fft {

namespace {

constexpr double scratch_penalty = 1.2;  // a scratch file must save a fifth to be worth its room on the disk

// Combinations of boxes are tried by windows of size, the largest first: of each pass the boxes in (top / ratio, top], or the next smaller one,
// and its smallest. A pass all of whose boxes are smaller, or larger, stays at the window of its largest, or smallest: in every window each pass
// has a box of its own. The windows do not depend on the budget, so that a larger budget only ever adds combinations (least_memory relies on it).
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

// The boxes of a pass, by size, that a window holds and the budget allows; its smallest last. `own`: how many are of the window itself.
struct Window {
  std::vector<Shape> boxes;
  std::size_t own = 0;
};

std::int64_t window_top(std::int64_t element, std::int64_t bytes) {
  std::int64_t top = element;
  while (top < bytes) top *= 8;
  return top;
}

Window window_of(const std::vector<Shape>& all, std::int64_t element, std::int64_t top, std::int64_t ratio, std::int64_t budget) {
  auto bytes = [&](const Shape& box) { return box.count() * element; };
  top = std::clamp(top, window_top(element, bytes(all.front())), window_top(element, bytes(all.back())));
  Window window;
  for (std::size_t j = 0; j < all.size() && bytes(all[j]) <= top; ++j) {
    bool nearest = j + 1 == all.size() || bytes(all[j + 1]) > top;
    if (bytes(all[j]) <= budget && (nearest || bytes(all[j]) > top / ratio)) window.boxes.push_back(all[j]);
  }
  window.own = window.boxes.size();
  if (bytes(all.front()) <= budget && (window.own == 0 || window.boxes.front() != all.front())) window.boxes.push_back(all.front());
  return window;
}

struct Best {
  std::optional<Layout> layout;
  bool own = false;  // a layout of boxes of the window itself was found, too
};

// The best layout over all combinations, one box from each window; the first one with `any`.
Best best_combination(const Problem& problem, const std::vector<Window>& windows, via_kind via, std::int64_t budget, bool any) {
  Best best;
  std::vector<std::size_t> at(windows.size(), 0);
  std::vector<Shape> boxes(windows.size());
  while (true) {
    bool own = true;
    for (std::size_t i = 0; i < windows.size(); ++i) boxes[i] = windows[i].boxes[at[i]], own = own && at[i] < windows[i].own;
    auto layout = best_layout(problem, boxes, via, budget);
    best.own = best.own || (own && layout);
    if (layout && (!best.layout || layout->cost < best.layout->cost)) best.layout = std::move(layout);
    if (best.layout && any) return best;
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == windows[i].boxes.size()) at[i++] = 0;
    if (i == at.size()) return best;
  }
}

// The smallest boxes are in every window, and may be dear: the search goes on until a window has found a layout of its own, and one window further.
std::optional<Layout> best_boxes(const Problem& problem, const BoxLists& all, via_kind via, std::int64_t budget, bool any) {
  std::int64_t element = problem.out_size(), largest = 0, least = budget;
  for (const auto& list : all) {
    if (list.front().count() * element > budget) return std::nullopt;
    largest = std::max(largest, list.back().count() * element), least = std::min(least, list.front().count() * element);
  }
  std::optional<Layout> best;
  std::vector<Window> windows(all.size());
  std::int64_t top = window_top(element, std::min(budget, largest));
  for (int more = 1; top >= element && top >= least && more >= 0; top /= 8) {
    for (std::size_t i = 0; i < all.size(); ++i) windows[i] = window_of(all[i], element, top, window_ratio(all.size()), budget);
    auto found = best_combination(problem, windows, via, budget, any);
    if (found.layout && (!best || found.layout->cost < best->cost)) best = std::move(found.layout);
    if (found.own) --more;
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
  if (problem.axes.empty()) return 2;
  return static_cast<int>(problem.axes.size()) + (problem.request.source.whole_chunks ? 1 : 0) + (problem.request.target.whole_chunks ? 1 : 0);
}

std::vector<AxisGroups> all_orders(const Problem& problem, int passes) {
  if (problem.axes.empty()) return {AxisGroups(static_cast<std::size_t>(passes))};
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
  Search(const Problem& problem, bool any) : problem_(problem), any_(any) {}

  std::optional<Choice> with_passes(int passes, const std::vector<Setting>& from) {
    prepare(passes);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (best_ && from[i].tight && !best_->setting.tight) break;
      for (std::size_t order = 0; order < orders_.size(); ++order) {
        try_combination(order, from[i], via_kind::target);
        if (passes > 1 && problem_.request.allow_scratch) try_combination(order, from[i], via_kind::scratch);
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

  void try_combination(std::size_t order, const Setting& setting, via_kind via) {
    const auto& groups = orders_[order];
    if (std::any_of(boxes_[order].begin(), boxes_[order].end(), [](const auto& list) { return list.empty(); })) return;
    if (via == via_kind::target && groups.size() > 1 && problem_.request.target.whole_chunks) return;
    double factor = factor_of(setting) * (via == via_kind::scratch ? scratch_penalty : 1.0);
    if (best_ && floor_of(groups.size()) * factor >= best_->cost) return;
    auto memory = split_memory(problem_, groups, setting, via, problem_.request.memory);
    if (!memory) return;
    auto layout = best_boxes(problem_, boxes_[order], via, memory->pool / (setting.transforms * setting.depth), any_);
    if (!layout || (best_ && layout->cost * factor >= best_->cost)) return;
    double cost = layout->cost * factor;
    best_ = Choice{groups, setting, *memory, via, std::move(*layout), cost};
  }

  const Problem& problem_;
  bool any_;
  std::vector<AxisGroups> orders_;
  std::vector<BoxLists> boxes_;  // by order
  std::optional<Choice> best_;
};

}  // namespace

std::optional<Choice> search(const Problem& problem) {
  auto from = settings(problem.request.cores);
  std::optional<Choice> best;
  for (int passes = 1; passes <= most_passes(problem); ++passes) {
    auto choice = Search(problem, false).with_passes(passes, from);
    if (choice && (!best || choice->cost < best->cost)) best = std::move(choice);
    // A copy between chunks that hardly meet may be faster by way of others, like a rechunk; a transform's passes are dear.
    if (best && !problem.axes.empty()) return best;
  }
  return best;
}

std::int64_t with_smaller_blocks(std::int64_t memory) {
  std::int64_t block = pool_block_bytes(memory);
  return block == pool_block_bytes(0) ? 0 : block / 2 * (1 << 20);
}

// What fits at all fits with one box in flight and everything else at its least; most passes need least, and are tried first.
bool fits(Problem problem, std::int64_t memory) {
  for (; memory > 0; memory = with_smaller_blocks(memory)) {
    problem.request.memory = memory;
    for (int passes = most_passes(problem); passes >= 1; --passes)
      if (Search(problem, true).with_passes(passes, {{1, 1, true}})) return true;
  }
  return false;
}

}  // namespace octavo::fft
