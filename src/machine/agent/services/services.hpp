// SPDX-License-Identifier: Apache-2.0
// All services of an agent.
#pragma once

#include "machine/agent/requests/service_table.hpp"
#include "machine/agent/services/introduction_service.hpp"
#include "machine/agent/services/life_service.hpp"
#include "machine/agent/services/locks.hpp"
#include "machine/agent/services/mailboxes.hpp"
#include "machine/lasting/name_service.hpp"

namespace octavo::agent {

struct ServiceParts {
  LifeService& life;
  IntroductionService& introductions;
  NameService& names;
  Mailboxes& mailboxes;
  Locks& locks;
};

ServiceTable all_services(const ServiceParts& parts);

}  // namespace octavo::agent
