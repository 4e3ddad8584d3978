// SPDX-License-Identifier: Apache-2.0
// How the parts of an agent are put together: what each is given of the others, and told of.
#include <algorithm>
#include <utility>

#include "base/delay_point.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"

namespace octavo {

agent::Children::Events Agent::Loop::child_events() {
  return {.said = [this](agent::Child& from,
                         control::Received& received) { services_.take(requesters_.local(from, control::number_of(received.notice)), received.notice); },
          .silent =
              [this](agent::Child& child) {
                if (child.host != 0) reaper_.reap_thread(child);  // the pidfd of one that has a process tells the rest
              },
          .ended = [this](agent::Child& child) { reaper_.reap(child); },
          .slot_given = [this](unsigned slot) { locks_.slot_given(slot); }};
}

agent::Reaper::Events Agent::Loop::end_events() {
  return {.last_word = [this](agent::Child& dead, const control::Notice& notice) { services_.take_last_word(dead, notice); },
          .died = [this](agent::Child& dead, const Obituary& obituary) { enter_death(dead, obituary); }};
}

agent::PeerAgents::Events Agent::Loop::peer_events() {
  return {.requested =
              [this](agent::PeerAgent& from, const talk::ForwardedRequest& request, Fd bell) {
                if (daemon_) daemon_->retirement.used(agent::Retirement::Time::clock::now());
                services_.take(requesters_.remote(from, request, std::move(bell)), request.notice);
              },
          .died = [this](const Obituary& obituary) { remember_death(obituary); },
          .lost = [this](const agent::PeerAgent& lost) { hear_lost(lost); },
          .ask_again = [this](const agent::PeerAgent& lost, const agent::PeerAgent::Asked& asked) { return ways_.finder.ask_again(lost, asked); },
          .reads_told = [this](const agent::PeerAgent& from) { messages_.mailboxes.reads_told(from); },
          .siblings = [this](agent::PeerAgent& from, const talk::Siblings& said) { ways_.siblings.hear(from, said); },
          .sibling_lost = [this](std::shared_ptr<agent::PeerAgent> lost) { ways_.siblings.hear_lost(std::move(lost)); }};
}

agent::OpenAgentLink Agent::Loop::link_opener() {
  return [this](std::unique_ptr<road::Link> link, road::RelayEvents events) {
    road::RelayOptions options;
    options.silence = std::max(options_.silence, link->least_silence());
    options.pages = &shared_.pool;
    options.heartbeat = link->least_silence().count() != 0 ? options.silence / 8 : std::min(options.heartbeat, options.silence / 4);
    return agent::open_relay(std::move(link), std::move(events), options);
  };
}

agent::Routes::Start Agent::Loop::agent_starter() {
  if (options_.engine == nullptr) return {};
  return [this](const std::string& machine) -> agent::PeerAgent& {
    return peers_.meet(options_.engine->start_agent(machine), machine, agent::peer_kind::machine);
  };
}

agent::Routes::Postpone Agent::Loop::postponer() {
  if (daemon_) {
    auto& guides = daemon_->guides.emplace(self_, peers_);
    return [&guides](const agent::RequesterPtr& requester, const control::Notice& request) { guides.ask(requester, request); };
  }
  return [this](const agent::RequesterPtr& requester, const control::Notice& request) { ways_.finder.postpone(requester, request); };
}

agent::DaemonFinder::Surroundings Agent::Loop::around_finder() {
  return {.reach =
              [this](bool again, const std::stop_token& stop) {
                if (again) daemon::pause(stop);
                return daemon::reach(options_.home, options_.machine, stop);
              },
          .post = [this](std::function<void()> work) { events_.post(std::move(work)); },
          .met =
              [this](std::unique_ptr<road::Link> link) {
                messages_.mailboxes.lasting_agent_met(peers_.meet(std::move(link), options_.machine + ", lasting", agent::peer_kind::daemon));
              },
          .fulfil = [this](const agent::RequesterPtr& requester, const control::Notice& request) { services_.take(requester, request); }};
}

agent::Siblings::Surroundings Agent::Loop::around_siblings() {
  return {.fulfil = [this](const agent::RequesterPtr& requester, const control::Notice& request) { services_.take(requester, request); },
          .unreached =
              [this](std::uint64_t object, const Obituary& of) {
                shared_.board.leave_roads(of.facts.address);
                if (agent::Child* child = children_.find(object); child != nullptr) children_.tell(*child, control::Died{of});
              },
          .died = [this](const Obituary& obituary) { remember_death(obituary); }};
}

agent::NamedObjects* Agent::Loop::begin_names() {
  if (!daemon_) return nullptr;
  const auto start = [this](const auto& command, const auto& title, const auto& directory, const auto& environment) {
    auto started = spawn::start(command, title, directory, environment);
    started.mark = shared_.sweeping.mark_for(command.front());
    return started;
  };
  return &daemon_->objects.emplace(self_, *daemon_->registry, children_, start,
                                   [this](const agent::RequesterPtr& requester, const control::Notice& request) { services_.take(requester, request); });
}

agent::NameService::Surroundings Agent::Loop::around_name_service() {
  return {.daemon_is_there = [this] { return daemon::is_there(options_.home); }, .retire = [this] { begin_to_retire(); }};
}

// --- what one part tells several others ---

void Agent::Loop::tell_death(const agent::Listener& who, const Obituary& of) {
  if (who.what == agent::Listener::kind::process) {
    if (agent::Child* child = children_.find(who.number); child != nullptr) children_.tell(*child, control::Died{of});
  } else if (const agent::PeerAgent* other = peers_.find(who); other != nullptr) {
    other->tell(talk::Died{of});
  }
}

void Agent::Loop::enter_death(agent::Child& dead, const Obituary& obituary) {
  const auto object = obituary.facts.address.object;
  deaths_.forget(dead.listener());
  shared_.sweeping.ended(dead.run.mark);
  attempt("freeing the locks of a dead process", [&] { locks_.process_died(dead.slot, object, obituary); });
  passivation_.process_died(object);
  if (dead.named != nullptr) attempt("the name of a dead process", [&] { objects_->settle(dead, obituary); });
  remember_death(obituary);
  life_.process_died(obituary.facts.address);
  if (dead.named != nullptr) objects_->fulfil_later(dead);  // a process that hears of the next life has heard of this one's end
}

void Agent::Loop::remember_death(const Obituary& obituary) {
  delay_point("agent: about to tell of a death");
  shared_.board.leave_roads(obituary.facts.address);
  messages_.process_died(obituary);
  deaths_.enter(obituary);
}

void Agent::Loop::hear_lost(const agent::PeerAgent& lost) {
  if (lost.is_hub()) stop_waiting();  // the program has ended
  if (lost.kind == agent::peer_kind::machine && lost.id != 0) ways_.siblings.tell_lost(lost);
  if (lost.is_daemon() && !lost.was_told_to_end()) {
    attempt("having the next lasting agent hear who reads which mailbox", [&] { messages_.mailboxes.lasting_agent_lost(); });
    messages_.home_locks.lasting_agent_lost();
  }
  if (!lost.is_guest() || !daemon_) return;
  life_.guest_left(lost.number);
  daemon_->retirement.used(agent::Retirement::Time::clock::now());
}

}  // namespace octavo
