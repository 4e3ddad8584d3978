// SPDX-License-Identifier: Apache-2.0
// Whose death some call has told, or who was killed from here: to destroy it is no mistake, and its end no news.
// Threading: any.
#pragma once

#include <mutex>
#include <set>

#include "machine/obituary.hpp"

namespace octavo::detail {

class ToldDeaths {
 public:
  // Of an object with a name never, which has lives; nor of one that was destroyed: to destroy it again is a mistake.
  void note(const Obituary& death) {
    if (!death.destroyed) note(death.facts.address);
  }
  void note(const Address& object) {
    std::lock_guard lock(mutex_);
    if (!object.lasting()) told_.insert(object);
  }
  [[nodiscard]] bool has(const Address& object) const {
    std::lock_guard lock(mutex_);
    return told_.contains(object);
  }

 private:
  mutable std::mutex mutex_;
  std::set<Address> told_;
};

}  // namespace octavo::detail
