// SPDX-License-Identifier: Apache-2.0
// How a process comes to the page of a segment with a name: the agent knows which page that is, and the processes count who has it (SEG-2, SEG-3).
//
//   auto page = detail::open_segment(pool, {0, "heat", "float64", 100, 800, {}}, make_zeros, ask_the_agent);   // one reference is the caller's
//
// Between what the agent says and what this process does about it others come and go: the page may be gone again, or another process's may be first.
// Threading: any. Failure: what `make` and `ask` throw; then no reference is left.
#pragma once

#include <functional>
#include <optional>

#include "machine/notices/segment_notices.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo::detail {

using MakeSegment = std::function<wire::PageRef()>;
using AskForSegment = std::function<std::optional<wire::PageRef>(const control::OpenSegment&)>;

wire::PageRef open_segment(Pool& pool, control::OpenSegment request, const MakeSegment& make, const AskForSegment& ask);

}  // namespace octavo::detail
