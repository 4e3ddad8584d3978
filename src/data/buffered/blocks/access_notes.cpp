// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/blocks/access_notes.hpp"

#include <algorithm>
#include <optional>
#include <span>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

std::string element_text(const Shape& index) {
  std::string text;
  for (int i = 0; i < index.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(index[i]);
  return "(" + text + ")";
}

// What one member took along.
struct Told {
  std::span<const std::int64_t> read, written;  // first and last of each run

  explicit Told(const std::vector<std::int64_t>& all) {
    const std::span<const std::int64_t> numbers(all);
    const auto end_of_read = static_cast<std::size_t>(1 + 2 * numbers[0]);
    read = numbers.subspan(1, end_of_read - 1);
    written = numbers.subspan(end_of_read);
  }
};

std::optional<std::int64_t> first_of_both(std::span<const std::int64_t> mine, std::span<const std::int64_t> yours) {
  for (std::size_t i = 0, j = 0; i < mine.size() && j < yours.size();) {
    const std::int64_t first = std::max(mine[i], yours[j]);
    if (first < std::min(mine[i + 1], yours[j + 1])) return first;
    if (mine[i + 1] < yours[j + 1]) i += 2;
    else j += 2;
  }
  return std::nullopt;
}

void append(std::vector<std::int64_t>& to, const std::vector<ElementRun>& runs) {
  for (const auto& each : runs) to.insert(to.end(), {each.first, each.last});
}

}  // namespace

void ElementRuns::add(std::int64_t first, std::int64_t last) {
  if (!runs_.empty() && first >= runs_.back().first && first <= runs_.back().last) {
    runs_.back().last = std::max(runs_.back().last, last);
    return;
  }
  if (runs_.size() >= most_) most_ = std::max(most_, 2 * settled().size());
  runs_.push_back({first, last});
}

const std::vector<ElementRun>& ElementRuns::settled() {
  std::ranges::sort(runs_, {}, &ElementRun::first);
  std::size_t kept = 0;
  for (std::size_t i = 1; i < runs_.size(); ++i) {
    if (runs_[i].first <= runs_[kept].last) runs_[kept].last = std::max(runs_[kept].last, runs_[i].last);
    else runs_[++kept] = runs_[i];
  }
  if (!runs_.empty()) runs_.resize(kept + 1);
  return runs_;
}

void AccessNotes::add(bool written, const BlockGrid& grid, std::int64_t block, std::int64_t place) {
  Shape index = grid.corner_of(block);
  std::int64_t within = place - grid.place_of(block);
  for (int i = 0; i < index.size(); ++i) {
    index[i] += within / grid.strides[i];
    within %= grid.strides[i];
  }
  const std::int64_t number = flatten(index, grid.shape);
  (written ? written_ : read_).add(number, number + 1);
}

void AccessNotes::add(bool written, const BlockGrid& grid, const Box& box) {
  const int last = box.dims() - 1;
  Shape rows = box.extents();
  rows[last] = 1;
  for_each_index(rows, [&](Shape index) {
    for (int i = 0; i < index.size(); ++i) index[i] += box.lo[i];
    const std::int64_t first = flatten(index, grid.shape);
    (written ? written_ : read_).add(first, first + box.hi[last] - box.lo[last]);
  });
}

std::vector<std::int64_t> AccessNotes::take() {
  std::vector<std::int64_t> all{static_cast<std::int64_t>(read_.settled().size())};
  append(all, read_.settled());
  append(all, written_.settled());
  read_ = written_ = {};
  return all;
}

void check_accesses(const std::vector<std::vector<std::int64_t>>& of_all, const Shape& shape, const std::string& name) {
  std::vector<Told> members(of_all.begin(), of_all.end());
  const auto element = [&](std::int64_t number) { return "element " + element_text(unflatten(number, shape)) + " of '" + name + "' was "; };
  for (std::size_t writer = 0; writer < members.size(); ++writer) {
    for (std::size_t other = 0; other < members.size(); ++other) {
      if (other == writer) continue;
      const std::string by = std::to_string(writer), and_by = std::to_string(other);
      if (other > writer)
        if (const auto at = first_of_both(members[writer].written, members[other].written))
          throw usage_error(element(*at) + "written by members " + by + " and " + and_by + " between two barriers", "Let one of them write it");
      if (const auto at = first_of_both(members[writer].written, members[other].read))
        throw usage_error(element(*at) + "read by member " + and_by + " while member " + by + " wrote it: no sync() lies between", "Add one");
    }
  }
}

}  // namespace octavo::detail
