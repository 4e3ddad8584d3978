// SPDX-License-Identifier: Apache-2.0
// The other machines: starting their agents, speaking with them, and joining the processes of two machines by a channel.
#include <unistd.h>

#include <algorithm>
#include <array>

#include "machine/agent/loop.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

void Neighbour::tell(const talk::Notice& notice) const {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(notice);
  if (!out.bulk.empty()) throw usage_error("a notice to the agent of " + machine + " is too long");
  relay->send_control(out.body);
}

Neighbour& Agent::Loop::meet(std::unique_ptr<road::Link> link, const std::string& machine, bool hub) {
  auto& slot = neighbours_.emplace_back(std::make_unique<Neighbour>());
  Neighbour* other = slot.get();
  other->machine = machine;
  other->hub = hub;
  // The two ends number their channels apart: who came, and whom we met.
  other->next_channel = hub || registry_ ? 2 : 1;
  road::RelayEvents events;
  events.control = [this, other](ByteView bytes) {
    auto copy = std::make_shared<wire::Message>();
    copy->body = wire::Buffer(bytes.size());
    std::copy(bytes.begin(), bytes.end(), copy->body.span().begin());
    post([this, other, copy] { hear_from(*other, *copy); });
  };
  events.lost = [this, other](const std::string& why) { post([this, other, why] { lose(*other, why); }); };
  road::RelayOptions options;
  options.silence = options_.silence;
  options.heartbeat = std::min(options.heartbeat, options.silence / 4);
  other->relay = std::make_unique<road::Relay>(std::move(link), std::move(events), options);
  other->relay->start();
  other->tell(talk::Hello{talk::version, id_, incarnation_, options_.machine});
  return *other;
}

void Agent::Loop::hear_from(Neighbour& from, wire::Message& message) {
  if (!knows_neighbour(from)) return;
  try {
    talk::Notice notice;
    wire::Decoder decoder(message);
    decoder(notice);
    if (auto* hello = std::get_if<talk::Hello>(&notice)) {
      if (hello->version != talk::version) return lose(from, "it speaks version " + std::to_string(hello->version) + ", we " + std::to_string(talk::version));
      from.agent = hello->agent;
      from.machine = from.lasting ? hello->machine + ", lasting" : hello->machine;
      if (from.lasting) lasting_agent_ = hello->agent;
    } else if (auto* ask = std::get_if<talk::Ask>(&notice)) {
      serve_neighbour(from, *ask);
    } else if (auto* answer = std::get_if<talk::Answer>(&notice)) {
      if (auto entry = from.asked.extract(answer->request)) entry.mapped()(answer->notice);
    } else if (auto* died = std::get_if<talk::Died>(&notice)) {
      from.theirs.erase(died->obituary.facts.address);
      remember_death(died->obituary);
    }
  } catch (const error& e) {
    lose(from, e.what());
  }
}

bool Agent::Loop::knows_neighbour(const Neighbour& other) const {
  return std::any_of(neighbours_.begin(), neighbours_.end(), [&](const auto& each) { return each.get() == &other; });
}

// By name or by agent. Null: it is this machine. Starts the agent of a machine that has none yet.
Neighbour* Agent::Loop::neighbour_for(const Placement& where) {
  if (where.beside) return neighbour_of(where.beside.agent);
  if (registry_) return nullptr;  // programs come to a lasting agent, it goes to none
  const std::string& name = where.machine;
  if (name.empty() || name == "local" || name == "localhost" || name == options_.machine) return nullptr;
  Neighbour* hub = nullptr;
  for (const auto& each : neighbours_) {
    if (each->machine == name) return each.get();
    if (each->hub) hub = each.get();
  }
  if (hub != nullptr) return hub;
  if (options_.engine == nullptr) throw usage_error("there is no machine '" + name + "'", "Known is '" + options_.machine + "' (this one)");
  return &meet(options_.engine->start_agent(name), name, false);
}

