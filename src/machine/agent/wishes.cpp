// SPDX-License-Identifier: Apache-2.0
// What an agent is asked for, whoever asks: who is to fulfil it, and its fulfilment here.
#include "machine/agent/loop.hpp"

namespace octavo {

// Null: this agent. Nothing: the lasting agent, which is still to be reached.
std::optional<Neighbour*> Agent::Loop::who_fulfils(const Asker& asker, const control::Notice& wish) {
  if (const auto* spawn = std::get_if<control::Spawn>(&wish)) {
    if (!spawn->where.name.empty()) return keeper_of_names(spawn->where.machine);
    return spawn->where.on_thread ? nullptr : neighbour_for(spawn->where);
  }
  if (const auto* open = std::get_if<control::Open>(&wish)) return keeper_of_names(open->machine);
  if (const auto* names = std::get_if<control::Names>(&wish)) return keeper_of_names(names->machine);
  if (const auto* back = std::get_if<control::GoBack>(&wish)) return keeper_of_names(back->machine);
  if (const auto* end = std::get_if<control::EndLasting>(&wish)) return who_ends(*end);
  if (const auto* connect = std::get_if<control::Connect>(&wish)) {
    if (deaths_.find(connect->to) != nullptr && !connect->to.lasting()) return nullptr;
    return connect->to.lasting() ? keeper_of(connect->to, asker) : neighbour_of(connect->to.agent, false);
  }
  if (const auto* kill = std::get_if<control::Kill>(&wish)) return neighbour_of(kill->who.agent, kill->who.lasting());
  if (const auto* facts = std::get_if<control::AskFacts>(&wish)) {
    Placement where;
    where.machine = facts->machine;
    return neighbour_for(where);
  }
  if (std::holds_alternative<control::MailboxWish>(wish)) return hub();
  return nullptr;
}

// Every wish is answered, now or later, or its asker is gone.
void Agent::Loop::fulfil(const std::shared_ptr<Asker>& asker, const control::Notice& wish) {
  try {
    auto who = who_fulfils(*asker, wish);
    if (!who) postpone(asker, wish);
    else if (*who != nullptr) asker->hand_to(**who, wish);
    else fulfil_here(asker, wish);
  } catch (const std::exception& e) {
    asker->refuse(e);
  }
}

void Agent::Loop::fulfil_here(const std::shared_ptr<Asker>& asker, const control::Notice& wish) {
  if (const auto* spawn = std::get_if<control::Spawn>(&wish)) return asker->connect(begin(*asker, *spawn));
  if (const auto* open = std::get_if<control::Open>(&wish)) return open_named(asker, *open);
  if (const auto* names_wish = std::get_if<control::Names>(&wish)) return asker->answer(names(*names_wish));
  if (const auto* back = std::get_if<control::GoBack>(&wish)) return go_back(asker, *back);
  if (std::holds_alternative<control::EndLasting>(wish)) return end_lasting(asker);
  if (const auto* kill = std::get_if<control::Kill>(&wish)) return asker->answer(killed(*kill));
  if (std::holds_alternative<control::List>(wish)) return list_for(asker);
  if (std::holds_alternative<control::AskFacts>(wish)) {
    control::Facts here{0, machine_facts()};
    here.facts.name = options_.machine;
    return asker->answer(std::move(here));
  }
  if (const auto* mailbox = std::get_if<control::MailboxWish>(&wish)) return find_mailbox(asker, *mailbox);
  if (const auto* watch = std::get_if<control::Watch>(&wish)) return watch_for(asker, *watch);
  if (const auto* part = std::get_if<control::Part>(&wish)) return part_from(asker, part->who, [asker](bool all) { asker->answer(control::Parted{0, all}); });
  const auto* connect = std::get_if<control::Connect>(&wish);
  if (connect == nullptr) throw usage_error("an agent was asked for what only processes are told");
  if (connect->to.lasting() && registry_) return reach_lasting(asker, *connect);
  if (Child* there = living(connect->to)) return asker->connect(*there);
  asker->answer(why_not(*connect));
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

// Of this machine, then of those whose agents we have a link with, as they answer. What belongs to other programs is not for the asker.
void Agent::Loop::list_for(const std::shared_ptr<Asker>& asker) {
  struct Gathered {
    control::Listing listing;
    std::size_t missing = 1;  // ourselves
  };
  auto all = std::make_shared<Gathered>(Gathered{listing(), 1});
  auto one_more = [all, asker] {
    if (--all->missing == 0) asker->answer(all->listing);
  };
  for (const auto& other : neighbours_) {
    if (other.get() == asker->neighbour() || other->guest) continue;
    ++all->missing;
    ask(*other, asker, control::List{}, [all, one_more](Neighbour&, const control::Notice& said, std::uint64_t) {
      if (const auto* more = std::get_if<control::Listing>(&said))
        all->listing.processes.insert(all->listing.processes.end(), more->processes.begin(), more->processes.end());
      one_more();
    });
  }
  one_more();
}

}  // namespace octavo
