// SPDX-License-Identifier: Apache-2.0
// What a reduction has so far: values of runs of neighbouring members, joined as soon as they touch. So the operation is applied in the order of
// the indices whatever way the values come, and need not be commutative.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace octavo::detail {

// The value of members [first, end).
template <class V>
struct Partial {
  std::uint32_t first = 0, end = 0;
  V value{};
  template <class Archive>
  void serialize(Archive& archive) {
    archive(first, end, value);
  }
};

template <class V, class Join>
class Partials {
 public:
  explicit Partials(Join& join) : join_(join) {}
  void add(Partial<V> more) {
    auto at = std::find_if(list_.begin(), list_.end(), [&](const auto& each) { return each.first > more.first; });
    at = list_.insert(at, std::move(more));
    if (auto next = std::next(at); next != list_.end() && at->end == next->first) at = join(at);
    if (at != list_.begin() && std::prev(at)->end == at->first) join(std::prev(at));
  }
  [[nodiscard]] std::vector<Partial<V>>& list() noexcept { return list_; }

 private:
  using At = typename std::vector<Partial<V>>::iterator;
  At join(At left) {
    auto right = std::next(left);
    left->value = join_(std::move(left->value), std::move(right->value));
    left->end = right->end;
    return std::prev(list_.erase(right));
  }
  Join& join_;
  std::vector<Partial<V>> list_;
};

}  // namespace octavo::detail
