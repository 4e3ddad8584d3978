// SPDX-License-Identifier: Apache-2.0
// Being the lasting agent of a machine: guests come and go; without guests for a while, or when told so, it saves its objects and ends.
#include <algorithm>
#include <cstdlib>

#include "machine/agent/common/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"

namespace octavo {

namespace {

// How long it stays when nobody has a link with it.
std::chrono::seconds stay() {
  const char* given = std::getenv("OCTAVO_LASTING_SECONDS");
  return std::chrono::seconds(given != nullptr ? std::atoi(given) : 60);
}

}  // namespace

Agent::Loop::Daemon::Daemon(const std::string& home, Fd socket)
    : listening(std::move(socket)),
      registry(std::make_unique<Registry>(home)),
      readers(registry->directory()),
      retirement(stay(), daemon::patience, agent::Retirement::Time::clock::now()) {}

void Agent::Loop::greet_guest() {
  if (auto link = daemon::accept_from(daemon_->listening)) peers_.meet(std::move(link), "a program", agent::peer_kind::guest);
}

void Agent::Loop::look_at_use() {
  const auto& all = children_.all();
  const bool saving = std::any_of(all.begin(), all.end(), [](const auto& each) { return each.second.named != nullptr; });
  auto stage = [&] { return daemon_->retirement.look(peers_.of_kind(agent::peer_kind::guest) != nullptr, saving, agent::Retirement::Time::clock::now()); };
  if (stage() == agent::Retirement::stage::unused) begin_to_retire();
  switch (stage()) {
    case agent::Retirement::stage::too_late:
      log_line("the lasting agent of " + options_.machine + " ends although not all of its objects have saved themselves");
      return stop_waiting();
    case agent::Retirement::stage::over: return stop_waiting();
    default: return;
  }
}

void Agent::Loop::begin_to_retire() {
  if (!daemon_->retirement.begin(agent::Retirement::Time::clock::now())) return;
  objects_->end();
  events_.unwatch(daemon_->listening.get());
  daemon_->listening.reset();
  for (auto& [object, child] : children_.all())
    if (child.named != nullptr) attempt("putting an object to rest", [&, &child = child] { objects_->passivate(child); });
}

void Agent::Loop::retire() {
  events_.post([this] { begin_to_retire(); });
}

}  // namespace octavo
