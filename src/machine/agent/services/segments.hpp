// SPDX-License-Identifier: Apache-2.0
// The names of a machine's segments: which page of the pool each is. Its processes make these pages and count who has them, so the agent only knows whether a
// page is still there; a name whose page is gone is free.
//
//   Segments segments([&](const wire::PageRef& page) { return pool_has(page); });
//   segments.take(requester, control::OpenSegment{...});       // answered at once
//
// Threading: the agent's. Failure: usage_error (another type or size, no name), refused (too many names), io_error (what is offered is not there).
#pragma once

#include <functional>
#include <map>
#include <string>

#include "machine/agent/common/requester.hpp"

namespace octavo::agent {

class Segments {
 public:
  static constexpr std::size_t most_names = 4096, longest_name = 255;
  using IsThere = std::function<bool(const wire::PageRef& page)>;
  explicit Segments(IsThere is_there) : is_there_(std::move(is_there)) {}
  void take(const RequesterPtr& requester, const control::SegmentNotice& notice);

 private:
  struct Segment {
    std::string type;
    std::uint64_t elements = 0;
    wire::PageRef page;
  };
  [[nodiscard]] std::optional<wire::PageRef> open(const control::OpenSegment& request);
  void enter(const control::OpenSegment& request);

  const IsThere is_there_;
  std::map<std::string, Segment> segments_;
};

}  // namespace octavo::agent
