// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/other_languages.hpp"

#include <unistd.h>

#include "octavo/message/mutex.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"
#include "process/forks_so_far.hpp"
#include "process/locks/lock.hpp"

namespace octavo::detail {

void refuse_names_of_parent() {
  if (const pid_t parent = forked_off(); parent != 0) raise_forked(parent);
}

OfProcess::OfProcess() noexcept : life_(forks()), process_(::getpid()) {}

void OfProcess::check() const {
  if (life_ != forks()) raise_forked(process_);
}

bool holds(const Mutex& mutex) {
  struct Access : NamedLock {
    static const Lock& of(const Mutex& named) { return (named.*(&Access::lock_of))(); }
  };
  const Lock& lock = Access::of(mutex);
  lock.check_here();
  return (lock.word().load(std::memory_order_relaxed) & lock_word::holder_bits) == lock.mine(this_thread());
}

void check_is_there(const Address& who, bool destroyed) {
  auto& links = Endpoint::require().around().links;
  const auto link = links.link_to(who);
  if (!who.lasting() && (destroyed || links.is_seen_to_have_ended(who))) links.raise_gone({who, link.facts.pid});
}

}  // namespace octavo::detail
