// SPDX-License-Identifier: Apache-2.0
// Which part of an agent takes the notices of which service. A new service has its line here, and its variant in control.hpp.
#include "machine/agent/services/services.hpp"

namespace octavo::agent {

ServiceTable all_services(const ServiceParts& parts) {
  return ServiceTable({
      door<control::LifeNotice>(parts.life),
      door<control::IntroductionNotice>(parts.introductions),
      door<control::NameNotice>(parts.names),
      door<control::MailboxNotice>(parts.mailboxes),
      door<control::LockNotice>(parts.locks),
  });
}

}  // namespace octavo::agent
