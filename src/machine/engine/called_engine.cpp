// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/called_engine.hpp"

#include <algorithm>

#include "machine/engine/invitation.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine {

CalledEngine::CalledEngine(std::vector<std::string> machines, std::unique_ptr<Launcher> launcher, Options options)
    : machines_(std::move(machines)), launcher_(std::move(launcher)), options_(std::move(options)) {
  for (const auto& name : machines_)
    if (!is_plain(name)) throw usage_error("a machine cannot be called '" + name + "'", "Take letters, digits and any of . _ : @ -");
}

namespace {

// The agent runs already, and its login is over: what hinders it now is the network.
constexpr std::chrono::milliseconds most_call_patience{5000};

road::LinkTerms terms_of(std::chrono::milliseconds silence) {
  return {.silence = carrier_silence(silence), .run = [](const std::vector<std::string>& words) { return spawn::run_command(words); }};
}

}  // namespace

std::unique_ptr<road::Link> CalledEngine::start_agent(const std::string& machine) {
  if (std::ranges::find(machines_, machine) == machines_.end()) throw usage_error("there is no machine '" + machine + "'");
  if (!waiting_.contains(machine)) launch(begun_with(machine));
  auto its = waiting_.extract(machine);
  its.mapped().command->begin(machine);
  return std::move(its.mapped().link);
}

std::vector<std::string> CalledEngine::begun_with(const std::string& machine) const {
  return launcher_->all_at_once() && commands_.empty() ? machines_ : std::vector{machine};
}

void CalledEngine::launch(const std::vector<std::string>& machines) {
  auto& callers = callers_at(options_.place(machines.front()));
  const bool is_seen_late = callers.kind().least_silence.count() != 0;
  const auto call_patience = is_seen_late ? options_.patience : std::min(options_.patience, most_call_patience);
  Invitation invitation{.where = callers.address(),
                        .agents = {},
                        .silence_ms = std::max(terms_.silence, callers.kind().least_silence).count(),
                        .patience_ms = call_patience.count(),
                        .pool_bytes = terms_.pool_bytes,
                        .ring_bytes = terms_.ring_bytes};
  AgentCommand::Plan plan{.place = callers.address(), .patience = options_.patience, .call_patience = call_patience, .invite = {}, .bring = {}, .agents = {}};
  if (callers.kind().by_command) plan.bring = [&callers](Fd from, Fd to) { callers.bring(std::move(from), std::move(to)); };
  std::map<std::string, Waiting> begun;
  for (const auto& machine : machines) {
    auto expected = callers.expect();
    const auto session = expected.session;
    invitation.agents.push_back({machine, session.id});
    plan.agents.push_back({.machine = machine,
                           .called = [&callers, session] { return callers.have(session); },
                           .give_up = [&callers, session](const std::string& why) { callers.give_up(session, why); }});
    begun[machine].link = std::move(expected.link);
  }
  plan.invite = [this, invitation](int input) { write(input, key_, invitation); };
  auto& command = *commands_.emplace_back(std::make_unique<AgentCommand>(*launcher_, std::move(plan)));
  for (auto& [machine, each] : begun) each.command = &command;
  waiting_.merge(begun);
}

Callers& CalledEngine::callers_at(const std::string& place) {
  auto found = callers_.find(place);
  if (found == callers_.end()) found = callers_.emplace(place, std::make_unique<Callers>(place, key_, terms_of(terms_.silence))).first;
  return *found->second;
}

void CalledEngine::end() {
  for (auto& each : commands_) each->ask_to_end();
  for (auto& [place, callers] : callers_) callers->send_away();
  const bool any = !commands_.empty();
  commands_.clear();
  waiting_.clear();
  callers_.clear();
  if (any) launcher_->end();
}

}  // namespace octavo::engine
