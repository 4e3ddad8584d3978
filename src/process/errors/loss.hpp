// SPDX-License-Identifier: Apache-2.0
// What somebody is told who waits for a process that is gone: that it died; or, where its machine may live and is not reached from here, just that.
// Threading: any.
#pragma once

#include <exception>

#include "machine/obituary.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

[[nodiscard]] inline bool is_unreached(const Obituary& of) noexcept { return of.status == status_unreached; }

// Throws process_died, or gone_error.
[[noreturn]] inline void raise_loss(const Obituary& of) {
  if (is_unreached(of))
    throw gone_error(of.text(),
                     "What the two say to each other from now on fails, too. Objects that are made now talk by the program's machine: make new ones");
  throw process_died(of);
}

[[nodiscard]] inline std::exception_ptr loss_of(const Obituary& of) {
  try {
    raise_loss(of);
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace octavo::detail
