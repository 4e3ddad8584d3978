// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/named_lock.hpp"

#include "octavo/base/error.hpp"
#include "process/locks/lock.hpp"

namespace octavo::detail {

bool NamedLock::is_counted() const noexcept { return kind_ == lock_kind::semaphore || kind_ == lock_kind::barrier; }

void NamedLock::open() { lock_ = Lock::open(kind_, name_, initial_); }

void NamedLock::raise_nameless() const { throw usage_error("a " + to_string(kind_) + " without a name was used", "Give it one where it is made"); }

}  // namespace octavo::detail
