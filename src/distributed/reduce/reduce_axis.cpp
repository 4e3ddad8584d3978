// SPDX-License-Identifier: Apache-2.0
// Reductions along an axis. Where that is split each member reduces its own, and the slabs of all move to the first of them, which reduces those.
#include <algorithm>
#include <vector>

#include "distributed/collectives.hpp"
#include "distributed/reduce/reductions.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

Shape without(const Shape& of, int axis) {
  Shape made;
  for (int each = 0; each < of.size(); ++each)
    if (each != axis) made.push_back(of[each]);
  return made;
}
Shape with_extent(Shape of, int axis, std::int64_t extent) {
  of[axis] = extent;
  return of;
}

// The members that are the first along the axis, by the cells of the grid without it.
std::vector<std::uint32_t> firsts_along(const Split& split, int axis) {
  const Shape strides = dense_strides(split.grid());
  std::vector<std::uint32_t> firsts;
  for (std::int64_t cell = 0; cell < split.grid().count(); ++cell)
    if (cell / strides[axis] % split.grid()[axis] == 0)
      firsts.push_back(split.members().empty() ? static_cast<std::uint32_t>(cell) : split.members()[static_cast<std::size_t>(cell)]);
  return firsts;
}

// So many members have something along the axis: the first ones.
std::int64_t members_along(const DistributedFacts& facts, int axis) {
  const auto block = std::max<std::int64_t>(1, facts.split.blocks()[axis]);
  return std::min(facts.split.grid()[axis], (facts.shape[axis] + block - 1) / block);
}

// Elements in memory that lie in steps along each axis, reduced along one of them into dense memory.
template <class Op, class A, class T>
class AlongAxis {
 public:
  AlongAxis(const Shape& extents, const Shape& strides, int axis)
      : extents_(extents), strides_(strides), to_strides_(dense_strides(with_extent(extents, axis, 1))), axis_(axis) {}
  void reduce(const T* from, A* to) const { reduce(0, from, to, true); }

 private:
  void reduce(int at, const T* from, A* to, bool is_first) const {
    const bool is_last = at + 1 == extents_.size();
    if (is_last && at == axis_) return reduce_row(from, *to, is_first);
    if (is_last) return combine_row(from, to, is_first);
    for (std::int64_t i = 0; i < extents_[at]; ++i)
      reduce(at + 1, from + i * strides_[at], at == axis_ ? to : to + i * to_strides_[at], at == axis_ ? i == 0 : is_first);
  }
  void reduce_row(const T* from, A& to, bool is_first) const {
    const auto count = static_cast<std::size_t>(extents_[axis_]);
    const A first = is_first ? static_cast<A>(*from) : Op::of(to, static_cast<A>(*from));
    to = fold<Op>(first, from + 1, count - 1);
  }
  void combine_row(const T* from, A* to, bool is_first) const {
    const auto count = extents_[extents_.size() - 1];
    for (std::int64_t i = 0; i < count; ++i) to[i] = is_first ? static_cast<A>(from[i]) : Op::of(to[i], static_cast<A>(from[i]));
  }

  const Shape extents_, strides_, to_strides_;
  const int axis_;
};

// A member's own elements; `none`: what a reduction of no elements is.
template <class Op, class A, class T>
void reduce_own(const DistributedPart& part, int axis, A none, A* to) {
  const auto& geometry = part.geometry();
  const auto count = without(geometry.extents, axis).count();
  if (geometry.extents[axis] == 0) return static_cast<void>(std::fill(to, to + count, none));
  if (count == 0) return;
  const Shape strides = dense_strides(geometry.wide);
  std::int64_t first = 0;
  for (int each = 0; each < strides.size(); ++each) first += part.facts().split.halo()[each] * strides[each];
  AlongAxis<Op, A, T>(geometry.extents, strides, axis).reduce(reinterpret_cast<const T*>(part.data()) + first, to);
}

