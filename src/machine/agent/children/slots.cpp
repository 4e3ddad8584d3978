// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/slots.hpp"

#include <string>
#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::agent {

Slots::Slots(unsigned most, Reclaim reclaim) : most_(most), reclaim_(std::move(reclaim)) {}

// Cleaned once more: something may have been handed to the last process in the instant of its end.
unsigned Slots::take() {
  for (unsigned slot = 0; slot < most_; ++slot)
    if (!taken_.contains(slot) && !unclean_.contains(slot) && clean(slot)) {
      taken_.insert(slot);
      return slot;
    }
  throw refused("more than " + std::to_string(most_) + " objects on one machine", "Destroy some first");
}

void Slots::release(unsigned slot) {
  taken_.erase(slot);
  clean(slot);
}

void Slots::clean_again() {
  for (auto slot : std::set(unclean_)) clean(slot);
}

bool Slots::clean(unsigned slot) {
  const bool all = reclaim_(slot);
  if (all) unclean_.erase(slot);
  else unclean_.insert(slot);
  return all;
}

}  // namespace octavo::agent
