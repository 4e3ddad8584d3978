// SPDX-License-Identifier: Apache-2.0
// Numbers to bytes and back as the archives do it (archive.hpp), without an archive: most calls carry a few of them, or none.
//
//   wire::put_plain(out.body, 3, 0.5);   wire::take_plain(message, count, factor);
#pragma once

#include <cstring>
#include <type_traits>

#include "octavo/wire/frame.hpp"

namespace octavo::wire {

template <class... T>
inline constexpr bool plain = (std::is_arithmetic_v<T> && ...);

[[noreturn]] void raise_bad_plain(std::size_t wanted, std::size_t came);

template <class... T>
  requires plain<T...>
void put_plain(Body& to, const T&... values) { (to.append(&values, sizeof values), ...); }

template <class... T>
inline constexpr std::size_t plain_bytes = (sizeof(T) + ... + 0);

// From where so many bytes are.
template <class... T>
  requires plain<T...>
void take_plain_at(const std::byte* at, T&... values) {
  [[maybe_unused]] auto take = [&at]<class Each>(Each& value) {
    if constexpr (std::is_same_v<Each, bool>) value = *at != std::byte{0};
    else std::memcpy(&value, at, sizeof value);
    at += sizeof value;
  };
  (take(values), ...);
}

// Throws io_error if less came.
template <class... T>
  requires plain<T...>
void take_plain(const Message& from, T&... values) {
  const auto body = from.body.span();
  if (body.size() < plain_bytes<T...>) raise_bad_plain(plain_bytes<T...>, body.size());
  take_plain_at(body.data(), values...);
}

}  // namespace octavo::wire
