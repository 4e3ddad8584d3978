// SPDX-License-Identifier: Apache-2.0
// Calls that every object answers, whatever its class: what layers above say to the members of a group.
//
//   const Method* const fill = register_for_all("octavo::distributed::fill", &run_fill);       // before main
//   call_all(group, *fill, [&](wire::Encoder& out, std::uint32_t index) { out(values[index]); }, {});
//
// Threading: any thread that may call. Failure: of several errors the first by index, which then says which member it was (G-2).
#pragma once

#include <functional>

#include "octavo/group/detail/membership.hpp"

namespace octavo::detail {

const Method* register_for_all(const char* key, void (*run)(Hosted&, wire::Message&, const Reply&));

using EncodeFor = std::function<void(wire::Encoder&, std::uint32_t)>;
using HearFrom = std::function<void(wire::Message&, std::uint32_t)>;

// Calls this method of each member, in parallel, and waits for all.
void call_each(const Founding& group, const Method& method, const EncodeFor& encode, const HearFrom& hear);
// The same as one call to all, to which the collectives in it belong (G-16).
void call_all(const Founding& group, const Method& method, const EncodeFor& encode, const HearFrom& hear);
// Does not wait, and what becomes of it nobody hears.
void tell_each(const Founding& group, const Method& method, const EncodeFor& encode) noexcept;

}  // namespace octavo::detail
