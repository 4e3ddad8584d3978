// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/other_languages.hpp"

#include <unistd.h>

#include "process/endpoint.hpp"
#include "process/forked.hpp"
#include "process/forks_so_far.hpp"

namespace octavo::detail {

void refuse_names_of_parent() {
  if (const pid_t parent = forked_off(); parent != 0) raise_forked(parent);
}

OfProcess::OfProcess() noexcept : life_(forks()), process_(::getpid()) {}

void OfProcess::check() const {
  if (life_ != forks()) raise_forked(process_);
}

void check_is_there(const Address& who, bool destroyed) {
  auto& links = Endpoint::require().around().links;
  const auto link = links.link_to(who);
  if (!who.lasting() && (destroyed || links.is_seen_to_have_ended(who))) links.raise_gone({who, link.facts.pid});
}

}  // namespace octavo::detail
