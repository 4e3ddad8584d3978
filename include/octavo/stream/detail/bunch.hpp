// SPDX-License-Identifier: Apache-2.0
// What a farm's worker gave for one item, where that may be nothing or several; and what lies on a belt in general.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "octavo/stream/detail/body.hpp"
#include "octavo/stream/detail/bytes_of.hpp"

namespace octavo::stream {

template <class T>
class Bunch {
 public:
  void add(T&& value) {
    if (first_) more_.push_back(std::move(value));
    else first_.emplace(std::move(value));
  }
  template <class Each>
  void give(Each&& each) {
    if (first_) each(std::move(*first_));
    for (T& value : more_) each(std::move(value));
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = first_ ? bytes_of(*first_) : 0;
    for (const T& value : more_) sum += bytes_of(value);
    return sum;
  }

 private:
  std::optional<T> first_;
  std::vector<T> more_;
};

// A slot holds an item, or a bunch of them.
template <class Slot>
struct item_in {
  using type = Slot;
  static constexpr bool is_bunch = false;
};
template <class T>
struct item_in<Bunch<T>> {
  using type = T;
  static constexpr bool is_bunch = true;
};
template <class Slot>
using item_t = typename item_in<Slot>::type;

template <class Slot, class Each>
void give_each(Slot&& slot, Each&& each) {
  if constexpr (item_in<Slot>::is_bunch) slot.give(each);
  else each(std::move(slot));
}

// Of a stage with this body that reads such slots: its calls, and what it fills.
template <class Body, bool several, class InSlot>
struct Shape {
  using In = item_t<InSlot>;
  using svc = Svc<typename Body::doer, In>;
  using Out = typename svc::gives;
  static constexpr bool is_last = std::is_void_v<Out>;
  static constexpr bool bunched = several && !is_last && (!svc::one_to_one || item_in<InSlot>::is_bunch);
  using OutSlot = std::conditional_t<bunched, Bunch<std::conditional_t<is_last, char, Out>>, std::conditional_t<is_last, char, Out>>;
};

}  // namespace octavo::stream
