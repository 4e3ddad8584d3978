// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/passivation.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "machine/agent/common/attempt.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

void Passivation::idle(const RequesterPtr& requester, Child& from, std::function<void(Child&)> rest) {
  if (from.named == nullptr || !from.named->ready || from.named->passivating || from.named->passivation_round != 0) return;
  const auto round = from.named->passivation_round = next_++;
  disconnect(requester, from.facts.address, [this, who = from.facts.address, round, rest = std::move(rest)](bool all) {
    Child* child = processes_.living(who);
    if (child == nullptr || child->named->passivation_round != round) return;  // somebody came meanwhile
    child->named->passivation_round = 0;
    if (all) rest(*child);
  });
}

void Passivation::disconnect(const RequesterPtr& requester, const Address& who, std::function<void(bool)> then) {
  struct Round {
    std::size_t missing = 1;  // this agent itself
    bool all = true;
    std::function<void(bool)> then;
    void hear(bool disconnected) {
      all = all && disconnected;
      if (--missing == 0) then(all);
    }
  };
  auto round = std::make_shared<Round>();
  round->then = std::move(then);
  for (const auto& listener : deaths_.connected_with(who)) {
    if (listener.what == Listener::kind::process) {
      Child* child = processes_.find(listener.number);
      if (child == nullptr) continue;
      ++round->missing;
      asked_.emplace(next_, Asked{listener.number, [round](bool disconnected) { round->hear(disconnected); }});
      processes_.tell(*child, control::Disconnect{next_++, who});
      continue;
    }
    PeerAgent* other = peers_.find(listener);
    if (other == nullptr || other == requester->peer()) continue;
    ++round->missing;
    peers_.ask(*other, requester, control::Disconnect{0, who}, [round](PeerAgent&, const control::Notice& said, const PeerAgent::FarEnd&) {
      const auto* disconnected = control::get_if<control::Disconnected>(&said);
      round->hear(disconnected == nullptr || disconnected->all);  // it is lost, with all that was there
    });
  }
  round->hear(true);
}

void Passivation::disconnected(const control::Disconnected& answer) {
  auto entry = asked_.extract(answer.request);
  if (!entry) return log_line("agent: a process has disconnected " + std::to_string(answer.request) + ", which it was not asked");
  entry.mapped().then(answer.all);
}

void Passivation::process_died(std::uint64_t object) {
  std::vector<std::function<void(bool)>> waiting;
  for (auto at = asked_.begin(); at != asked_.end();) {
    if (at->second.object != object) {
      ++at;
      continue;
    }
    waiting.push_back(std::move(at->second.then));
    at = asked_.erase(at);
  }
  for (const auto& then : waiting) attempt("putting an object to rest", [&] { then(true); });
}

}  // namespace octavo::agent
