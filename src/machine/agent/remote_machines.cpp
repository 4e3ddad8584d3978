// SPDX-License-Identifier: Apache-2.0
// The other machines: starting their agents, speaking with them, and joining the processes of two machines by a channel.
#include <algorithm>
#include <array>

#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

void PeerAgent::tell(const talk::Notice& notice) const {
  if (!relay) return;  // it is lost
  relay->send_control(talk::encode(notice));
}

PeerAgent& Agent::Loop::meet(std::unique_ptr<road::Link> link, const std::string& machine, bool hub) {
  auto& other = peers_.emplace_back(std::make_shared<PeerAgent>());
  other->number = next_link_++;
  other->machine = machine;
  other->hub = hub;
  // The two ends number their channels apart: who came, and whom we met.
  other->next_channel = hub || registry_ ? 2 : 1;
  road::RelayEvents events;
  auto do_later = [this, weak = std::weak_ptr(other)](std::function<void(PeerAgent&)> what) {
    events_.post([weak, what = std::move(what)] {
      if (auto still = weak.lock()) what(*still);
    });
  };
  events.control = [this, do_later](ByteView bytes) {
    auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    do_later([this, copy](PeerAgent& from) { hear_from(from, *copy); });
  };
  events.lost = [this, do_later](const std::string& why) { do_later([this, why](PeerAgent& lost) { lose(lost, why); }); };
  road::RelayOptions options;
  options.silence = options_.silence;
  options.pages = pool_.get();
  options.heartbeat = std::min(options.heartbeat, options.silence / 4);
  try {
    other->relay = std::make_unique<road::Relay>(std::move(link), std::move(events), options);
    other->relay->start();
    other->tell(talk::Hello{talk::version, id_, incarnation_, options_.machine});
  } catch (...) {  // else the next request would find it by its name, and never be answered
    peers_.pop_back();
    throw;
  }
  return *other;
}

void Agent::Loop::hear_from(PeerAgent& from, ByteView bytes) {
  try {
    auto notice = talk::decode(bytes);
    if (auto* hello = std::get_if<talk::Hello>(&notice)) {
      if (hello->version != talk::version) return lose(from, "it speaks version " + std::to_string(hello->version) + ", we " + std::to_string(talk::version));
      from.agent = hello->agent;
      from.machine = from.lasting ? hello->machine + ", lasting" : hello->machine;
      if (from.lasting) lasting_agent_ = hello->agent;
    } else if (auto* ask = std::get_if<talk::ForwardedRequest>(&notice)) {
      last_use_ = std::chrono::steady_clock::now();
      fulfil(requester_of(from, *ask), ask->notice);
    } else if (auto* answer = std::get_if<talk::ForwardedReply>(&notice)) {
      hear_answer(from, *answer);
    } else if (auto* died = std::get_if<talk::Died>(&notice)) {
      from.theirs.erase(died->obituary.facts.address);
      remember_death(died->obituary);
    }
  } catch (const std::exception& e) {
    lose(from, e.what());
  }
}

// By name or by agent. Null: it is this machine. Nothing: see agent_with_id. Starts the agent of a machine that has none yet.
std::optional<PeerAgent*> Agent::Loop::agent_of_machine(const Placement& where) {
  if (where.beside) return agent_with_id(where.beside.agent);
  if (registry_) return nullptr;  // programs come to a lasting agent, it goes to none
  const std::string& name = where.machine;
  if (name.empty() || name == "local" || name == "localhost" || name == options_.machine) return nullptr;
  PeerAgent* hub = nullptr;
  for (const auto& each : peers_) {
    if (each->machine == name) return each.get();
    if (each->hub) hub = each.get();
  }
  if (hub != nullptr) return hub;
  if (options_.engine == nullptr) throw usage_error("there is no machine '" + name + "'", "Known is '" + options_.machine + "' (this one)");
  return &meet(options_.engine->start_agent(name), name, false);
}

// Null: this one. Nothing: the lasting agent of this machine, which is still to be reached.
std::optional<PeerAgent*> Agent::Loop::agent_with_id(std::uint64_t agent, bool lasting) {
  if (agent == id_) return nullptr;
  PeerAgent* hub = nullptr;
  for (const auto& each : peers_) {
    if (each->agent == agent) return each.get();
    if (each->hub) hub = each.get();
  }
  for (const auto& each : peers_)  // one behind it, which we know objects of
    if (auto first = each->theirs.lower_bound({agent, 0, 0}); first != each->theirs.end() && first->first.agent == agent) return each.get();
  if (agent == lasting_agent_) return lasting_peer();  // it ended; its objects did not
  if (auto keeper = keepers_.find(agent); keeper != keepers_.end()) {
    Placement there;
    there.machine = keeper->second;
    return agent_of_machine(there);
  }
  if (lasting && hub == nullptr && lasting_agent_ == 0 && !registry_) return lasting_peer();  // it may be that of this machine, which we do not know yet
  if (hub == nullptr) throw gone_error("there is no agent " + std::to_string(agent), "Its program, or its machine, is gone");
  return hub;
}

