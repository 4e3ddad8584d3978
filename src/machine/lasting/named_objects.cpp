// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/named_objects.hpp"

#include <signal.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "machine/agent/common/attempt.hpp"
#include "machine/registry/state_file.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

namespace {

// How its program finds what reads its state.
std::uint64_t state_key_of(const NamedEntry& entry) {
  std::uint64_t key = 0;
  std::memcpy(&key, entry.construction.data(), std::min(sizeof key, entry.construction.size()));
  return key;
}

NamedEntry entry_for(const control::Spawn& request) {
  NamedEntry entry;
  entry.name = address_name(request.where.name);
  entry.class_name = request.class_name;
  entry.command = request.command;
  entry.build = request.how.build;
  entry.state_version = request.how.version;
  entry.directory = request.directory;
  entry.environment = request.environment;
  entry.construction.resize(sizeof request.how.restore);
  std::memcpy(entry.construction.data(), &request.how.restore, sizeof request.how.restore);
  entry.policy = request.where.keeping;
  return entry;
}

}  // namespace

NamedObjects::Server NamedObjects::recorded(const NamedEntry& entry) { return {entry.command, {state_key_of(entry), entry.state_version, entry.build}}; }

Child& NamedObjects::make(const control::Spawn& request) {
  if (ending_) throw refused("the lasting agent of " + self_.machine + " is ending", "Make ov://" + request.where.name + " again in a moment");
  if (request.command.empty()) throw usage_error("an object with a name needs the program that serves it", "Say its command");
  const auto entry = registry_.add(entry_for(request));
  try {
    return start(entry, {request.command, request.how}, true);
  } catch (...) {
    registry_.remove(entry.object);
    throw;
  }
}

Child& NamedObjects::start(const NamedEntry& entry, const Server& by, bool fresh) {
  auto run = start_(by.command, "octavo:" + entry.class_name + " ov://" + entry.name, entry.directory, entry.environment);
  ProcessFacts facts{{self_.id, 0, entry.object}, entry.class_name, self_.machine, run.pid, now_seconds()};
  Child& child = processes_.adopt(std::move(facts), std::move(run), 0, control::NamedHome{registry_.directory(), entry.name, by.how, entry.policy, fresh});
  child.named = std::make_unique<Named>();
  child.named->fresh = fresh;
  child.named->command = by.command;
  child.named->how = by.how;
  return child;
}

void NamedObjects::reach(const RequesterPtr& requester, const NamedEntry& entry, const control::Notice& request) {
  if (Child* child = processes_.find(entry.object); child != nullptr) {
    if (child->named->passivating) return child->named->later.push_back({requester, request});
    child->named->passivation_round = 0;  // it is of use again
    if (child->named->ready) return requester->connect(*child);
    return child->named->waiting.push_back(requester);
  }
  if (ending_) return;  // the end of this agent tells the requester's, which asks the next one of this machine
  Server by = recorded(entry);
  if (const auto* open = control::get_if<control::Open>(&request)) {
    budgets_.erase(entry.object);
    for (const auto& known : open->known)
      if (known.restore == by.how.restore) by = {known.built_in && !open->server.empty() ? std::vector{open->server} : open->command, known};
  } else if (auto no = why_down(entry)) {
    return requester->answer(*no);
  }
  start(entry, by, false).named->waiting.push_back(requester);
}

NamedEntry NamedObjects::entry_of(const std::string& name) {
  auto entry = registry_.find(address_name(name));
  if (!entry) throw usage_error("there is no object ov://" + address_name(name) + " on " + self_.machine, "See the names there are: octavo ls ov://");
  return *entry;
}

void NamedObjects::open(const RequesterPtr& requester, const control::Open& request) { reach(requester, entry_of(request.name), request); }

void NamedObjects::connect(const RequesterPtr& requester, const control::Connect& request) {
  auto entry = registry_.find(request.to.object);
  if (!entry) throw gone_error("the object " + object_text(request.to.object) + " of " + self_.machine + " was destroyed", "Make it again, with its name");
  reach(requester, *entry, request);
}

