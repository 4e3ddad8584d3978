// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of segments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "octavo/wire/page_ref.hpp"

namespace octavo::control {

// Process to agent: which page of the pool is the segment of this name. Answered SegmentAt. `offered`: one that the requester has made for it, and keeps until
// it is answered.
struct OpenSegment {
  std::uint64_t request = 0;
  std::string name, type;
  std::uint64_t elements = 0, bytes = 0;
  std::optional<wire::PageRef> offered;
};
// None: nobody has such a segment now, and none was offered. The page may be gone by the time it is to be shared: then the process asks again.
struct SegmentAt {
  std::uint64_t request = 0;
  std::optional<wire::PageRef> page;
};

using SegmentNotice = std::variant<OpenSegment, SegmentAt>;

}  // namespace octavo::control
