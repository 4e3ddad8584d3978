// SPDX-License-Identifier: Apache-2.0
// The member of the tests of distributed arrays, and the model of what its memory has.
#pragma once

#include <csignal>
#include <string>
#include <vector>

#include "octavo/distributed.hpp"
#include "octavo/process.hpp"

namespace distributed_tests {

namespace ov = octavo;

using Numbers = ov::DistributedArray<std::int64_t>;

// A value for each element, by its place in C order.
inline std::vector<std::int64_t> values_of(const ov::Shape& shape) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i) * 7 + 1;
  return all;
}

class Holder {
 public:
  // All of this member's memory, and where its elements are along each axis.
  std::vector<std::int64_t> memory(const Numbers& a) const {
    const auto all = a.with_halo();
    return {all.data(), all.data() + all.size()};
  }
  std::vector<std::vector<std::int64_t>> indices(const Numbers& a) const {
    std::vector<std::vector<std::int64_t>> all;
    for (int axis = 0; axis < a.global_shape().size(); ++axis) all.push_back(a.local_indices(axis));
    return all;
  }
  // Makes an array with the others and goes through everything; what member 0 gathers at the end.
  std::vector<std::int64_t> work(const ov::Shape& shape, const ov::Split& first, const ov::Split& second) const {
    const auto g = ov::self<Holder>().group();
    const auto all = values_of(shape);
    const auto a = Numbers::from_array(std::span(all), shape, first, g);
    a.exchange_halo(ov::boundary::nearest);
    const auto b = a.resplit(second);
    for (auto row : b.local().rows())
      for (auto& x : row) x += 1;
    if (b.sum() != a.sum() + shape.count()) throw std::logic_error("the sum of b is " + std::to_string(b.sum()));
    return b.gather(0);
  }
  void keep(const Numbers& a) { kept_ = a; }
  std::int64_t kept_sum() const { return kept_.sum(); }
  Numbers give() const { return Numbers({6}, ov::Split::block({static_cast<std::int64_t>(ov::self<Holder>().size())}), ov::self<Holder>().group(), 2); }
  bool has_local(const Numbers& a) const { return a.local().size() > 0; }
  std::size_t gathered_by_all(const Numbers& a, std::size_t root) const { return a.gather(root).size(); }
  void exchange_or_sum(const Numbers& a, std::size_t who) const {
    if (ov::self<Holder>().index() == who) (void)a.sum();
    else a.exchange_halo();
  }
  // 3 (a + b) - b / 2, by members.
  std::vector<double> compute(const ov::DistributedArray<double>& a, const ov::DistributedArray<double>& b) const {
    auto c = 3 * (a + b);
    c -= b / 2;
    return c.gather(1);
  }
  // To disk and back, by members; the sum of what came.
  void store(const Numbers& a, const std::string& path) const { a.to_disk(path, {.overwrite = true}); }
  std::int64_t load(const ov::Array& array, const ov::Split& split) const { return Numbers::from_array(array, split, ov::self<Holder>().group()).sum(); }
  // What it heard of the member that is killed before it comes.
  std::string until_death(const Numbers& a, const std::string& how, std::size_t who) const {
    const auto me = ov::self<Holder>();
    try {
      if (me.index() == who) ::raise(SIGKILL);
      for (;;) {
        if (how == "exchange_halo") a.exchange_halo();
        if (how == "resplit") (void)a.resplit(a.split());
        if (how == "gather") (void)a.gather(0);
        if (how == "sum") (void)a.sum();
        if (how == "make") give();
        if (how.starts_with('/')) a.to_disk(how, {.overwrite = true});
      }
    } catch (const ov::process_died& e) {
      return e.what();
    }
  }

 private:
  Numbers kept_;
};
OCTAVO_REMOTE(Holder, memory, indices, work, keep, kept_sum, give, has_local, gathered_by_all, exchange_or_sum, compute, store, load, until_death)

// The element that stands at an index along an axis; -1: none.
inline std::int64_t stands_at(std::int64_t index, std::int64_t n, ov::boundary how) {
  if (0 <= index && index < n) return index;
  if (how == ov::boundary::nearest) return index < 0 ? 0 : n - 1;
  if (how == ov::boundary::reflect) return index < 0 ? -1 - index : 2 * n - 1 - index;
  if (how == ov::boundary::periodic) return (index + n) % n;
  return -1;
}

// What a member's memory has after exchange_halo, if its first element is at `lo`; `beyond` where no element stands.
inline std::vector<std::int64_t> model_of(const ov::Shape& shape, const ov::Box& box, const ov::Shape& halo, ov::boundary how, std::int64_t beyond) {
  ov::Shape wide = box.extents();
  for (int axis = 0; axis < wide.size(); ++axis) wide[axis] += 2 * halo[axis];
  const auto all = values_of(shape);
  const auto strides = ov::dense_strides(shape);
  std::vector<std::int64_t> found;
  ov::for_each_index(wide, [&](const ov::Shape& at) {
    std::int64_t number = 0;
    for (int axis = 0; axis < shape.size() && number >= 0; ++axis) {
      const auto index = stands_at(box.lo[axis] + at[axis] - halo[axis], shape[axis], how);
      number = index < 0 ? -1 : number + index * strides[axis];
    }
    found.push_back(number < 0 ? beyond : all[static_cast<std::size_t>(number)]);
  });
  return found;
}

}  // namespace distributed_tests