template <class Op, class Wide, class Result, class T>
std::shared_ptr<DistributedPart> reduced(Membership& in, const DistributedPart& part, int axis, Wide none, const std::string& doing) {
  const auto& facts = part.facts();
  const auto& split = facts.split;
  const bool is_split = split.grid()[axis] > 1;
  auto made_facts = facts;
  made_facts.type = dtype_of<Result>();
  made_facts.shape = without(facts.shape, axis);
  made_facts.split = Split::block_cyclic(without(split.grid(), axis), without(split.blocks(), axis));
  if (is_split || !split.members().empty()) made_facts.split = made_facts.split.members(firsts_along(split, axis));
  std::vector<Wide> sums;
  if (is_split) {
    auto slab_facts = facts;
    slab_facts.type = dtype_of<Wide>();
    slab_facts.shape = with_extent(facts.shape, axis, members_along(facts, axis));
    const auto blocks = with_extent(split.blocks(), axis, 0);
    slab_facts.split = Split::block_cyclic(split.grid(), blocks);
    if (!split.members().empty()) slab_facts.split = slab_facts.split.members(split.members());
    const auto slab = make_unset(in, std::move(slab_facts), doing);
    if (!slab->geometry().empty()) reduce_own<Op, Wide, T>(part, axis, none, reinterpret_cast<Wide*>(slab->data()));
    const auto together = resplit(in, *slab, Split::block_cyclic(with_extent(split.grid(), axis, 1), blocks).members(firsts_along(split, axis)));
    sums.resize(static_cast<std::size_t>(without(together->geometry().extents, axis).count()));
    reduce_own<Op, Wide, Wide>(*together, axis, none, sums.data());
  } else {
    sums.resize(static_cast<std::size_t>(without(part.geometry().extents, axis).count()));
    reduce_own<Op, Wide, T>(part, axis, none, sums.data());
  }
  auto made = make_unset(in, std::move(made_facts), doing);
  std::transform(sums.begin(), sums.end(), reinterpret_cast<Result*>(made->data()), [](const Wide& each) { return static_cast<Result>(each); });
  return made;
}

template <class T>
std::shared_ptr<DistributedPart> reduced(Membership& in, const DistributedPart& part, reduction how, int axis, const std::string& doing) {
  using Result = decltype(sum_type<T>());
  using Wide = decltype(wide_type<T>());
  if (how == reduction::sum) return reduced<Sum, Wide, Result, T>(in, part, axis, Wide{}, doing);
  if (how == reduction::product) return reduced<Product, Wide, Result, T>(in, part, axis, Wide{1}, doing);
  if constexpr (!is_complex_number<T>)
    return how == reduction::min ? reduced<Least, T, T, T>(in, part, axis, T{}, doing) : reduced<Greatest, T, T, T>(in, part, axis, T{}, doing);
  refuse_order_of_complex();
}

// 1 where an element is not zero, else 0; a NaN is not.
std::shared_ptr<DistributedPart> truths(Membership& in, const DistributedPart& part, const std::string& doing) {
  auto facts = part.facts();
  facts.type = dtype::uint8;
  auto made = make_unset(in, std::move(facts), doing);
  with_type(part.facts().type, [&](auto zero) {
    using T = decltype(zero);
    Walk from(part.own(), &Overlap::from, part.data(), part.geometry().wide, sizeof(T)), to(part.own(), &Overlap::from, made->data(), part.geometry().wide, 1);
    for (auto piece = from.next(INT64_MAX); !piece.empty(); piece = from.next(INT64_MAX)) {
      const auto* first = reinterpret_cast<const T*>(piece.data());
      std::transform(first, first + piece.size() / sizeof(T), to.next(INT64_MAX).data(), [](const T& each) { return std::byte{each != T{}}; });
    }
  });
  return made;
}

}  // namespace

void check_reduction(const DistributedFacts& facts, reduction how, int axis) {
  if (axis < 0 || axis >= facts.shape.size() || facts.shape.size() == 1)
    throw usage_error(text_of(how) + " along axis " + std::to_string(axis) + " of a " + facts.text(),
                      facts.shape.size() == 1 ? "Reduce all of it: leave the axis out" : "Name one from 0 to " + std::to_string(facts.shape.size() - 1));
  if (how == reduction::squares) throw not_supported("var along an axis of a " + facts.text() + " in C++", "Ask for that of all of it; or in Python");
  if (needs_elements(how) && facts.shape[axis] == 0)
    throw usage_error(text_of(how) + " along axis " + std::to_string(axis) + " of a " + facts.text() + ", which has no elements there",
                      "Ask for it of an array that has some");
}

std::shared_ptr<DistributedPart> reduce_axis(Membership& in, const DistributedPart& part, reduction how, int axis) {
  check_reduction(part.facts(), how, axis);
  const auto doing = text_of(how) + " along axis " + std::to_string(axis) + " of " + part.facts().text();
  if (how == reduction::any || how == reduction::all) {
    using Bit = std::uint8_t;
    const auto bits = truths(in, part, doing);
    return how == reduction::any ? reduced<Greatest, Bit, Bit, Bit>(in, *bits, axis, 0, doing) : reduced<Least, Bit, Bit, Bit>(in, *bits, axis, 1, doing);
  }
  return with_type(part.facts().type, [&](auto zero) { return reduced<decltype(zero)>(in, part, how, axis, doing); });
}

}  // namespace octavo::detail
