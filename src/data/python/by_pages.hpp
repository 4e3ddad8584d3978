// SPDX-License-Identifier: Apache-2.0
// Large arrays are reduced in memory that all members of a machine share: each puts its own into a page, reduces its part of all of them, and takes what the
// others have made of theirs. So each element is copied twice, and reduced once, wherever it is.
//
//   reduces_by_pages(membership, bytes) ? all_reduce_by_pages(c, data, how) : all_reduce_in_place(c, data, how);
//
// Contract: all members give the same; operands in the order of the indices (G-6).
// Threading: that of a collective.
#pragma once

#include "data/python/elements.hpp"

namespace octavo::detail {

// Whether it is done so: not of small ones, nor where the members are on several machines. The same at all.
bool reduces_by_pages(const Membership& in, std::size_t bytes);
void all_reduce_by_pages(Collective& c, ByteSpan data, const Reduction& how);

}  // namespace octavo::detail
