// SPDX-License-Identifier: Apache-2.0
// What the search for cycles asks of a member of groups.
// Threading: the reader.
#pragma once

#include "octavo/machine/address.hpp"
#include "process/cycle/probe.hpp"

namespace octavo::detail {

// What a member of groups still owes to others: groups are a feature (member/).
class OwedLetters {
 public:
  OwedLetters() = default;
  OwedLetters(const OwedLetters&) = delete;
  OwedLetters& operator=(const OwedLetters&) = delete;
  virtual ~OwedLetters() = default;
  enum class owing : std::uint8_t { nothing, inside, not_begun };
  // Whether this member has still to send one that `to` waits for: in the collective it is in, or in one that it has not begun.
  [[nodiscard]] virtual owing owes(const LetterWait& letter, const Address& to) const = 0;
};

}  // namespace octavo::detail