Neighbour* Agent::Loop::neighbour_of(std::uint64_t agent) {
  if (agent == id_) return nullptr;
  Neighbour* hub = nullptr;
  for (const auto& each : neighbours_) {
    if (each->agent == agent) return each.get();
    if (each->hub) hub = each.get();
  }
  for (const auto& each : neighbours_)  // one behind it, which we know objects of
    if (auto first = each->theirs.lower_bound({agent, 0, 0}); first != each->theirs.end() && first->first.agent == agent) return each.get();
  if (agent == lasting_agent_) return keeper_of_names({});  // it ended; its objects did not
  if (hub == nullptr) throw gone_error("there is no agent " + std::to_string(agent), "Its program, or its machine, is gone");
  return hub;
}

void Agent::Loop::ask(Neighbour& other, const ProcessFacts& asker, const control::Notice& wish,
                      std::function<void(const control::Notice&, std::uint64_t)> then) {
  std::uint64_t request = other.next_request++, channel = other.next_channel;
  other.next_channel += 2;
  const auto* connect = std::get_if<control::Connect>(&wish);
  other.asked.emplace(request, [this, then = std::move(then), channel, to = connect != nullptr ? connect->to : Address()](const control::Notice& answer) {
    const auto* failed = std::get_if<control::Failed>(&answer);
    auto dead = dead_.find(to);
    if (failed == nullptr || to.lasting() || dead == dead_.end()) return then(answer, channel);
    control::Failed died = *failed;  // its machine was lost meanwhile: who wished to reach it hears of its death (C-6)
    died.obituary = dead->second;
    then(died, channel);
  });
  other.tell(talk::Ask{request, channel, asker, wish});
}

// A process of ours wishes something of another machine.
void Agent::Loop::ask_for(Child& asker, Neighbour& other, std::uint64_t request, const control::Notice& wish) {
  std::uint64_t object = asker.facts.address.object;
  ask(other, asker.facts, wish, [this, &other, object, request](const control::Notice& answer, std::uint64_t channel) {
    auto found = children_.find(object);
    const auto* made = std::get_if<control::Connected>(&answer);
    if (found == children_.end()) {
      if (made != nullptr) other.relay->refuse(channel);
      return;
    }
    if (made != nullptr) return join(found->second, other, channel, made->peer, request);
    control::Notice copy = answer;
    std::visit(
        [&](auto& notice) {
          if constexpr (requires { notice.request; }) notice.request = request;
        },
        copy);
    control::send(found->second.run.control.get(), copy);
  });
}

// One end of a channel: between our process and the relay.
void Agent::Loop::join(Child& ours, Neighbour& other, std::uint64_t channel, const ProcessFacts& peer, std::uint64_t request) {
  auto ends = road::make_shm_ends(ring_bytes());
  other.relay->open(channel, std::move(ends.first), ours.bell);
  ours.knows.insert(peer.address);
  other.knows.insert(ours.facts.address);
  other.theirs.emplace(peer.address, peer);
  const auto& bell = other.relay->bell();
  control::send(ours.run.control.get(), control::Connected{request, peer, 0, ends.second.side, road::road_kind::net, 0},
                std::array{bell.descriptor(), ends.second.rings.get(), ends.second.socket.get(), bell.event()});
}

