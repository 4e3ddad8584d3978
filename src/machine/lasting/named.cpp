// SPDX-License-Identifier: Apache-2.0
// Objects with names: kept by the lasting agent of a machine, which brings them back to life when somebody calls.
#include <algorithm>
#include <cstring>

#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/registry/state_file.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

// How its program finds what reads its state.
std::uint64_t state_key_of(const NamedEntry& entry) {
  std::uint64_t key = 0;
  std::memcpy(&key, entry.construction.data(), std::min(sizeof key, entry.construction.size()));
  return key;
}

}  // namespace

Agent::Loop::Service Agent::Loop::recorded(const NamedEntry& entry) { return {{entry.executable}, {state_key_of(entry), entry.state_version, entry.build}}; }

Child& Agent::Loop::begin_named(const control::Spawn& wish) {
  if (retired_at_) throw refused("the lasting agent of " + options_.machine + " is ending", "Make ov://" + wish.where.name + " again in a moment");
  NamedEntry entry;
  entry.name = address_name(wish.where.name);
  entry.class_name = wish.class_name;
  entry.executable = wish.command.front();
  entry.build = wish.how.build;
  entry.state_version = wish.how.version;
  entry.directory = wish.directory;
  entry.environment = wish.environment;
  entry.construction.resize(sizeof wish.how.restore);
  std::memcpy(entry.construction.data(), &wish.how.restore, sizeof wish.how.restore);
  const Keeping& keeping = wish.where.keeping;
  entry.policy.saving = keeping.every_call ? NamedPolicy::save::every_call : NamedPolicy::save::on_request;
  entry.policy.restarting = keeping.restarting;
  entry.policy.restarts = keeping.restarts;
  entry.policy.restart_seconds = keeping.restart_seconds;
  entry.policy.idle_seconds = keeping.idle_seconds;
  entry = registry_->add(std::move(entry));
  try {
    return start_named(entry, {wish.command, wish.how}, true);
  } catch (...) {
    registry_->remove(entry.object);
    throw;
  }
}

Child& Agent::Loop::start_named(const NamedEntry& entry, const Service& by, bool fresh) {
  auto run = spawn::start(by.command, "octavo:" + entry.class_name + " ov://" + entry.name, entry.directory, entry.environment);
  ProcessFacts facts{{id_, 0, entry.object}, entry.class_name, options_.machine, run.pid, now_seconds()};
  control::NamedHome home{registry_->directory(), entry.name, by.how, {}, fresh};
  home.keeping.every_call = entry.policy.saving == NamedPolicy::save::every_call;
  home.keeping.idle_seconds = entry.policy.idle_seconds;
  Child& child = adopt(std::move(facts), std::move(run), 0, home);
  child.named = std::make_unique<Named>();
  child.named->fresh = fresh;
  child.named->program = by.command.front();
  child.named->how = by.how;
  return child;
}

// The requester is connected with the object when it is there, or told why it cannot be.
void Agent::Loop::reach_named(const std::shared_ptr<Requester>& requester, const NamedEntry& entry, const control::Notice& wish) {
  if (auto found = children_.find(entry.object); found != children_.end()) {
    Child& child = found->second;
    if (child.named->told_to_rest) return child.named->later.push_back({requester, wish});
    child.named->parting = 0;  // it is of use again
    if (child.named->ready) return requester->connect(child);
    return child.named->waiting.push_back(requester);
  }
  if (retired_at_) return;  // our end tells the requester's agent, which asks the next one of this machine
  Service by = recorded(entry);
  if (const auto* open = control::get_if<control::Open>(&wish)) {
    accidents_.erase(entry.object);
    for (const auto& known : open->known)
      if (known.restore == by.how.restore) by = {open->command, known};
  } else if (auto no = why_down(entry)) {
    return requester->answer(*no);
  }
  start_named(entry, by, false).named->waiting.push_back(requester);
}

NamedEntry Agent::Loop::entry_named(const std::string& name) {
  auto entry = registry_->find(address_name(name));
  if (!entry) throw usage_error("there is no object ov://" + address_name(name) + " on " + options_.machine, "See the names there are: octavo ls ov://");
  return *entry;
}

void Agent::Loop::open_named(const std::shared_ptr<Requester>& requester, const control::Open& wish) { reach_named(requester, entry_named(wish.name), wish); }

void Agent::Loop::reach_lasting(const std::shared_ptr<Requester>& requester, const control::Connect& wish) {
  auto entry = registry_->find(wish.to.object);
  if (!entry) throw gone_error("the object " + object_text(wish.to.object) + " of " + options_.machine + " was destroyed", "Make it again, with its name");
  reach_named(requester, *entry, wish);
}

void Agent::Loop::hear_ready(Child& from, const control::Ready& ready) {
  if (from.named == nullptr) return log_line("agent: " + from.facts.class_name + " says that it is ready, and has no name");
  Registry::Change change{.generation = ready.generation};
  if (from.named->ready || from.named->fresh) change.state_version = from.named->how.version;  // else it is as it was read
  if (!std::exchange(from.named->ready, true)) {                                               // a program that could not read the state is not recorded
    change.executable = from.named->program;
    change.build = from.named->how.build;
  }
  // The object is there, and its state is: who waits for it gets it, also when the registry cannot be told.
  attempt("entering what object " + object_text(from.facts.address.object) + " has become", [&] { registry_->update(from.facts.address.object, change); });
  from.named->fresh = false;
  for (auto& requester : std::exchange(from.named->waiting, {})) attempt("connecting who waited for an object", [&] { requester->connect(from); });
}

void Agent::Loop::hear_unmade(Child& from, const control::Unmade& why) {
  if (from.named == nullptr) return log_line("agent: " + from.facts.class_name + " says that it could not be made, and has no name");
  if (from.named->fresh) attempt("removing the name of what could not be made", [&] { forget_name(from.facts.address.object); });
  answer_waiting(*from.named, {0, why.kind, why.message, why.cure, {}});
}

void Agent::Loop::forget_name(std::uint64_t object) {
  accidents_.erase(object);
  if (registry_->remove(object)) remove_state(registry_->directory(), object);
}

// After its end: what was destroyed, or never was whole, has no name any more.
void Agent::Loop::settle_named(Child& child, const Obituary& obituary) {
  if (child.named == nullptr) return;
  std::uint64_t object = obituary.facts.address.object;
  attempt("entering the end of " + child.facts.class_name, [&] {
    if (child.named->fresh || obituary.destroyed) forget_name(object);
    else if (!obituary.resting && !child.named->put_down) after_accident(obituary);
  });
  answer_waiting(*child.named, {0, error_kind::gone, obituary.text(), {}, obituary});
}

void Agent::Loop::answer_waiting(Named& named, const control::Failed& no) {
  for (const auto& requester : std::exchange(named.waiting, {})) attempt("answering who waited for an object", [&] { requester->answer(no); });
}

control::NameList Agent::Loop::names(const control::Names& wish) {
  control::NameList list;
  for (const auto& entry : registry_->list(address_prefix(wish.prefix))) {
    auto found = children_.find(entry.object);
    list.names.push_back(
        {entry.name, {id_, 0, entry.object}, entry.class_name, entry.made, entry.generation, found == children_.end() ? 0 : found->second.facts.pid});
  }
  return list;
}

}  // namespace octavo
