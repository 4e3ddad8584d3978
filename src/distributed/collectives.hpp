// SPDX-License-Identifier: Apache-2.0
// What the members of a group do together with their parts of an array: each calls it, with the same arguments.
//
//   auto part = make_part(membership, facts, fill);           // facts without an id: the collective gives it
//   exchange_halo(membership, *part, boundary::nearest, {});
//   auto other = resplit(membership, *part, Split::block({1, 4}));
//   gather(membership, *part, 0, to);                         // `to` at the root
//
// Contract: DA-2 to DA-7 (octavo/distributed/distributed_array.hpp). Threading and failure: those of a collective (G-5 to G-9).
#pragma once

#include "distributed/part.hpp"
#include "octavo/data/array.hpp"

namespace octavo::detail {

std::shared_ptr<DistributedPart> make_part(Membership& in, DistributedFacts facts, const Scalar& fill);
// Of the same split and another type; no word goes between the members.
// Whose elements are not set; no word goes between the members. `doing`: as errors name it.
std::shared_ptr<DistributedPart> make_unset(Membership& in, DistributedFacts facts, const std::string& doing);
std::shared_ptr<DistributedPart> make_like(Membership& in, const DistributedPart& part, dtype type);
void exchange_halo(Membership& in, DistributedPart& part, boundary how, const Scalar& beyond);
std::shared_ptr<DistributedPart> resplit(Membership& in, const DistributedPart& part, const Split& split);
// All of it in C order, at the root.
void gather(Membership& in, const DistributedPart& part, std::uint32_t root, std::byte* to);
Scalar reduce(Membership& in, const DistributedPart& part, reduction how);
// An array of the other axes, of the same split; where this axis is split it lies at the first of its members.
std::shared_ptr<DistributedPart> reduce_axis(Membership& in, const DistributedPart& part, reduction how, int axis);
// Throws usage_error.
void check_reduction(const DistributedFacts& facts, reduction how, int axis);
// Each its own elements, from and to an array on disk of the same shape that all were given. Returns when all have.
void read_part(Membership& in, DistributedPart& part, const Array& from);
void write_part(Membership& in, const DistributedPart& part, const Array& to);

}  // namespace octavo::detail
