// SPDX-License-Identifier: Apache-2.0
// How values of Python and C++ become one in reductions, and what the collectives are called at all members, whatever their language.
//
//   JoinedValues<double, std::plus<>> join{op};   SizedValue both = join(left, right);
//   reduce_array(membership, vector, op, everywhere);
//
// Threading: that of a collective. Failure: usage_error for arrays that do not fit each other.
#pragma once

#include "octavo/data/python/detail/conversion.hpp"
#include "octavo/data/python/detail/reduce_numbers.hpp"
#include "octavo/group/detail/scan.hpp"

namespace octavo::detail {

// python/bindings/objects/group/member.cpp has them, too.
namespace collective_text {
inline std::string broadcast(std::size_t root) { return "broadcast of a Python value from " + std::to_string(root); }
inline std::string scatter(std::size_t root) { return "scatter of Python values from " + std::to_string(root); }
inline std::string gather(std::size_t root) { return "gather of Python values to " + std::to_string(root); }
inline std::string reduce(std::size_t root) { return "reduce of Python values to " + std::to_string(root); }
inline constexpr const char *all_gather = "all_gather of Python values", *all_reduce = "all_reduce of Python values", *scan = "scan of Python values",
                            *exclusive_scan = "exclusive_scan of Python values", *all_to_all = "all_to_all of Python values";
}  // namespace collective_text

template <class V>
struct vector_of_numbers : std::false_type {};
template <class E, class A>
struct vector_of_numbers<std::vector<E, A>> : std::bool_constant<is_element<E>> {};
// What is reduced element by element.
template <class V>
inline constexpr bool is_array = std::is_same_v<V, ArrayPage> || vector_of_numbers<V>::value;

[[noreturn]] void raise_no_operation(dtype type);
void check_one_size(const ArrayPage& left, const ArrayPage& right);  // throws usage_error

template <class E, class Op>
void combine_elements(Op& op, E* into, const E* other, std::size_t count) {
  if constexpr (std::is_invocable_r_v<E, Op&, E, E>) {
    for (std::size_t i = 0; i < count; ++i) into[i] = static_cast<E>(op(into[i], other[i]));
  } else {
    raise_no_operation(element_type<E>());
  }
}

template <class V, class Op>
V joined_python(Op& op, V left, const V& right) {
  if constexpr (std::is_same_v<V, ArrayPage>) {
    check_one_size(left, right);
    with_type(left.type(), [&](auto zero) {
      using E = decltype(zero);
      combine_elements(op, reinterpret_cast<E*>(left.mutable_data()), reinterpret_cast<const E*>(right.data()), static_cast<std::size_t>(left.shape().count()));
    });
    return left;
  } else if constexpr (vector_of_numbers<V>::value) {
    if (left.size() != right.size()) raise_lengths(left.size(), right.size());
    combine_elements(op, left.data(), right.data(), left.size());
    return left;
  } else {
    static_assert(std::is_invocable_r_v<V, Op&, V, V>, "the operation of a reduction must take two values and give one of the same type");
    return static_cast<V>(op(std::move(left), right));
  }
}

template <class V, class Op>
struct JoinedValues {
  Op& op;
  SizedValue operator()(const SizedValue& left, const SizedValue& right) const {
    return to_python<V>(joined_python<V>(op, from_python<V>(left.value), from_python<V>(right.value)));
  }
};

template <class E, class Op>
bool reduce_elements(Membership& in, E* data, std::size_t count, Op& op, std::int64_t root) {
  const auto type_of = with_type(element_type<E>(), [](auto zero) { return type_name<decltype(zero)>(); });
  const Reduction how{type_of, sizeof(E),
                      [&op](std::byte* into, const std::byte* other, std::size_t elements) {
                        combine_elements(op, reinterpret_cast<E*>(into), reinterpret_cast<const E*>(other), elements);
                      },
                      same_everywhere<Op>};
  return reduce_numbers(in, {reinterpret_cast<std::byte*>(data), count * sizeof(E)}, how, root);
}
// In place. True where the result is.
template <class V, class Op>
bool reduce_array(Membership& in, V& value, Op& op, std::int64_t root) {
  if constexpr (std::is_same_v<V, ArrayPage>) {
    return with_type(value.type(), [&](auto zero) {
      return reduce_elements(in, reinterpret_cast<decltype(zero)*>(value.mutable_data()), static_cast<std::size_t>(value.shape().count()), op, root);
    });
  } else {
    return reduce_elements(in, value.data(), value.size(), op, root);
  }
}

}  // namespace octavo::detail
