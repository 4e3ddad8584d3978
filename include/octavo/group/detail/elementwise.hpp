// SPDX-License-Identifier: Apache-2.0
// The parts of collectives that are about many values at one member: reductions element by element, bundles to vectors and back, splits.
#pragma once

#include "octavo/group/detail/collective.hpp"

namespace octavo::detail {

template <class V>
struct numbers : std::false_type {};
template <class E, class A>
struct numbers<std::vector<E, A>> : std::bool_constant<std::is_arithmetic_v<E> && !std::is_same_v<E, bool>> {
  using element = E;
};

// Whether a value of V is reduced element by element with Op: a vector of numbers, and an operation on numbers.
template <class V, class Op>
inline constexpr bool elementwise = [] {
  if constexpr (numbers<V>::value) {
    using E = typename numbers<V>::element;
    return std::is_invocable_r_v<E, Op&, E, E>;
  } else {
    return false;
  }
}();

[[noreturn]] void raise_lengths(std::size_t left, std::size_t right);

// How two values become one.
template <class V, class Op>
struct Joining {
  Op& op;
  V operator()(V left, V right) {
    if constexpr (elementwise<V, Op>) {
      check_lengths(left, right);
      for (std::size_t i = 0; i < left.size(); ++i) left[i] = op(left[i], right[i]);
      return left;
    } else {
      static_assert(std::is_invocable_r_v<V, Op&, V, V>, "the operation of a reduction must take two values and give one of the same type");
      return op(std::move(left), std::move(right));
    }
  }
  static void check_lengths(const V& left, const V& right) {
    if constexpr (elementwise<V, Op>)
      if (left.size() != right.size()) raise_lengths(left.size(), right.size());
  }
  // Part of the collective's text: lengths that differ are told before anything is added.
  static std::string extent(const V& value) {
    if constexpr (elementwise<V, Op>) return " [" + std::to_string(value.size()) + "]";
    else return {};
  }
};

// Operations that give the same at each member, which so may be done by each.
template <class Op>
inline constexpr bool same_everywhere = false;
template <class T>
inline constexpr bool same_everywhere<std::plus<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::multiplies<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::bit_and<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::bit_or<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::bit_xor<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::logical_and<T>> = true;
template <class T>
inline constexpr bool same_everywhere<std::logical_or<T>> = true;

// Few numbers, by memory that the members share. False: to be done by messages, at all members.
template <class E, class Op>
bool all_reduce_shared(Collective& c, std::span<E> data, Op& op) {
  if (data.size_bytes() > Collective::most_shared) return false;
  const auto mine = std::as_bytes(data);
  if (!c.share(same_everywhere<Op> ? std::optional<ByteView>(mine) : std::nullopt)) return false;
  for (std::size_t i = 0; i < data.size(); ++i) {
    data[i] = c.shared_by<E>(0, i);
    for (std::uint32_t member = 1; member < c.membership().size(); ++member) data[i] = op(data[i], c.shared_by<E>(member, i));
  }
  return true;
}

// Piece by piece, so that the levels of the tree work at the same time.
template <class E, class Op>
void all_reduce_elements(Collective& c, std::span<E> data, Op& op) {
  if (all_reduce_shared(c, data, op)) return;
  constexpr std::size_t piece = (256 << 10) / sizeof(E);
  using Piece = std::vector<E>;
  Joining<Piece, Op> join{op};
  const Tree& tree = c.tree(0);
  auto part = [&](std::size_t from) { return data.subspan(from, std::min(piece, data.size() - from)); };
  std::size_t from = 0;
  do {
    auto mine = part(from);
    if (auto all = reduce_up(c, tree, Piece(mine.begin(), mine.end()), join)) std::copy(all->begin(), all->end(), mine.begin());
  } while ((from += piece) < data.size());
  from = 0;
  do {
    auto mine = part(from);
    auto all = send_down(c, tree, tree.parent ? Piece() : Piece(mine.begin(), mine.end()));
    if (all.size() != mine.size()) raise_lengths(all.size(), mine.size());
    std::copy(all.begin(), all.end(), mine.begin());
  } while ((from += piece) < data.size());
}

void check_one_for_each(const char* collective, std::size_t values, const Membership& in);  // throws usage_error

template <class V>
Bundle<V> bundle_of(std::vector<V> values, const Membership& in) {
  check_one_for_each("scatter", values.size(), in);
  Bundle<V> all;
  for (std::uint32_t i = 0; i < in.size(); ++i) all.emplace_hint(all.end(), i, std::move(values[i]));
  return all;
}
template <class V>
std::vector<V> vector_of(Bundle<V> all) {
  std::vector<V> values;
  values.reserve(all.size());
  for (auto& [index, value] : all) values.push_back(std::move(value));
  return values;
}

std::shared_ptr<Membership> split_of(Collective& c, std::int64_t color, std::int64_t key);

}  // namespace octavo::detail