void Agent::Loop::serve_neighbour(Neighbour& from, const talk::Ask& ask) {
  auto answer = [&from, request = ask.request](const control::Notice& notice) { from.tell(talk::Answer{request, notice}); };
  try {
    // Once it is there: its end of the channel, and the answer.
    auto reached = [this, &from, ask](Child* there, const control::Failed* no) {
      if (!knows_neighbour(from)) return;
      if (there != nullptr) join(*there, from, ask.channel, ask.asker, 0);
      from.tell(talk::Answer{ask.request, there != nullptr ? control::Notice(control::Connected{0, there->facts, 0, 0, road::road_kind::net, 0}) : *no});
    };
    last_use_ = std::chrono::steady_clock::now();
    if (const auto* spawn = std::get_if<control::Spawn>(&ask.wish)) {
      bool named = !spawn->where.name.empty();
      if (Neighbour* beyond = named ? keeper_of_names(spawn->where.machine) : neighbour_for(spawn->where)) return pass_between(from, *beyond, ask);
      reached(named ? &begin_named(*spawn) : &begin_process(*spawn), nullptr);
    } else if (const auto* open = std::get_if<control::Open>(&ask.wish)) {
      if (Neighbour* beyond = keeper_of_names(open->machine)) return pass_between(from, *beyond, ask);
      open_named(*open, reached);
    } else if (const auto* names_wish = std::get_if<control::Names>(&ask.wish)) {
      if (Neighbour* beyond = keeper_of_names(names_wish->machine)) return pass_between(from, *beyond, ask);
      answer(names(*names_wish));
    } else if (const auto* connect = std::get_if<control::Connect>(&ask.wish)) {
      if (Neighbour* beyond = neighbour_of(connect->to.agent)) return pass_between(from, *beyond, ask);
      if (connect->to.lasting() && registry_) return reach_lasting(connect->to, reached);
      Child* child = living(connect->to);
      if (child == nullptr) return answer(why_not(*connect));
      reached(child, nullptr);
    } else if (const auto* kill = std::get_if<control::Kill>(&ask.wish)) {
      answer(killed(*kill));
    } else if (const auto* watch = std::get_if<control::Watch>(&ask.wish)) {
      serve_watch(from, ask, *watch);
    } else if (std::holds_alternative<control::List>(ask.wish)) {
      answer(listing());
    }
  } catch (const error& e) {
    answer(control::Failed{0, e.kind(), e.message(), e.cure(), {}});
  }
}

// The hub carries a channel on: the relays of both neighbours hold an end each.
void Agent::Loop::pass_between(Neighbour& from, Neighbour& beyond, const talk::Ask& wish) {
  if (&from == &beyond) throw gone_error("the agent of " + from.machine + " was asked for something that is not there");
  ask(beyond, wish.asker, wish.wish, [this, &from, &beyond, wish](const control::Notice& answer, std::uint64_t channel) {
    if (!knows_neighbour(from)) return;
    if (const auto* made = std::get_if<control::Connected>(&answer)) {
      auto ends = road::make_shm_ends(ring_bytes());
      from.relay->open(wish.channel, std::move(ends.first), beyond.relay->bell());
      beyond.relay->open(channel, std::move(ends.second), from.relay->bell());
      from.knows.insert(made->peer.address);
      beyond.knows.insert(wish.asker.address);
      beyond.theirs.emplace(made->peer.address, made->peer);
      from.theirs.emplace(wish.asker.address, wish.asker);
    }
    from.tell(talk::Answer{wish.request, answer});
  });
}

// All that was there is dead, and who knew it is told so.
void Agent::Loop::lose(Neighbour& other, const std::string& why) {
  auto found = std::find_if(neighbours_.begin(), neighbours_.end(), [&](const auto& each) { return each.get() == &other; });
  if (found == neighbours_.end()) return;
  auto lost = std::move(*found);
  neighbours_.erase(found);
  lost->relay.reset();
  if (lost->hub) return stop_waiting();  // the program has ended
  if (!lost->guest && !lost->lasting) log_line("machine " + lost->machine + " is lost: " + why);
  if (lost->guest) last_use_ = std::chrono::steady_clock::now();
  for (const auto& [address, facts] : lost->theirs) remember_death({facts, now_seconds(), 0, false, {}, why, false});
  control::Failed gone{0, error_kind::gone, "machine " + lost->machine + " is lost: " + why, {}, {}};
  for (auto& [request, then] : lost->asked) then(gone);
}

void Agent::Loop::post(std::function<void()> work) {
  {
    std::lock_guard lock(posted_mutex_);
    posted_.push_back(std::move(work));
  }
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(wake_.get(), &one, sizeof one);
}

void Agent::Loop::run_posted() {
  std::uint64_t count = 0;
  [[maybe_unused]] auto n = ::read(wake_.get(), &count, sizeof count);
  std::deque<std::function<void()>> now;
  {
    std::lock_guard lock(posted_mutex_);
    now.swap(posted_);
  }
  for (auto& work : now) work();
}

}  // namespace octavo
