// SPDX-License-Identifier: Apache-2.0
// Being the lasting agent of a machine: guests come and go; without guests for a while, or when told so, it saves its objects and ends.
#include <cstdlib>

#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

// How long it stays when nobody has a link with it.
std::chrono::seconds stay() {
  const char* given = std::getenv("OCTAVO_LASTING_SECONDS");
  return std::chrono::seconds(given != nullptr ? std::atoi(given) : 60);
}

}  // namespace

void Agent::Loop::become_lasting() {
  registry_ = std::make_unique<Registry>(options_.home);
  id_ = registry_->agent_id();
  attempt("looking at what the registry keeps", [this] { registry_->forget_needless_variables(); });
  incarnation_ = registry_->next_incarnation();
  next_object_ = 2;
  last_use_ = std::chrono::steady_clock::now();
  events_.watch(listening_.get(), [this](std::uint32_t) { greet_guest(); });
}

void Agent::Loop::greet_guest() {
  if (auto link = daemon::accept_from(listening_)) meet(std::move(link), "a program", false).guest = true;
}

int Agent::Loop::look_again_ms() const { return registry_ ? 1000 : -1; }

void Agent::Loop::look_at_use() {
  auto now = std::chrono::steady_clock::now();
  if (!retired_at_) {
    bool of_use = std::any_of(peers_.begin(), peers_.end(), [](const auto& each) { return each->guest; });
    if (of_use || now - last_use_ < stay()) return;
    begin_to_retire();
  }
  bool saving = std::any_of(children_.begin(), children_.end(), [](const auto& each) { return each.second.named != nullptr; });
  if (saving && now - *retired_at_ < daemon::patience) return;
  if (saving) log_line("the lasting agent of " + options_.machine + " ends although not all of its objects have saved themselves");
  stop_waiting();
}

void Agent::Loop::begin_to_retire() {
  if (retired_at_) return;
  retired_at_ = std::chrono::steady_clock::now();
  events_.unwatch(listening_.get());
  listening_.reset();
  for (auto& [object, child] : children_)
    if (child.named != nullptr) attempt("putting an object to rest", [&, &child = child] { put_to_rest(child); });
}

// Its state is saved, and it ends. Who wishes to reach it meanwhile reaches its next life.
void Agent::Loop::put_to_rest(Child& child) {
  if (std::exchange(child.named->told_to_rest, true)) return;
  tell(child, control::Rest{});
}

void Agent::Loop::retire() {
  events_.post([this] { begin_to_retire(); });
}

}  // namespace octavo
