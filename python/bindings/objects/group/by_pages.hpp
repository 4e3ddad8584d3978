// SPDX-License-Identifier: Apache-2.0
// Large arrays are reduced in memory that all members of a machine share: each puts its own into a page, reduces its part of all of them, and takes what the
// others have made of theirs. So each element is copied twice, and reduced once, wherever it is.
//
//   if (!all_reduce_by_pages(c, data, how)) all_reduce_in_place(c, data, how);    // it is small, or the members are on several machines
//
// Contract: all members give the same; operands in the order of the indices (G-6). What a member has given is not changed where it is false.
// Threading: that of a collective.
#pragma once

#include "objects/group/elements.hpp"

namespace octavo::bindings {

bool all_reduce_by_pages(detail::Collective& c, ByteSpan data, const Reduction& how);

}  // namespace octavo::bindings
