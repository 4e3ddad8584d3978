// SPDX-License-Identifier: Apache-2.0
// The service of introductions: connecting processes with each other, disconnecting them, and telling them of deaths.
//
//   introductions.take(requester, control::Connect{0, address});
//
// Threading: the agent's. Failure: answered Failed, with the obituary of a dead process.
#pragma once

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/routes.hpp"
#include "machine/agent/services/watches.hpp"
#include "machine/lasting/named_objects.hpp"
#include "machine/lasting/passivation.hpp"

namespace octavo::agent {

class IntroductionService {
 public:
  // Has another agent fulfil it by a link that is not the hub's. False: it goes as other requests do.
  using Directly = std::function<bool(const RequesterPtr& requester, const control::Connect& request)>;
  // `objects`: null, if this is no lasting agent.
  IntroductionService(const Identity& self, Processes& processes, const DeathRegister& deaths, const Routes& routes, Watches& watches, Passivation& passivation,
                      NamedObjects* objects, Directly directly = {});

  void take(const RequesterPtr& requester, const control::IntroductionNotice& notice);

 private:
  void connect(const RequesterPtr& requester, const control::Connect& request);
  // False: it is no other agent's affair.
  [[nodiscard]] bool forward(const RequesterPtr& requester, const control::Connect& request) const;
  [[nodiscard]] control::Failed why_not(const control::Connect& request) const;

  const Identity& self_;
  Processes& processes_;
  const DeathRegister& deaths_;
  const Routes& routes_;
  Watches& watches_;
  Passivation& passivation_;
  NamedObjects* const objects_;
  const Directly directly_;
};

}  // namespace octavo::agent
