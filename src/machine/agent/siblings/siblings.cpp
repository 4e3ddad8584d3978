// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/siblings/siblings.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/obituary.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

using talk::about_siblings;

namespace {
constexpr auto until_tried_again = std::chrono::minutes(1);
}

Siblings::Siblings(const Identity& self, PeerAgents& peers, std::shared_ptr<SiblingWays> ways, PeerAgents::Post post, Surroundings around)
    : self_(self), peers_(peers), around_(std::move(around)), ways_(std::move(ways)) {
  gate_->post = std::move(post);
}

Siblings::~Siblings() {
  std::lock_guard lock(gate_->mutex);
  gate_->post = {};
}

bool Siblings::forward(const RequesterPtr& requester, const control::Connect& request) {
  const PeerAgent* hub = peers_.of_kind(peer_kind::hub);
  const auto id = request.to.agent;
  if (!ways_ || hub == nullptr || requester->peer() != nullptr || request.to.lasting() || id == self_.id || id == hub->id) return false;
  auto& its = known_[id];
  if (its.at == stage::up) {
    requester->hand_to(*peers_.sibling(id), request);
    return true;
  }
  if (its.at == stage::by_hub && road::Clock::now() < its.again) return false;
  its.waiting.push_back({requester, request});
  if (its.at == stage::by_hub) begin(id, its);
  return true;
}

// The one with the lower number calls, whoever wanted it: so both do not call at once.
void Siblings::begin(std::uint64_t id, Sibling& its) {
  if (self_.id > id) return invite(id, its);
  its.at = stage::wanted;
  tell(id, about_siblings::want);
}

void Siblings::invite(std::uint64_t id, Sibling& its) {
  its.at = stage::invited;
  const auto attempt = ++its.attempt;
  auto ready = [this, gate = gate_, id, attempt](const SiblingWays::Place& place, const std::string& why_none) {
    std::lock_guard lock(gate->mutex);
    if (!gate->post) return;
    gate->post([this, id, attempt, place, why_none] {
      Sibling* asked = of_attempt(id, attempt);
      if (asked == nullptr) return;
      if (why_none.empty()) return tell(id, about_siblings::come, {}, place);
      tell(id, about_siblings::none, why_none);
      go_by_hub(id, *asked, why_none, road::Clock::now() + until_tried_again);
    });
  };
  ways_->invite(std::move(ready), came(id, attempt));
}

void Siblings::call(std::uint64_t id, Sibling& its, const talk::Siblings& said) {
  its.at = stage::calling;
  const auto attempt = ++its.attempt;
  ways_->call({said.address, {said.session}}, came(id, attempt));
}

SiblingWays::Came Siblings::came(std::uint64_t id, std::uint64_t attempt) {
  return [this, gate = gate_, id, attempt](std::unique_ptr<road::Link> link, const std::string& why_none) {
    delay_point("siblings: a link came");
    auto kept = std::make_shared<std::unique_ptr<road::Link>>(std::move(link));
    std::lock_guard lock(gate->mutex);
    if (gate->post) gate->post([this, id, attempt, kept, why_none] { met(id, attempt, std::move(*kept), why_none); });
    else static_cast<void>(kept->release());  // the agent has ended, and its process does
  };
}

Siblings::Sibling* Siblings::of_attempt(std::uint64_t id, std::uint64_t attempt) {
  const auto found = known_.find(id);
  const bool awaits = found != known_.end() && (found->second.at == stage::invited || found->second.at == stage::calling);
  return awaits && found->second.attempt == attempt ? &found->second : nullptr;
}

void Siblings::met(std::uint64_t id, std::uint64_t attempt, std::unique_ptr<road::Link> link, const std::string& why_none) {
  Sibling* its = of_attempt(id, attempt);
  if (its == nullptr) return;
  std::string why = why_none;
  try {
    if (why.empty()) {
      peers_.meet_sibling(std::move(link), its->machine, id);
      its->at = stage::up;
      return flush(*its);
    }
  } catch (const std::exception& e) {
    why = e.what();
  }
  tell(id, about_siblings::none, why);
  go_by_hub(id, *its, why, road::Clock::now() + until_tried_again);
}

void Siblings::go_by_hub(std::uint64_t id, Sibling& its, const std::string& why, road::Deadline again) {
  log_about("roads", [&] {
    return "no link of " + self_.machine + " with " + (its.machine.empty() ? "agent " + std::to_string(id) : its.machine) + ", the hub is the way: " + why;
  });
  its.at = stage::by_hub;
  its.again = again;
  flush(its);
}

void Siblings::flush(Sibling& its) {
  for (auto& each : std::exchange(its.waiting, {}))
    attempt("connecting with a process of another machine", [&] { around_.fulfil(each.requester, each.request); });
}

// --- what is said by the hub ---

