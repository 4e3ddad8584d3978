// SPDX-License-Identifier: Apache-2.0
// Processes whose death was raised here, or that were killed from here: to destroy it is no mistake, and its end no news.
// Threading: any.
#pragma once

#include <exception>
#include <mutex>
#include <set>

#include "octavo/process/errors.hpp"

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
  // An error of a call whose future was dropped, which says no more than that.
  [[nodiscard]] bool is_no_news(const Address& object, const std::exception_ptr& error) const {
    try {
      std::rethrow_exception(error);
    } catch (const process_died&) {
      return has(object);
    } catch (...) {
      return false;
    }
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
