// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/introduction_service.hpp"

#include <string>
#include <utility>

#include "base/overloaded.hpp"

namespace octavo::agent {

IntroductionService::IntroductionService(const Identity& self, Processes& processes, const DeathRegister& deaths, const Routes& routes, Watches& watches,
                                         Passivation& passivation, NamedObjects* objects, Directly directly)
    : self_(self),
      processes_(processes),
      deaths_(deaths),
      routes_(routes),
      watches_(watches),
      passivation_(passivation),
      objects_(objects),
      directly_(std::move(directly)) {}

void IntroductionService::take(const RequesterPtr& requester, const control::IntroductionNotice& notice) {
  std::visit(overloaded{[&](const control::Connect& request) { connect(requester, request); },
                        [&](const control::Watch& request) { watches_.watch(requester, request); },
                        [&](const control::Disconnect& request) {
                          passivation_.disconnect(requester, request.who, [requester](bool all) { requester->answer(control::Disconnected{0, all}); });
                        },
                        [&](const control::Disconnected& answer) {
                          own_process(requester);
                          passivation_.disconnected(answer);
                        },
                        [](const control::Connected&) { refuse_told_to_processes(); }, [](const control::Died&) { refuse_told_to_processes(); }},
             notice);
}

void IntroductionService::connect(const RequesterPtr& requester, const control::Connect& request) {
  const Address& who = request.to;
  if (forward(requester, request)) return;
  if (who.lasting() && objects_ != nullptr) return objects_->connect(requester, request);
  if (Child* there = processes_.living(who)) return requester->connect(*there);
  requester->answer(why_not(request));
}

bool IntroductionService::forward(const RequesterPtr& requester, const control::Connect& request) const {
  const Address& who = request.to;
  if (who.lasting()) return routes_.forward(routes_.named(who, requester->peer()), requester, request);
  const auto* dead = deaths_.find(who);
  if (dead == nullptr) return (directly_ && directly_(requester, request)) || routes_.forward(routes_.agent(who.agent), requester, request);
  if (dead->machine_lost.empty() || self_.daemon) return false;  // a lasting agent forgets it when the program is back
  try {                                                          // which was stopped for long, say; this agent does not hear of that
    return routes_.forward(routes_.agent(who.agent), requester, request);
  } catch (const gone_error&) {
    return false;
  }
}

control::Failed IntroductionService::why_not(const control::Connect& request) const {
  control::Failed no{0, error_kind::gone, {}, {}, {}};
  if (const auto* dead = deaths_.find(request.to); dead != nullptr) no.obituary = *dead;
  else if (request.to.agent == self_.id && request.to.incarnation != self_.incarnation)
    no.message = "process " + std::to_string(request.to.object) + " belonged to an earlier life of the agent of " + self_.machine;
  else no.message = "there never was a process " + std::to_string(request.to.object) + " on " + self_.machine;
  return no;
}

}  // namespace octavo::agent