control::NameList NamedObjects::names(const control::Names& request) {
  control::NameList list;
  for (const auto& entry : registry_.list(address_prefix(request.prefix))) {
    const Child* child = processes_.find(entry.object);
    list.names.push_back({entry.name, {self_.id, 0, entry.object}, entry.class_name, entry.made, entry.generation, child == nullptr ? 0 : child->facts.pid});
  }
  return list;
}

void NamedObjects::rollback(const RequesterPtr& requester, const control::Rollback& request) {
  auto entry = entry_of(request.name);
  if (Child* child = processes_.find(entry.object); child != nullptr) {
    if (child->named->fresh) throw refused("ov://" + printable(entry.name) + " is being made: it has no state yet", "Go back when it has been saved twice");
    child->named->later.push_back({requester, request});
    if (std::exchange(child->named->passivating, true)) return;
    child->named->killed_by_agent = true;
    ::kill(child->run.pid, SIGKILL);
    return;
  }
  auto now = restore_previous(registry_.directory(), entry.object);
  registry_.update(entry.object, {.state_version = now.state_version, .generation = now.generation});
  budgets_.erase(entry.object);
  unreadable_.erase(entry.object);
  requester->answer(control::Done{});
}

void NamedObjects::forget_unreadable(const RequesterPtr& requester, const control::Forget& request) {
  const auto object = request.object.object;
  if (!unreadable_.contains(object))
    throw refused("nothing says that the state of object " + object_text(object) + " of " + self_.machine + " cannot be read", "Destroy it again");
  if (Child* child = processes_.find(object); child != nullptr) return child->named->later.push_back({requester, request});  // it is about to end
  forget(object);
  requester->answer(control::Done{});
}

void NamedObjects::ready(Child& from, const control::Ready& ready) {
  Registry::Change change{.generation = ready.generation};
  if (from.named->ready || from.named->fresh) change.state_version = from.named->how.version;  // else it is as it was read
  if (!std::exchange(from.named->ready, true)) {                                               // a program that could not read the state is not recorded
    change.command = from.named->command;
    change.build = from.named->how.build;
  }
  // The object and its state are there: the requesters that wait are connected with it even if the registry cannot be written.
  attempt("entering what object " + object_text(from.facts.address.object) + " has become", [&] { registry_.update(from.facts.address.object, change); });
  from.named->fresh = false;
  unreadable_.erase(from.facts.address.object);
  for (auto& requester : std::exchange(from.named->waiting, {})) attempt("connecting who waited for an object", [&] { requester->connect(from); });
}

// Another program may know the class, or its later version.
void NamedObjects::construct_failed(const Child& from, const control::ConstructFailed& why) {
  if (!from.named->fresh && why.kind != error_kind::usage && why.kind != error_kind::not_supported) unreadable_.insert(from.facts.address.object);
  if (from.named->fresh) attempt("removing the name of what could not be made", [&] { forget(from.facts.address.object); });
  else from.named->passivating = true;  // it ends: who comes meanwhile is told by the next one, not of this end
  answer_waiting(*from.named, {0, why.kind, why.message, why.cure, {}});
}

void NamedObjects::destroyed(std::uint64_t object) { forget(object); }

void NamedObjects::passivate(Child& child) {
  if (std::exchange(child.named->passivating, true)) return;
  processes_.tell(child, control::Passivate{});
}

void NamedObjects::forget(std::uint64_t object) {
  budgets_.erase(object);
  unreadable_.erase(object);
  if (registry_.remove(object)) remove_state(registry_.directory(), object);
}

void NamedObjects::settle(Child& dead, const Obituary& obituary) {
  attempt("entering the end of " + dead.facts.class_name, [&] {
    if (dead.named->fresh || obituary.destroyed) forget(obituary.facts.address.object);
    else if (!obituary.resting && !dead.named->killed_by_agent) after_accident(obituary);
  });
  answer_waiting(*dead.named, {0, error_kind::gone, obituary.text(), {}, obituary});
}

void NamedObjects::fulfil_later(const Child& dead) {
  for (const auto& each : dead.named->later) attempt("an object's next life", [&] { fulfil_(each.requester, each.request); });
}

void NamedObjects::answer_waiting(Named& named, const control::Failed& no) {
  for (const auto& requester : std::exchange(named.waiting, {})) attempt("answering who waited for an object", [&] { requester->answer(no); });
}

}  // namespace octavo::agent
