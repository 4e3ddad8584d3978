// SPDX-License-Identifier: Apache-2.0
// The service of names, in every agent: a lasting agent does what is asked, any other passes it on to the one that keeps the names of that machine.
//
//   NameService names(routes, forwarder, passivation, &objects, {...});       // null: this is no lasting agent
//
// Threading: the agent's. Failure: answered Failed.
#pragma once

#include <functional>

#include "machine/agent/peers/routes.hpp"
#include "machine/lasting/named_objects.hpp"
#include "machine/lasting/passivation.hpp"

namespace octavo::agent {

class NameService {
 public:
  struct Surroundings {
    std::function<bool()> daemon_is_there;  // of this machine: one runs, or has not ended yet
    std::function<void()> retire;           // this lasting agent saves its objects, and ends
  };
  NameService(const Routes& routes, Passivation& passivation, NamedObjects* objects, Surroundings around);

  void take(const RequesterPtr& requester, const control::NameNotice& notice);
  void hear_ready(Child& from, const control::Ready& ready);
  void hear_construct_failed(const Child& from, const control::ConstructFailed& why);

 private:
  template <class Request>
  [[nodiscard]] bool is_forwarded(const RequesterPtr& requester, const Request& request) const {
    return routes_.forward(routes_.names_of(request.machine), requester, request);
  }
  NamedObjects& objects() const;
  void end_lasting(const RequesterPtr& requester, const control::EndLasting& request);
  void hear_idle(const RequesterPtr& requester, Child& from);

  const Routes& routes_;
  Passivation& passivation_;
  NamedObjects* const objects_;
  const Surroundings around_;
};

}  // namespace octavo::agent