PeerAgent* Agent::Loop::hub() const {
  auto found = std::find_if(peers_.begin(), peers_.end(), [](const auto& each) { return each->hub; });
  return found == peers_.end() ? nullptr : found->get();
}

void Agent::Loop::ask(PeerAgent& other, const std::shared_ptr<Requester>& requester, const control::Notice& wish, PeerAgent::Then then) {
  if (!other.relay) throw gone_error("machine " + other.machine + " is lost", "Its objects are gone; place new ones when it is back");
  std::uint64_t request = other.next_request++, channel = other.next_channel;
  other.next_channel += 2;
  other.asked.emplace(request, PeerAgent::Asked{requester, wish, channel, std::move(then)});
  other.tell(talk::ForwardedRequest{request, channel, requester->facts(), wish});
}

void Agent::Loop::hear_answer(PeerAgent& from, const talk::ForwardedReply& answer) {
  auto entry = from.asked.extract(answer.request);
  if (!entry) return log_line("agent: " + from.machine + " answers request " + std::to_string(answer.request) + ", which it was not asked");
  auto& asked = entry.mapped();
  if (const auto* made = control::get_if<control::Connected>(&answer.notice); made != nullptr && made->peer.address.lasting() && !from.lasting && !from.hub)
    keepers_[made->peer.address.agent] = from.machine;
  finish(from, asked, answer.notice);
}

// Who wished to reach one whose machine was lost meanwhile hears of its death (C-6).
void Agent::Loop::finish(PeerAgent& by, const PeerAgent::Asked& asked, const control::Notice& answer) {
  const auto* failed = control::get_if<control::Failed>(&answer);
  const auto* connect = control::get_if<control::Connect>(&asked.wish);
  const auto* dead = failed != nullptr && connect != nullptr && !connect->to.lasting() ? deaths_.find(connect->to) : nullptr;
  if (dead == nullptr) return asked.then(by, answer, asked.channel);
  control::Failed died = *failed;
  died.obituary = *dead;
  asked.then(by, died, asked.channel);
}

// One end of a channel: between our process and the relay.
void Agent::Loop::join(Child& ours, PeerAgent& other, std::uint64_t channel, const ProcessFacts& peer, std::uint64_t request) {
  auto ends = road::make_shm_ends(ring_bytes(), false);
  const auto number = ends.first.number = ++connections_;
  other.relay->open(channel, std::move(ends.first), ours.bell, ours.slot);
  deaths_.connect(ours.listener(), peer.address);
  deaths_.connect(other.listener(), ours.facts.address);
  other.theirs.emplace(peer.address, peer);
  enter_road(ours.facts, peer, road::road_kind::net);
  const auto& bell = other.relay->bell();
  tell(ours, control::Connected{request, peer, Pool::agent_slot, number, ends.second.side, road::road_kind::net, 0},
       std::array{bell.descriptor(), ends.second.rings.get(), ends.second.socket.get(), bell.event()});
}

// The hub carries a channel on: the relays of both peers hold an end each.
void Agent::Loop::carry_on(const ChannelEnd& from, const ChannelEnd& beyond) {
  auto ends = road::make_shm_ends(ring_bytes(), false);
  ends.first.number = ends.second.number = ++connections_;
  from.by.relay->open(from.channel, std::move(ends.first), beyond.by.relay->bell(), Pool::agent_slot);
  beyond.by.relay->open(beyond.channel, std::move(ends.second), from.by.relay->bell(), Pool::agent_slot);
  deaths_.connect(from.by.listener(), beyond.whose.address);
  deaths_.connect(beyond.by.listener(), from.whose.address);
  beyond.by.theirs.emplace(beyond.whose.address, beyond.whose);
  from.by.theirs.emplace(from.whose.address, from.whose);
}

// All that was there is dead, and who knew it is told so.
void Agent::Loop::lose(PeerAgent& other, const std::string& why) {
  auto found = std::find_if(peers_.begin(), peers_.end(), [&](const auto& each) { return each.get() == &other; });
  if (found == peers_.end()) return;
  auto lost = std::move(*found);
  peers_.erase(found);
  lost->relay.reset();
  deaths_.forget(lost->listener());
  if (lost->hub) return stop_waiting();  // the program has ended
  if (!lost->guest && !lost->lasting) log_line("machine " + lost->machine + " is lost: " + why);
  if (lost->guest) last_use_ = std::chrono::steady_clock::now();
  for (const auto& [address, facts] : lost->theirs) remember_death({facts, now_seconds(), 0, false, {}, why, false});
  for (auto& [request, asked] : lost->asked) attempt("answering what a lost machine was asked", [&, &asked = asked] { lose_asked(*lost, asked, why); });
}

void Agent::Loop::lose_asked(PeerAgent& lost, const PeerAgent::Asked& asked, const std::string& why) {
  if (lost.lasting && (control::get_if<control::EndLasting>(&asked.wish) != nullptr)) return asked.then(lost, control::Done{}, asked.channel);
  if (!try_again(lost, asked)) finish(lost, asked, control::Failed{0, error_kind::gone, "machine " + lost.machine + " is lost: " + why, {}, {}});
}

}  // namespace octavo
