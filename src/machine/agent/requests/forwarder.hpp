// SPDX-License-Identifier: Apache-2.0
// Hands a request to the agent that it is for.
//
//   if (forwarder.forward(routes.machine(where), requester, request)) return;
//   ...                                                                       // it is for this agent
//
// Threading: the agent's. Failure: as Requester::hand_to.
#pragma once

#include <functional>
#include <utility>

#include "machine/agent/common/requester.hpp"
#include "machine/agent/peers/routes.hpp"

namespace octavo::agent {

class Forwarder {
 public:
  // Until the lasting agent of this machine is reached.
  using Postpone = std::function<void(const RequesterPtr& requester, const control::Notice& request)>;
  explicit Forwarder(Postpone postpone) : postpone_(std::move(postpone)) {}

  // False: the request is for this agent.
  [[nodiscard]] bool forward(const Routes::To& to, const RequesterPtr& requester, const control::Notice& request) const {
    if (!to) postpone_(requester, request);
    else if (*to != nullptr) requester->hand_to(**to, request);
    else return false;
    return true;
  }

 private:
  const Postpone postpone_;
};

}  // namespace octavo::agent
