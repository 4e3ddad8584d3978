// SPDX-License-Identifier: Apache-2.0
// Which part of an agent takes the notices of which service.
//
//   services.take(requester, notice);             // what the part throws is the answer to a request; of anything else it is thrown on
//   services.take_last_word(child, notice);       // of a process that has died: only what it says of itself, nothing that it asks for
//
// Threading: the agent's.
#pragma once

#include "machine/agent/services/introduction_service.hpp"
#include "machine/agent/services/life_service.hpp"
#include "machine/agent/services/locks.hpp"
#include "machine/agent/services/message_services.hpp"
#include "machine/agent/services/segments.hpp"
#include "machine/lasting/name_service.hpp"

namespace octavo::agent {

struct Services {
  LifeService& life;
  IntroductionService& introductions;
  NameService& names;
  Mailboxes& mailboxes;
  Locks& locks;
  Segments& segments;
  Channels& channels;
  HomeLocks& home_locks;
  HomeSegments& home_segments;

  // Every request is answered, now or later, or its requester is gone.
  void take(const RequesterPtr& requester, const control::Notice& notice) const;
  void take_last_word(Child& dead, const control::Notice& notice) const;
};

}  // namespace octavo::agent
