// SPDX-License-Identifier: Apache-2.0
// The methods that were called here lately, found without the lock of the table.
// Threading: one thread.
#pragma once

#include <array>
#include <cstdint>

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

class KnownMethods {
 public:
  // Null: there is none.
  const Method* find(std::uint64_t hash) noexcept {
    const Method*& known = known_[hash % known_.size()];
    if (known == nullptr || known->hash != hash) known = find_method(hash);
    return known;
  }

 private:
  std::array<const Method*, 64> known_{};  // none is ever taken from the table
};

}  // namespace octavo::detail
