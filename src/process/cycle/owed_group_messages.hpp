// SPDX-License-Identifier: Apache-2.0
// What the search for cycles asks of a member of groups.
// Threading: the reader.
#pragma once

#include "octavo/base/no_copy.hpp"
#include "process/cycle/probe.hpp"

namespace octavo::detail {

// What a member of groups still owes to others: groups are a feature (member/).
class OwedGroupMessages : NoCopy {
 public:
  virtual ~OwedGroupMessages() = default;
  enum class owing : std::uint8_t { nothing, by_this_collective, by_one_not_begun };
  // Whether this member has still to send one that `to` waits for: in the collective it is in, or in one that it has not begun.
  [[nodiscard]] virtual owing owes(const GroupMessageWait& group_message, const Address& to) const = 0;
};

}  // namespace octavo::detail
