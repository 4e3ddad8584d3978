// SPDX-License-Identifier: Apache-2.0
// What bindings to other languages need of locks and messages, besides octavo/process/detail/other_languages.hpp.
// Threading: any.
#pragma once

#include <sys/types.h>

namespace octavo {

struct Address;
class Mutex;

namespace detail {

// Throws usage_error in a process that one with a Runtime of its program has forked, or forked what forked it. What has the name of a lock or a mailbox there
// has it here only where the user has made a Runtime: one that a language begins by itself would tell nobody that it is another lock.
void refuse_names_of_parent();

// What this process has made, or what arrived here. In a child that is forked off it, also in one with a Runtime of its own, it is refused.
class OfProcess {
 public:
  OfProcess() noexcept;
  void check() const;  // throws usage_error

 private:
  unsigned life_;
  pid_t process_;
};

// Whether this thread has the mutex. Throws usage_error where that was made elsewhere.
bool holds(const Mutex& mutex);

// Throws what a call of this object would throw because it is not there, as far as is known now: before what cannot be had back is encoded. `destroyed`: this
// process has destroyed it, and may not have heard of its end yet.
void check_is_there(const Address& who, bool destroyed);

}  // namespace detail
}  // namespace octavo
