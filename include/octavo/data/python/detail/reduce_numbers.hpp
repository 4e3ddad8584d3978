// SPDX-License-Identifier: Apache-2.0
// Arrays of numbers in reductions, element by element, as members in Python and in C++ have them together: on the wire each is a std::vector of its numbers.
//
//   const auto* how = reduction_of("float64", "sum");               // null: there is none
//   reduce_numbers(membership, bytes, *how, everywhere);            // in place
//
// Contract: G-6. Large arrays are reduced in memory that all members of a machine share. Threading: that of a collective; no lock of an interpreter is needed.
#pragma once

#include <functional>
#include <string_view>

#include "octavo/group/detail/membership.hpp"

namespace octavo::detail {

// One reduction of one type of numbers.
struct Reduction {
  std::string_view type_name;                                                               // in C++
  std::size_t bytes = 0;                                                                    // of an element
  std::function<void(std::byte* into, const std::byte* other, std::size_t count)> combine;  // into[i] = into[i] op other[i]
  bool same_everywhere = false;                                                             // each member may do it
};
// `dtype` as NumPy names it, in the byte order of this machine; `operation`: sum, prod, min, max, of which the last two give NaN where one is.
const Reduction* reduction_of(std::string_view dtype, std::string_view operation);

inline constexpr std::int64_t everywhere = -1;
// Of all members' `data`, at the member `root` or at all. True where the result is.
bool reduce_numbers(Membership& in, ByteSpan data, const Reduction& how, std::int64_t root);

}  // namespace octavo::detail
