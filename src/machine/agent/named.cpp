// SPDX-License-Identifier: Apache-2.0
// Objects with names: kept by the lasting agent of a machine, which brings them back to life when somebody calls.
#include <algorithm>
#include <cstring>

#include "machine/agent/daemon.hpp"
#include "machine/agent/loop.hpp"
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

// Who keeps the names of a machine. Null: this agent does.
Neighbour* Agent::Loop::keeper_of_names(const std::string& machine) {
  Placement where;
  where.machine = machine;
  if (Neighbour* other = neighbour_for(where)) return other;
  if (registry_) return nullptr;
  for (const auto& each : neighbours_)
    if (each->lasting) return each.get();
  auto& lasting = meet(daemon::reach(options_.home, options_.machine), options_.machine + ", lasting", false);
  lasting.lasting = true;
  return &lasting;
}

Child& Agent::Loop::begin_named(const control::Spawn& wish) {
  NamedEntry entry;
  entry.name = address_name(wish.where.name);
  entry.class_name = wish.class_name;
  entry.executable = wish.command.front();
  entry.build = wish.how.build;
  entry.state_version = wish.how.version;
  entry.directory = wish.directory;
  entry.construction.resize(sizeof wish.how.restore);
  std::memcpy(entry.construction.data(), &wish.how.restore, sizeof wish.how.restore);
  entry.policy.saving = wish.where.keeping.every_call ? NamedPolicy::save::every_call : NamedPolicy::save::on_request;
  entry = registry_->add(std::move(entry));
  try {
    return start_named(entry, wish.command, wish.how, true);
  } catch (...) {
    registry_->remove(entry.object);
    throw;
  }
}

Child& Agent::Loop::start_named(const NamedEntry& entry, const std::vector<std::string>& command, const control::StateClass& how, bool fresh) {
  auto run = spawn::start(command, "octavo:" + entry.class_name + " ov://" + entry.name, entry.directory);
  ProcessFacts facts{{id_, 0, entry.object}, entry.class_name, options_.machine, run.pid, now_seconds()};
  control::NamedHome home{registry_->directory(), entry.name, how, {entry.policy.saving == NamedPolicy::save::every_call}, fresh};
  Child& child = adopt(std::move(facts), std::move(run), 0, home);
  child.named = std::make_unique<Named>();
  child.named->fresh = fresh;
  return child;
}

// Those that wait for an object to be there are told when it is, or why it cannot be.
void Agent::Loop::when_ready(Child& child, std::function<void(Child*, const control::Failed*)> then) {
  if (child.named == nullptr || child.named->ready) return then(&child, nullptr);
  child.named->waiting.push_back(std::move(then));
}

void Agent::Loop::reach_named(const NamedEntry& entry, const control::Open* by, std::function<void(Child*, const control::Failed*)> then) {
  if (auto found = children_.find(entry.object); found != children_.end()) return when_ready(found->second, std::move(then));
  std::vector<std::string> command{entry.executable};
  control::StateClass how{state_key_of(entry), entry.state_version, entry.build};
  for (const auto& known : by != nullptr ? by->known : std::vector<control::StateClass>())
    if (known.restore == how.restore) {
      command = by->command;
      registry_->update(entry.object, {.executable = command.front(), .build = known.build});
    }
  when_ready(start_named(entry, command, how, false), std::move(then));
}

void Agent::Loop::open_named(const control::Open& wish, std::function<void(Child*, const control::Failed*)> then) {
  auto entry = registry_->find(address_name(wish.name));
  if (!entry) throw usage_error("there is no object ov://" + address_name(wish.name) + " on " + options_.machine, "See the names there are: octavo ls ov://");
  reach_named(*entry, &wish, std::move(then));
}

void Agent::Loop::reach_lasting(const Address& who, std::function<void(Child*, const control::Failed*)> then) {
  auto entry = registry_->find(who.object);
  if (!entry) throw gone_error("the object " + object_text(who.object) + " of " + options_.machine + " was destroyed", "Make it again, with its name");
  reach_named(*entry, nullptr, std::move(then));
}

// What a process of ours asked for is there, or cannot be.
void Agent::Loop::answer_reached(std::uint64_t asker, std::uint64_t request, Child* there, const control::Failed* no) {
  auto found = children_.find(asker);
  if (found == children_.end()) return;
  if (there != nullptr) return introduce(found->second, *there, request);
  control::Failed why = *no;
  why.request = request;
  control::send(found->second.run.control.get(), why);
}

void Agent::Loop::spawn_named(Child& asker, const control::Spawn& wish) {
  if (Neighbour* keeper = keeper_of_names(wish.where.machine)) return ask_for(asker, *keeper, wish.request, wish);
  introduce(asker, begin_named(wish), wish.request);
}

void Agent::Loop::open_for(Child& asker, const control::Open& wish) {
  try {
    if (Neighbour* keeper = keeper_of_names(wish.machine)) return ask_for(asker, *keeper, wish.request, wish);
    open_named(wish, [this, object = asker.facts.address.object, request = wish.request](Child* there, const control::Failed* no) {
      answer_reached(object, request, there, no);
    });
  } catch (const error& e) {
    control::send(asker.run.control.get(), control::Failed{wish.request, e.kind(), e.message(), e.cure(), {}});
  }
}

void Agent::Loop::names_for(Child& asker, const control::Names& wish) {
  try {
    if (Neighbour* keeper = keeper_of_names(wish.machine)) return ask_for(asker, *keeper, wish.request, wish);
    auto list = names(wish);
    list.request = wish.request;
    control::send(asker.run.control.get(), list);
  } catch (const error& e) {
    control::send(asker.run.control.get(), control::Failed{wish.request, e.kind(), e.message(), e.cure(), {}});
  }
}

void Agent::Loop::hear_ready(Child& from, const control::Ready& ready) {
  if (from.named == nullptr) return;
  registry_->update(from.facts.address.object, {.generation = ready.generation});
  from.named->ready = true;
  from.named->fresh = false;
  for (auto& then : std::exchange(from.named->waiting, {})) then(&from, nullptr);
}

void Agent::Loop::hear_unmade(Child& from, const control::Unmade& why) {
  if (from.named == nullptr) return;
  if (from.named->fresh) forget_name(from.facts.address.object);
  control::Failed no{0, why.kind, why.message, why.cure, {}};
  for (auto& then : std::exchange(from.named->waiting, {})) then(nullptr, &no);
}

void Agent::Loop::forget_name(std::uint64_t object) {
  if (registry_->remove(object)) remove_state(registry_->directory(), object);
}

// After its end: what was destroyed, or never was whole, has no name any more.
void Agent::Loop::settle_named(const Child& child, const Obituary& obituary) {
  if (child.named == nullptr) return;
  std::uint64_t object = obituary.facts.address.object;
  if (child.named->fresh || obituary.destroyed) forget_name(object);
  control::Failed no{0, error_kind::gone, obituary.text(), {}, obituary};
  for (auto& then : child.named->waiting) then(nullptr, &no);
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
