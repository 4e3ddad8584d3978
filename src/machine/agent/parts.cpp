// SPDX-License-Identifier: Apache-2.0
// How the parts of an agent are put together: what each is given of the others, and told of.
#include <algorithm>
#include <utility>

#include "base/delay_point.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/lasting/daemon.hpp"
#include "octavo/base/error.hpp"

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
              [this](agent::PeerAgent& from, const talk::ForwardedRequest& request) {
                if (daemon_) daemon_->retirement.used(agent::Retirement::Time::clock::now());
                fulfil(requesters_.remote(from, request), request.notice);
              },
          .died = [this](const Obituary& obituary) { remember_death(obituary); },
          .lost = [this](const agent::PeerAgent& lost) { hear_lost(lost); },
          .ask_again = [this](const agent::PeerAgent& lost, const agent::PeerAgent::Asked& asked) { return finder_.ask_again(lost, asked); }};
}

agent::OpenAgentLink Agent::Loop::link_opener() {
  return [this](std::unique_ptr<road::Link> link, road::RelayEvents events) {
    road::RelayOptions options;
    options.silence = options_.silence;
    options.pages = &shared_.pool;
    options.heartbeat = std::min(options.heartbeat, options.silence / 4);
    return agent::open_relay(std::move(link), std::move(events), options);
  };
}

agent::Routes::Start Agent::Loop::agent_starter() {
  if (options_.engine == nullptr) return {};
  return [this](const std::string& machine) -> agent::PeerAgent& {
    return peers_.meet(options_.engine->start_agent(machine), machine, agent::peer_kind::machine);
  };
}

agent::DaemonFinder::Surroundings Agent::Loop::around_finder() {
  return {.reach =
              [this](bool again, const std::stop_token& stop) {
                if (again) daemon::pause(stop);
                return daemon::reach(options_.home, options_.machine, stop);
              },
          .post = [this](std::function<void()> work) { events_.post(std::move(work)); },
          .met = [this](std::unique_ptr<road::Link> link) { peers_.meet(std::move(link), options_.machine + ", lasting", agent::peer_kind::daemon); },
          .fulfil = [this](const agent::RequesterPtr& requester, const control::Notice& request) { fulfil(requester, request); }};
}

agent::NamedObjects::Surroundings Agent::Loop::around_names() {
  return {.start = [](const std::vector<std::string>& command, const std::string& title,
                      const NamedEntry& entry) { return spawn::start(command, title, entry.directory, entry.environment); },
          .adopt = [this](ProcessFacts facts, spawn::Started run, const control::NamedHome& home) -> agent::Child& {
            return children_.adopt(std::move(facts), std::move(run), 0, home);
          },
          .fulfil = [this](const agent::RequesterPtr& requester, const control::Notice& request) { fulfil(requester, request); }};
}

agent::NamedObjects* Agent::Loop::begin_names() { return daemon_ ? &daemon_->objects.emplace(self_, *daemon_->registry, children_, around_names()) : nullptr; }

agent::LifeService::Surroundings Agent::Loop::around_life() {
  std::function<agent::Child&(const control::Spawn&)> make_named;
  if (daemon_) make_named = [this](const control::Spawn& request) -> agent::Child& { return daemon_->objects->make(request); };
  return {.start = [](const std::vector<std::string>& command, const std::string& title) { return spawn::start(command, title); },
          .adopt = [this](ProcessFacts facts, spawn::Started run, std::uint64_t host) -> agent::Child& {
            return children_.adopt(std::move(facts), std::move(run), host);
          },
          .make_named = std::move(make_named),
          .list = [this] { return processes(); },
          .said_bye =
              [this](agent::Child& child) {
                if (child.named != nullptr && !child.resting) daemon_->objects->destroyed(child.facts.address.object);
              }};
}

agent::NameService::Surroundings Agent::Loop::around_name_service() {
  return {.daemon_is_there = [this] { return daemon::is_there(options_.home); }, .retire = [this] { begin_to_retire(); }};
}

agent::IntroductionService::ConnectNamed Agent::Loop::connect_named() {
  if (!daemon_) return {};
  return [this](const agent::RequesterPtr& requester, const control::Connect& request) { daemon_->objects->connect(requester, request); };
}

agent::Mailboxes::Forward Agent::Loop::to_hub() {
  return [this](const agent::RequesterPtr& requester, const control::Notice& request) { return forwarder_.forward(routes_.hub(), requester, request); };
}

void Agent::Loop::fulfil(const agent::RequesterPtr& requester, const control::Notice& request) { services_.take(requester, request); }

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
  attempt("freeing the locks of a dead process", [&] { locks_.process_died(dead.slot, object, obituary); });
  passivation_.process_died(object);
  if (dead.named != nullptr) attempt("the name of a dead process", [&] { daemon_->objects->settle(dead, obituary); });
  remember_death(obituary);
  if (dead.named != nullptr) daemon_->objects->fulfil_later(dead);  // whoever hears of the next life has heard of this one's end
}

void Agent::Loop::remember_death(const Obituary& obituary) {
  delay_point("agent: about to tell of a death");
  shared_.board.leave_roads(obituary.facts.address);
  mailboxes_.owner_died(obituary.facts.address);
  deaths_.enter(obituary);
}

void Agent::Loop::hear_lost(const agent::PeerAgent& lost) {
  if (lost.is_hub()) stop_waiting();  // the program has ended
  if (lost.is_guest() && daemon_) daemon_->retirement.used(agent::Retirement::Time::clock::now());
}

std::vector<ProcessFacts> Agent::Loop::processes() {
  std::vector<ProcessFacts> all;
  if (children_.find(1) == nullptr) all.push_back(self_.facts());  // an agent of a machine of its own
  for (const auto& [object, child] : children_.all()) all.push_back(child.facts);
  return all;
}

}  // namespace octavo
