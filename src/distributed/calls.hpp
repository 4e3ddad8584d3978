// SPDX-License-Identifier: Apache-2.0
// The operations on a distributed array as they are called on all members from outside.
//
//   facts.id = calls::make(facts, fill);
//   calls::exchange_halo(facts, boundary::nearest, {});
//
// Threading: any thread that may call. Failure: that of a call to all (G-2).
#pragma once

#include "distributed/combine.hpp"
#include "octavo/data/array.hpp"

namespace octavo::detail::calls {

// With what the members made of it: its id, and their hosts.
DistributedFacts make(const DistributedFacts& facts, const Scalar& fill);
void exchange_halo(const DistributedFacts& facts, boundary how, const Scalar& beyond);
DistributedFacts resplit(const DistributedFacts& facts, const Split& split);
void gather(const DistributedFacts& facts, std::uint32_t root, std::byte* to);
Scalar reduce(const DistributedFacts& facts, reduction how);
DistributedFacts reduce_axis(const DistributedFacts& facts, reduction how, int axis);
void combine(const DistributedFacts& into, arithmetic how, const Term& left, const Term& right);
void put(const DistributedFacts& facts, const std::byte* all);
void read(const DistributedFacts& facts, const Array& from);
void write(const DistributedFacts& facts, const Array& to);
// Of an array that was made from outside: nobody needs the parts any more.
void let_go(const DistributedFacts& facts) noexcept;

}  // namespace octavo::detail::calls
