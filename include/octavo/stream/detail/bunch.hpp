// SPDX-License-Identifier: Apache-2.0
// What a farm's worker gave for one item, where that may be nothing or several; and what lies on a belt in general.
#pragma once

#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "octavo/stream/detail/body.hpp"
#include "octavo/stream/detail/bytes_of.hpp"
#include "octavo/stream/detail/dealing.hpp"
#include "octavo/stream/detail/gate.hpp"

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
    for (auto&& value : more_) each(T(std::move(value)));  // a vector of bool has no references to its elements
  }
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = first_ ? bytes_of(*first_) : 0;
    for (const auto& value : more_) sum += bytes_of<T>(value);
    return sum;
  }

 private:
  std::optional<T> first_;
  std::vector<T> more_;
};

template <class T>
inline constexpr bool is_played<Bunch<T>> = is_played<T>;

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

// Of a stage with this body that reads such slots, dealt so: its calls, and what it fills.
template <class Body, bool several, class InSlot, class Given = ToWhoIsFree>
struct Shape {
  using body_type = Body;
  using Slot = InSlot;
  using Comes = item_t<InSlot>;
  static_assert(several || !to_worker<Comes>::is, "octavo::pipeline: octavo::To names a worker of the next farm, and the next stage is none");
  using Dealing = dealing_of<Given, Comes>;
  using In = typename Dealing::template dealt<Comes>;
  static constexpr bool is_farm = several, is_dealt = !std::is_same_v<Dealing, ToWhoIsFree>;
  using svc = Svc<typename Body::doer, In>;
  using Gives = typename svc::gives;
  static constexpr bool loops = svc::loops, gathers = Dealing::gathers, is_last = std::is_void_v<Gives>;
  static_assert(!(loops && is_dealt), "octavo::farm: what feeds back goes to who is free, and not as broadcast(), scatter() and the like deal it");
  static_assert(!(gathers && is_last), "octavo::farm: gather() of a farm that gives nothing");
  using Result = std::conditional_t<is_last, char, Gives>;  // one, of a worker
  // Results of one item have so many numbers.
  static constexpr std::uint64_t numbers(std::size_t workers) { return Dealing::to_all && !gathers ? workers : 1; }
  using Out = std::conditional_t<gathers, std::vector<Result>, Result>;
  static constexpr bool bunched = several && !is_last && !gathers && !loops && (!svc::one_to_one || (!is_dealt && item_in<InSlot>::is_bunch));
  using OutSlot = std::conditional_t<bunched, Bunch<Out>, Out>;
};

}  // namespace octavo::stream
