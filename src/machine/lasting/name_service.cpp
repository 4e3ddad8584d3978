// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/name_service.hpp"

#include <utility>

#include "base/overloaded.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

NameService::NameService(const Routes& routes, Passivation& passivation, NamedObjects* objects, Surroundings around)
    : routes_(routes), passivation_(passivation), objects_(objects), around_(std::move(around)) {}

NamedObjects& NameService::objects() const {
  if (objects_ == nullptr) throw usage_error("an agent that keeps no names was asked for one");
  return *objects_;
}

void NameService::take(const RequesterPtr& requester, const control::NameNotice& notice) {
  std::visit(overloaded{[&](const control::Open& request) {
                          if (!is_forwarded(requester, request)) objects().open(requester, request);
                        },
                        [&](const control::Names& request) {
                          if (!is_forwarded(requester, request)) requester->answer(objects().names(request));
                        },
                        [&](const control::Rollback& request) {
                          if (!is_forwarded(requester, request)) objects().rollback(requester, request);
                        },
                        [&](const control::Forget& request) {
                          if (!routes_.forward(routes_.named(request.object, requester->peer()), requester, request))
                            objects().forget_unreadable(requester, request);
                        },
                        [&](const control::EndLasting& request) { end_lasting(requester, request); },
                        [&](const control::Ready& ready) { hear_ready(own_process(requester), ready); },
                        [&](const control::ConstructFailed& why) { hear_construct_failed(own_process(requester), why); },
                        [&](const control::Idle&) { hear_idle(requester, own_process(requester)); },
                        [](const control::Passivate&) { refuse_told_to_processes(); }, [](const control::NameList&) { refuse_told_to_processes(); }},
             notice);
}

// The end of the link is the answer; where no lasting agent is, none has to end.
void NameService::end_lasting(const RequesterPtr& requester, const control::EndLasting& request) {
  auto to = routes_.names_of(request.machine);
  if (!to && !around_.daemon_is_there()) to = nullptr;
  if (routes_.forward(to, requester, request)) return;
  if (objects_ == nullptr) return requester->answer(control::Done{});
  around_.retire();
}

void NameService::hear_ready(Child& from, const control::Ready& ready) {
  if (objects_ == nullptr || from.named == nullptr) return log_line("agent: " + from.facts.class_name + " says that it is ready, and has no name");
  objects_->ready(from, ready);
}

void NameService::hear_construct_failed(const Child& from, const control::ConstructFailed& why) {
  if (objects_ == nullptr || from.named == nullptr) return log_line("agent: " + from.facts.class_name + " says that it could not be made, and has no name");
  objects_->construct_failed(from, why);
}

void NameService::hear_idle(const RequesterPtr& requester, Child& from) {
  if (objects_ == nullptr || objects_->ending()) return;
  passivation_.idle(requester, from, [this](Child& child) { objects_->passivate(child); });
}

}  // namespace octavo::agent