void Siblings::tell(std::uint64_t id, about_siblings what, const std::string& why, const SiblingWays::Place& place) const {
  if (const PeerAgent* hub = peers_.of_kind(peer_kind::hub); hub != nullptr)
    hub->tell(talk::Siblings{what, self_.id, id, self_.machine, place.address, place.session.id, why});
}

void Siblings::hear(PeerAgent& from, const talk::Siblings& said) {
  if (from.kind == peer_kind::machine) return pass_on(from, said);
  if (!from.is_hub() || said.from == self_.id) return;
  auto& its = known_[said.from];
  if (!said.machine.empty()) its.machine = said.machine;
  hear(said.from, its, said);
}

void Siblings::pass_on(const PeerAgent& from, talk::Siblings said) const {
  said.from = from.id;
  said.machine = from.machine;
  const PeerAgent* to = peers_.of_agent(said.to);
  if (to != nullptr && to != &from && to->kind == peer_kind::machine && to->link) return to->tell(said);
  if (said.what == about_siblings::none || said.what == about_siblings::lives) return;
  const bool is_of_lost = said.what == about_siblings::broken;
  from.tell(talk::Siblings{is_of_lost ? about_siblings::lost : about_siblings::none,
                           said.to,
                           from.id,
                           {},
                           {},
                           {},
                           is_of_lost ? said.why : "it is no agent of a machine of this program"});
}

void Siblings::tell_lost(const PeerAgent& machine) const {
  for (const auto& each : peers_.all())
    if (each->kind == peer_kind::machine)
      attempt("telling of a lost machine", [&] {
        each->tell(talk::Siblings{about_siblings::lost, machine.id, each->id, machine.machine, {}, {}, machine.why_lost});
      });
}

void Siblings::hear(std::uint64_t id, Sibling& its, const talk::Siblings& said) {
  const bool awaits = its.at == stage::wanted || its.at == stage::invited || its.at == stage::calling;
  switch (said.what) {
    case about_siblings::want:
      if (!ways_) return tell(id, about_siblings::none, "that agent has no links but with the program's");
      // One that has lost its link says so first: this crossed with what has led to that link.
      if (its.at == stage::invited || its.at == stage::up) return;
      if (its.at == stage::doubted) its.is_wanted = true;
      else invite(id, its);
      return;
    case about_siblings::come:
      if (!ways_) return tell(id, about_siblings::none, "that agent has no links but with the program's");
      let_go(id, "the other agent has it no more");
      return call(id, its, said);
    case about_siblings::none:
      if (awaits) go_by_hub(id, its, said.why, road::Clock::now() + until_tried_again);
      return;
    case about_siblings::broken: tell(id, about_siblings::lives); return let_go(id, said.why);
    case about_siblings::lives:
      if (its.at == stage::doubted) settle(its, true, its.lost->why_lost);
      return;
    case about_siblings::lost:
      if (PeerAgent* there = peers_.sibling(id); there != nullptr) peers_.lose(*there, said.why);
      if (its.at == stage::doubted) settle(its, false, said.why);
      return go_by_hub(id, its, said.why, road::never);
  }
}

// What the other says comes by the hub, and so it lives.
void Siblings::let_go(std::uint64_t id, const std::string& why) {
  auto& its = known_[id];
  if (PeerAgent* there = peers_.sibling(id); there != nullptr) peers_.lose(*there, why);
  if (its.at == stage::doubted) settle(its, true, its.lost->why_lost);
}

// --- a link that is lost ---

void Siblings::hear_lost(std::shared_ptr<PeerAgent> link) {
  auto& its = known_[link->id];
  its.at = stage::doubted;
  for (auto& [number, asked] : link->asked) its.waiting.push_back({asked.requester, asked.request});
  link->asked.clear();
  its.lost = std::move(link);
  tell(its.lost->id, about_siblings::broken, its.lost->why_lost);
}

void Siblings::settle(Sibling& its, bool lives, const std::string& why) {
  const auto lost = std::exchange(its.lost, nullptr);
  its.at = stage::by_hub;
  its.again = {};
  const auto now = now_seconds();
  if (!lives) {
    for (const auto& [address, facts] : lost->theirs)
      attempt("telling of a machine that is lost", [&, &facts = facts] { around_.died({facts, now, 0, false, {}, why, false}); });
    return;
  }
  const std::string text = "machine " + lost->machine + " may live, but is not reached from " + self_.machine + ": " + why;
  log_line(text);
  for (const auto& [address, object] : lost->talks)
    if (const auto there = lost->theirs.find(address); there != lost->theirs.end())
      attempt("telling of a machine that is not reached", [&, &object = object] {
        around_.unreached(object, {there->second, now, status_unreached, false, {}, text, false});
      });
  if (std::exchange(its.is_wanted, false)) invite(lost->id, its);
  else flush(its);
}

}  // namespace octavo::agent
