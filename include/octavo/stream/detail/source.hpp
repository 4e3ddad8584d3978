// SPDX-License-Identifier: Apache-2.0
// Where a stream's items come from: a range, a function that gives an std::optional, empty at the end, or a StreamBox.
#pragma once

#include <functional>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>

#include "octavo/stream/detail/box_ends.hpp"

namespace octavo::stream {

// A stream that is not told its source yet.
struct NoSource {};

template <class View>
struct RangeSource {
  using item = std::remove_cvref_t<std::ranges::range_reference_t<View>>;
  View view;
  template <class Give>
  void each(Give&& give) {
    for (auto&& value : view) give(item(std::forward<decltype(value)>(value)));
  }
};

template <class F>
struct CallSource {
  using item = typename std::invoke_result_t<F&>::value_type;
  F next;
  template <class Give>
  void each(Give&& give) {
    while (auto value = next()) give(std::move(*value));
  }
};

template <class R>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class F>
inline constexpr bool gives_optional = false;
template <class F>
  requires std::is_invocable_v<F&>
inline constexpr bool gives_optional<F> = is_optional<std::remove_cvref_t<std::invoke_result_t<F&>>>;

template <class S>
concept source_like = is_stream_box<std::decay_t<S>> || std::ranges::input_range<S> || std::is_invocable_v < std::decay_t<S>
& > ;

template <source_like S>
auto source_of(S&& given) {
  if constexpr (is_stream_box<std::decay_t<S>>) {
    return BoxSource<typename BoxItem<std::decay_t<S>>::type>{std::forward<S>(given)};
  } else if constexpr (std::ranges::input_range<S>) {
    return RangeSource<std::views::all_t<S>>{std::views::all(std::forward<S>(given))};
  } else {
    static_assert(gives_optional<std::decay_t<S>>, "octavo::pipeline: a source gives std::optional<Item>, which is empty at the end; or it is a range");
    return CallSource<std::decay_t<S>>{std::forward<S>(given)};
  }
}

}  // namespace octavo::stream
