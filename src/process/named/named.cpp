// SPDX-License-Identifier: Apache-2.0
// Objects with names, at both ends: opening and saving here, being restored, saved and put to rest there.
#include "octavo/process/named.hpp"

#include <algorithm>

#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

// --- the caller's end ---

Address open_named(std::string_view machine, std::string_view name) {
  std::vector<control::StateClass> known;
  for (const auto* method : methods_that_save()) known.push_back({method->hash, method->state_version, build_id()});
  const control::Open wish{0, std::string(machine), std::string(name), {spawn::own_program()}, std::move(known)};
  return Endpoint::require().peers().agent().ask<PeerLink>(wish).facts.address;
}

namespace {
void call_and_wait(const Address& to, wire::frame_kind kind, wire::Outgoing& out) {
  auto state = std::make_shared<State<void>>();
  Endpoint::require().call(state, to, kind, 0, out);
  finish_call(*state);
}
}  // namespace

void check_class(const Address& object, std::string_view class_name) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(std::string(class_name));
  call_and_wait(object, wire::frame_kind::is_a, out);
}

void save_named(const Address& object) {
  wire::Outgoing out;
  call_and_wait(object, wire::frame_kind::save, out);
}

std::vector<NamedFacts> list_names(std::string_view machine, std::string_view prefix) {
  return Endpoint::require().peers().agent().ask<control::NameList>(control::Names{0, std::string(machine), std::string(prefix)}).names;
}

void go_back(std::string_view machine, std::string_view name) {
  Endpoint::require().peers().agent().ask<control::Done>(control::GoBack{0, std::string(machine), std::string(name)});
}
void end_lasting(std::string_view machine) { Endpoint::require().peers().agent().ask<control::Done>(control::EndLasting{0, std::string(machine)}); }

// --- whoever is connected with an object that is to rest ---

// Its agent asks: there is to be no call on its way.
bool Endpoint::may_part(const Address& who, const std::function<void()>& part) {
  std::lock_guard lock(pending_mutex_);
  bool waits = false;
  pending_.for_each([&](const PendingCall& each) { waits = waits || each.to == who; });
  if (waits) return false;
  part();
  return true;
}

// --- the object's end ---

void Endpoint::say_unmade(const error& why) { peers_.agent().tell(control::Unmade{why.kind(), why.message(), why.cure()}); }

bool Endpoint::restore_object() {
  auto home = peers_.named();
  if (!home) return true;
  keeper_ = std::make_unique<StateKeeper>(facts(), *home);
  if (home->fresh) return true;  // to be constructed
  try {
    object_ = keeper_->restore();
    peers_.agent().tell(control::Ready{keeper_->generation()});
    return true;
  } catch (const error& e) {
    say_unmade(e);
  } catch (const std::exception& e) {
    say_unmade(io_error("restoring ov://" + home->name + ": " + e.what()));
  }
  ended_ = true;
  return false;
}

void Endpoint::save_object() {
  if (!keeper_) throw usage_error("the object has no name, so there is no place to save it to", "Make it with ov::named(\"...\").make<Class>(...)");
  keeper_->save(*object_);
  peers_.agent().tell(control::Ready{keeper_->generation()});
}

void Endpoint::keep_state_of_reply() {
  if (!keeper_ || !keeper_->home().keeping.every_call || !object_) return;
  if (!runs_methods())
    throw not_supported("the result came from another thread than the one of the object's methods, so its state cannot be saved with it",
                        "Let the method return its value, or be a coroutine");
  save_object();
}

// Calls, answers that are owed, and the groups it is in keep it awake.
bool Endpoint::is_idle() {
  std::lock_guard lock(pending_mutex_);
  return queue_.empty() && pending_.size() == 0 && owed_replies_->size() == 0 && !executor_->has() && !inbox_.keeps();
}

// When to tell the agent, unless somebody calls before. Who had it woken is on his way, however short its owner wants it to idle.
road::Deadline Endpoint::idle_at(bool called) const {
  constexpr double for_the_first_call = 1;
  if (!keeper_ || !object_ || keeper_->home().keeping.idle_seconds <= 0) return road::never;
  std::chrono::duration<double> seconds(called ? keeper_->home().keeping.idle_seconds : std::max(for_the_first_call, keeper_->home().keeping.idle_seconds));
  return road::Clock::now() + std::chrono::duration_cast<road::Clock::duration>(seconds);
}

// The agent ends, or wants the memory: what is saved now is there at the next call.
void Endpoint::rest() {
  try {
    if (object_) save_object();
  } catch (const std::exception& e) {
    log_line(std::string(e.what()) + ": it ends with the state that was saved before");
  }
}

}  // namespace octavo::detail
