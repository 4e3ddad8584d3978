// SPDX-License-Identifier: Apache-2.0
// Which worker of a farm has an item: who is free, whose turn it is, whose key it has, all of them, each with its part, or whom the item names.
//
//   ByKey{key}.deal(std::move(item), number, workers, [](std::size_t worker, Item&& item) {});      // calls it for each who has something of it
//
// `dealt<Item>`: what a worker then gets. to_all: each worker has something of each item. gathers: their results to it are put together.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/stream/emit.hpp"

namespace octavo::stream {

struct DealtToOne {
  static constexpr bool to_all = false, gathers = false;
  static constexpr std::string_view word = {};  // in a graph
  template <class Item>
  using dealt = Item;
};

// Nobody deals: workers take.
struct ToWhoIsFree : DealtToOne {};

struct InTurn : DealtToOne {
  static constexpr std::string_view word = "in turn";
  template <class Item, class Give>
  void deal(Item&& item, std::uint64_t number, std::size_t workers, Give&& give) {
    give(static_cast<std::size_t>(number % workers), std::move(item));
  }
};

template <class Key>
struct ByKey : DealtToOne {
  static constexpr std::string_view word = "by key";
  Key key;
  explicit ByKey(Key function) : key(std::move(function)) {}
  template <class Item, class Give>
  void deal(Item&& item, std::uint64_t /*number*/, std::size_t workers, Give&& give) {
    const auto found = key(std::as_const(item));
    give(std::hash<std::remove_const_t<decltype(found)>>()(found) % workers, std::move(item));
  }
};

[[noreturn]] void refuse_worker(std::size_t worker, std::size_t workers);
[[noreturn]] void refuse_parts(std::size_t parts, std::size_t workers);

// Of items To<T>.
struct AsNamed : DealtToOne {
  template <class Item>
  using dealt = typename to_worker<Item>::type;
  template <class Item, class Give>
  void deal(Item&& named, std::uint64_t /*number*/, std::size_t workers, Give&& give) {
    if (named.worker >= workers) refuse_worker(named.worker, workers);
    give(named.worker, std::move(named.item));
  }
};

template <bool together>
struct ToAll {
  static constexpr bool to_all = true, gathers = together;
  static constexpr std::string_view word = "to all";
  using gathered = ToAll<true>;
  template <class Item>
  using dealt = Item;
  template <class Item, class Give>
  void deal(Item&& item, std::uint64_t /*number*/, std::size_t workers, Give&& give) {
    static_assert(std::is_copy_constructible_v<Item>, "octavo::farm: broadcast() gives each worker a copy of an item, and this one cannot be copied");
    for (std::size_t worker = 0; worker + 1 < workers; ++worker) give(worker, Item(item));
    give(workers - 1, std::move(item));
  }
};

template <class Parts, bool together>
struct InParts {
  static constexpr bool to_all = true, gathers = together;
  static constexpr std::string_view word = "in parts";
  using gathered = InParts<Parts, true>;
  template <class Item>
  using dealt = typename std::invoke_result_t<Parts&, Item&&, std::size_t>::value_type;
  Parts parts;
  template <class Item, class Give>
  void deal(Item&& item, std::uint64_t /*number*/, std::size_t workers, Give&& give) {
    auto all = parts(std::move(item), workers);
    if (all.size() != workers) refuse_parts(all.size(), workers);
    for (std::size_t worker = 0; worker < workers; ++worker) give(worker, std::move(all[worker]));
  }
};

template <class Dealing>
auto gathered(Dealing&& dealing) {
  using Gathered = typename std::decay_t<Dealing>::gathered;
  if constexpr (requires { dealing.parts; }) return Gathered{std::move(dealing.parts)};
  else return Gathered{};
}

// An item that names its worker is dealt so, whatever the farm says.
template <class Dealing, class Item>
using dealing_of = std::conditional_t<to_worker<Item>::is, AsNamed, Dealing>;

}  // namespace octavo::stream
