// SPDX-License-Identifier: Apache-2.0
// What an agent is asked for, whoever asks: who is to fulfil it, and its fulfilment here.
#include "machine/agent/loop.hpp"

namespace octavo {

// Null: this agent. Nothing: the lasting agent, which is still to be reached.
std::optional<PeerAgent*> Agent::Loop::who_fulfils(const Requester& requester, const control::Notice& wish) {
  if (const auto* spawn = control::get_if<control::Spawn>(&wish)) {
    if (!spawn->where.name.empty()) return keeper_of_names(spawn->where.machine);
    return spawn->where.on_thread ? nullptr : agent_of_machine(spawn->where);
  }
  if (const auto* open = control::get_if<control::Open>(&wish)) return keeper_of_names(open->machine);
  if (const auto* names = control::get_if<control::Names>(&wish)) return keeper_of_names(names->machine);
  if (const auto* back = control::get_if<control::GoBack>(&wish)) return keeper_of_names(back->machine);
  if (const auto* end = control::get_if<control::EndLasting>(&wish)) return who_ends(*end);
  if (const auto* connect = control::get_if<control::Connect>(&wish)) {
    if (deaths_.find(connect->to) != nullptr && !connect->to.lasting()) return nullptr;
    return connect->to.lasting() ? keeper_of(connect->to, requester) : agent_with_id(connect->to.agent, false);
  }
  if (const auto* kill = control::get_if<control::Kill>(&wish)) return agent_with_id(kill->who.agent, kill->who.lasting());
  if (const auto* facts = control::get_if<control::AskFacts>(&wish)) {
    Placement where;
    where.machine = facts->machine;
    return agent_of_machine(where);
  }
  if ((control::get_if<control::MailboxWish>(&wish) != nullptr)) return hub();
  return nullptr;
}

// Every wish is answered, now or later, or its requester is gone.
void Agent::Loop::fulfil(const std::shared_ptr<Requester>& requester, const control::Notice& wish) {
  try {
    auto who = who_fulfils(*requester, wish);
    if (!who) postpone(requester, wish);
    else if (*who != nullptr) requester->hand_to(**who, wish);
    else fulfil_here(requester, wish);
  } catch (const std::exception& e) {
    requester->refuse(e);
  }
}

void Agent::Loop::fulfil_here(const std::shared_ptr<Requester>& requester, const control::Notice& wish) {
  if (const auto* spawn = control::get_if<control::Spawn>(&wish)) return requester->connect(begin(*requester, *spawn));
  if (const auto* open = control::get_if<control::Open>(&wish)) return open_named(requester, *open);
  if (const auto* names_wish = control::get_if<control::Names>(&wish)) return requester->answer(names(*names_wish));
  if (const auto* back = control::get_if<control::GoBack>(&wish)) return go_back(requester, *back);
  if ((control::get_if<control::EndLasting>(&wish) != nullptr)) return end_lasting(requester);
  if (const auto* kill = control::get_if<control::Kill>(&wish)) return requester->answer(killed(*kill));
  if ((control::get_if<control::List>(&wish) != nullptr)) return list_for(requester);
  if ((control::get_if<control::AskFacts>(&wish) != nullptr)) {
    control::Facts here{0, machine_facts()};
    here.facts.name = options_.machine;
    return requester->answer(std::move(here));
  }
  if (const auto* mailbox = control::get_if<control::MailboxWish>(&wish)) return find_mailbox(requester, *mailbox);
  if (const auto* watch = control::get_if<control::Watch>(&wish)) return watch_for(requester, *watch);
  if (const auto* part = control::get_if<control::Part>(&wish)) return part_from(requester, part->who, [requester](bool all) { requester->answer(control::Parted{0, all}); });
  const auto* connect = control::get_if<control::Connect>(&wish);
  if (connect == nullptr) throw usage_error("an agent was asked for what only processes are told");
  if (connect->to.lasting() && registry_) return reach_lasting(requester, *connect);
  if (Child* there = living(connect->to)) return requester->connect(*there);
  requester->answer(why_not(*connect));
}

control::Failed Agent::Loop::why_not(const control::Connect& wish) const {
  control::Failed no{0, error_kind::gone, {}, {}, {}};
  if (const auto* dead = deaths_.find(wish.to); dead != nullptr) no.obituary = *dead;
  else if (wish.to.agent == id_ && wish.to.incarnation != incarnation_)
    no.message = "process " + std::to_string(wish.to.object) + " belonged to an earlier life of the agent of " + options_.machine;
  else no.message = "there never was a process " + std::to_string(wish.to.object) + " on " + options_.machine;
  return no;
}

control::Listing Agent::Loop::listing() const {
  control::Listing all;
  if (children_.empty() || children_.begin()->first != 1)  // an agent of a machine of its own
    all.processes.push_back({{id_, incarnation_, 0}, "the agent", options_.machine, ::getpid(), begun_});
  for (const auto& [object, child] : children_) all.processes.push_back(child.facts);
  return all;
}

// Of this machine, then of those whose agents we have a link with, as they answer. What belongs to other programs is not for the requester.
void Agent::Loop::list_for(const std::shared_ptr<Requester>& requester) {
  struct Gathered {
    control::Listing listing;
    std::size_t missing = 1;  // ourselves
  };
  auto all = std::make_shared<Gathered>(Gathered{listing(), 1});
  auto one_more = [all, requester] {
    if (--all->missing == 0) requester->answer(all->listing);
  };
  for (const auto& other : peers_) {
    if (other.get() == requester->peer() || other->guest) continue;
    ++all->missing;
    ask(*other, requester, control::List{}, [all, one_more](PeerAgent&, const control::Notice& said, std::uint64_t) {
      if (const auto* more = control::get_if<control::Listing>(&said))
        all->listing.processes.insert(all->listing.processes.end(), more->processes.begin(), more->processes.end());
      one_more();
    });
  }
  one_more();
}

}  // namespace octavo
