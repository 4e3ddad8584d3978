// SPDX-License-Identifier: Apache-2.0
// The service of introductions: connecting processes with each other, parting them, and telling them of deaths.
//
//   introductions.take(requester, control::Connect{0, address});
//
// Threading: the agent's. Failure: answered Failed, with the obituary of a dead process.
#pragma once

#include <functional>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/requests/forwarder.hpp"
#include "machine/agent/services/watches.hpp"
#include "machine/lasting/passivation.hpp"

namespace octavo::agent {

class IntroductionService {
 public:
  // Of an object with a name, whose process may have to be started; null: this is no lasting agent.
  using ConnectNamed = std::function<void(const RequesterPtr& requester, const control::Connect& request)>;
  IntroductionService(const Identity& self, Processes& processes, const DeathRegister& deaths, const Routes& routes, const Forwarder& forwarder,
                      Watches& watches, Passivation& passivation, ConnectNamed connect_named);

  void take(const RequesterPtr& requester, const control::IntroductionNotice& notice);

 private:
  void connect(const RequesterPtr& requester, const control::Connect& request);
  [[nodiscard]] control::Failed why_not(const control::Connect& request) const;

  const Identity& self_;
  Processes& processes_;
  const DeathRegister& deaths_;
  const Routes& routes_;
  const Forwarder& forwarder_;
  Watches& watches_;
  Passivation& passivation_;
  const ConnectNamed connect_named_;
};

}  // namespace octavo::agent
