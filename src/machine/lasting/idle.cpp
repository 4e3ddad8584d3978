// SPDX-License-Identifier: Apache-2.0
// Putting an object to rest that nobody calls, without losing a call: first all who are connected with it close their connections, each of
// them only if nothing is under way there. Then no call can be on its way, and the next one asks us for a connection, to its next life.
#include <algorithm>

#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"

namespace octavo {

void Agent::Loop::hear_idle(Child& from) {
  if (from.named == nullptr || !from.named->ready || from.named->told_to_rest || from.named->parting != 0 || retired_at_) return;
  std::uint64_t round = from.named->parting = next_parting_++;
  part_from(requester_of(from, control::Idle{}), from.facts.address, [this, who = from.facts.address, round](bool all) {
    Child* child = living(who);
    if (child == nullptr || child->named->parting != round) return;  // somebody came meanwhile
    child->named->parting = 0;
    if (all) put_to_rest(*child);
  });
}

// `then` hears whether all have closed theirs: our processes, and those behind our peers but the requester. Who is dead has.
void Agent::Loop::part_from(const std::shared_ptr<Requester>& requester, const Address& who, std::function<void(bool)> then) {
  struct Round {
    std::size_t missing = 1;  // ourselves
    bool all = true;
    std::function<void(bool)> then;
    void hear(bool parted) {
      all = all && parted;
      if (--missing == 0) then(all);
    }
  };
  auto round = std::make_shared<Round>();
  round->then = std::move(then);
  for (const auto& listener : deaths_.connected_with(who)) {
    if (listener.what != agent::Listener::kind::process) continue;
    ++round->missing;
    partings_.emplace(next_parting_, Parting{listener.number, [round](bool parted) { round->hear(parted); }});
    tell(children_.at(listener.number), control::Part{next_parting_++, who});
  }
  for (const auto& listener : deaths_.connected_with(who)) {
    auto other = std::find_if(peers_.begin(), peers_.end(), [&](const auto& each) { return each->listener() == listener; });
    if (other == peers_.end() || other->get() == requester->peer()) continue;
    ++round->missing;
    ask(**other, requester, control::Part{0, who}, [round](PeerAgent&, const control::Notice& said, std::uint64_t) {
      const auto* parted = control::get_if<control::Parted>(&said);
      round->hear(parted == nullptr || parted->all);  // it is lost, with all who were there
    });
  }
  round->hear(true);
}

// What it knows stays: a connection that was made since may be on its way to it.
void Agent::Loop::hear_parted(const control::Parted& answer) {
  auto entry = partings_.extract(answer.request);
  if (!entry) return log_line("agent: a process has parted " + std::to_string(answer.request) + ", which it was not asked");
  entry.mapped().then(answer.all);
}

void Agent::Loop::count_as_parted(std::uint64_t object) {
  std::vector<std::function<void(bool)>> waiting;
  for (auto at = partings_.begin(); at != partings_.end();) {
    if (at->second.object != object) {
      ++at;
      continue;
    }
    waiting.push_back(std::move(at->second.then));
    at = partings_.erase(at);
  }
  for (const auto& then : waiting) attempt("putting an object to rest", [&] { then(true); });
}

}  // namespace octavo
