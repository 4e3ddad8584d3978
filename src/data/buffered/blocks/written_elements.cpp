// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/blocks/written_elements.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace octavo::detail {

namespace {

constexpr std::int64_t word_bits = 64;

// `count` of them, from bit `from` on.
std::uint64_t ones(std::int64_t from, std::int64_t count) { return (count == word_bits ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from; }

// The rows along the last axis: visit(index of the row's first element in the array, place of it in the block).
template <class Visit>
void for_each_row(const BlockGrid& grid, const Shape& corner, const Selection& selected, Visit&& visit) {
  Shape rows = selected.count;
  if (rows.size() > 0) rows[rows.size() - 1] = 1;
  for_each_index(rows, [&](Shape index) {
    std::int64_t place = 0;
    for (int i = 0; i < index.size(); ++i) {
      index[i] = selected.lo[i] + index[i] * selected.step[i];
      place += (index[i] - corner[i]) * grid.strides[i];
    }
    visit(index, place);
  });
}

}  // namespace

void WrittenMarks::settle() noexcept {
  for (std::int64_t at = first; at < end;) {
    const std::int64_t bit = at % word_bits, count = std::min(word_bits - bit, end - at);
    words[at / word_bits] |= ones(bit, count);
    at += count;
  }
  first = end;
}

WrittenMarks* WrittenElements::begin(const BlockGrid& grid, std::int64_t block) {
  const std::int64_t place = grid.place_of(block);
  block_ = block;
  head_ = place % word_bits;
  words_.assign(static_cast<std::size_t>(bytes(grid.elements) / 8), 0);
  // The code that writes an element takes the word of its place from the array's first element on.
  marks_ = {reinterpret_cast<std::uint64_t*>(reinterpret_cast<std::uintptr_t>(words_.data()) - static_cast<std::uintptr_t>(place / word_bits * 8))};
  return &marks_;
}

void WrittenElements::end() {
  words_.clear();
  marks_ = {};
}

std::int64_t WrittenElements::count() {
  marks_.settle();
  return std::accumulate(words_.begin(), words_.end(), std::int64_t{0}, [](std::int64_t sum, std::uint64_t word) { return sum + std::popcount(word); });
}

// Bits from and to, counted from the first element.
void WrittenElements::set(std::int64_t from, std::int64_t to) {
  for (std::int64_t at = from + head_, end = to + head_; at < end;) {
    const std::int64_t bit = at % word_bits, count = std::min(word_bits - bit, end - at);
    words_[static_cast<std::size_t>(at / word_bits)] |= ones(bit, count);
    at += count;
  }
}

void WrittenElements::add(const BlockGrid& grid, const Selection& selected) {
  const int last = selected.count.size() - 1;
  const std::int64_t length = last < 0 ? 1 : selected.count[last], step = last < 0 ? 1 : selected.step[last];
  for_each_row(grid, grid.corner_of(block_), selected, [&](const Shape&, std::int64_t place) {
    if (step == 1) return set(place, place + length);
    for (std::int64_t i = 0; i < length; ++i) set(place + i * step, place + i * step + 1);
  });
}

void WrittenElements::add(WrittenElements& other) {
  other.marks_.settle();
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

// The first element from `from` on that is written, or is not; `to` if there is none before.
std::int64_t WrittenElements::next(std::int64_t from, std::int64_t to, bool written) const {
  for (std::int64_t at = from + head_, end = to + head_; at < end;) {
    const std::uint64_t word = words_[static_cast<std::size_t>(at / word_bits)];
    const std::uint64_t rest = (written ? word : ~word) >> (at % word_bits);
    if (rest != 0) return std::min(at + std::countr_zero(rest), end) - head_;
    at += word_bits - at % word_bits;
  }
  return to;
}

// Runs along the last axis; those of a row that are as in the row before it grow along the axis before.
std::vector<Box> WrittenElements::runs(const BlockGrid& grid, bool written) {
  const Box box = grid.box_of(block_);
  const std::int64_t known = count();
  if (known == (written ? box.count() : 0)) return box.empty() ? std::vector<Box>() : std::vector<Box>{box};
  if (known == (written ? 0 : box.count())) return {};
  const int last = box.dims() - 1, before = last - 1;
  std::vector<Box> found;
  std::vector<std::size_t> above, here;  // which of them ended in the row before, and in this one
  for_each_row(grid, grid.corner_of(block_), Selection::of(box), [&](const Shape& index, std::int64_t place) {
    here.clear();
    const std::int64_t end = place + box.hi[last] - box.lo[last];
    auto candidate = above.begin();
    for (std::int64_t from = next(place, end, written); from < end;) {
      const std::int64_t to = next(from, end, !written);
      Box run{index, index};
      for (int i = 0; i < last; ++i) ++run.hi[i];
      run.lo[last] = box.lo[last] + from - place;
      run.hi[last] = box.lo[last] + to - place;
      while (candidate != above.end() && found[*candidate].lo[last] < run.lo[last]) ++candidate;
      if (before >= 0 && candidate != above.end() && found[*candidate].lo[last] == run.lo[last] && found[*candidate].hi[last] == run.hi[last] &&
          index[before] == found[*candidate].hi[before]) {
        ++found[*candidate].hi[before];
        here.push_back(*candidate);
      } else {
        here.push_back(found.size());
        found.push_back(run);
      }
      from = next(to, end, written);
    }
    std::swap(above, here);
  });
  return found;
}

}  // namespace octavo::detail
