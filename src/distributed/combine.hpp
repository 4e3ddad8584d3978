// SPDX-License-Identifier: Apache-2.0
// Arithmetic of distributed arrays of one split: each member with its own elements.
//
//   combine_parts(into, arithmetic::add, {left.facts().id, &left, {}}, {0, nullptr, Scalar::of(2.0)});
//
// Threading: that of the parts. Failure: usage_error for a division of integers, which would end the process where one is 0.
#pragma once

#include "distributed/part.hpp"

namespace octavo::detail {

// An array, by its number and this member's part; or a number.
struct Term {
  std::uint64_t array = 0;
  const DistributedPart* part = nullptr;
  Scalar number;
};

void combine_parts(const DistributedPart& into, arithmetic how, const Term& left, const Term& right);
// Throws usage_error where the elements of `other` would have to be moved.
void check_fits(const DistributedFacts& one, const DistributedFacts& other);

}  // namespace octavo::detail
