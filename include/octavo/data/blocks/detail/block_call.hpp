// SPDX-License-Identifier: Apache-2.0
// What a function of blocks takes, from its signature; and a call of it with blocks of which only the memory is known.
//
//   using Call = BlockCall<F>;      // of [](const HaloBlock<float>& a, const HaloBlock<double>& b, OutBlock<float>& out) {...}
//   Call::kinds();                  // reads float32 and float64, gives float32
//   Call{f}(memory);                // of as many
//
// Threading: of one thread; workers have copies.
#pragma once

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "octavo/data/blocks/block.hpp"
#include "octavo/data/dtype.hpp"
#include "octavo/stream/detail/svc.hpp"

namespace octavo::detail {

struct BlockKind {
  dtype type = dtype::float64;
  int axes = 0;  // 0: any
};
struct BlockKinds {
  std::vector<BlockKind> reads;
  std::optional<BlockKind> gives;
};

template <class Parameter>
inline constexpr int role_of = 0;
template <class T, int axes>
inline constexpr int role_of<HaloBlock<T, axes>> = 1;
template <class T, int axes>
inline constexpr int role_of<AnyBlock<T, axes, T>> = 2;

template <class T, int axes>
BlockKind kind_of(const HaloBlock<T, axes>* /*block*/) {
  return {dtype_of<T>(), axes};
}
template <class T, int axes>
BlockKind kind_of(const AnyBlock<T, axes, T>* /*block*/) {
  return {dtype_of<T>(), axes};
}

template <class F, class Parameters = typename stream::said_t<F>::parameters>
struct BlockCall;
template <class F, class... P>
struct BlockCall<F, std::tuple<P...>> {
  F function;

  static constexpr bool fits() {
    constexpr int roles[] = {role_of<std::remove_cvref_t<P>>..., 0};
    for (std::size_t i = 0; i + 1 < sizeof...(P); ++i)
      if (roles[i] != 1) return false;
    return sizeof...(P) >= 2 && roles[sizeof...(P) - 1] == 2;
  }
  static BlockKinds kinds() {
    std::vector<BlockKind> all{kind_of(static_cast<const std::remove_cvref_t<P>*>(nullptr))...};
    const BlockKind last = all.back();
    all.pop_back();
    return {std::move(all), last};
  }
  void operator()(const BlockMemory* blocks) { call(blocks, std::index_sequence_for<P...>()); }

 private:
  template <std::size_t... I>
  void call(const BlockMemory* blocks, std::index_sequence<I...> /*numbers*/) {
    std::tuple<std::remove_cvref_t<P>...> given{std::remove_cvref_t<P>(blocks[I])...};
    function(std::get<I>(given)...);
  }
};

}  // namespace octavo::detail
