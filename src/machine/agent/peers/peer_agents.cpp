// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/peers/peer_agents.hpp"

#include <algorithm>
#include <utility>

#include "base/overloaded.hpp"
#include "machine/agent/common/attempt.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

PeerAgents::PeerAgents(const Identity& self, DeathRegister& deaths, Post post, OpenAgentLink open_link, Events told)
    : self_(self), deaths_(deaths), post_(std::move(post)), open_link_(std::move(open_link)), told_(std::move(told)) {}

PeerAgent& PeerAgents::meet(std::unique_ptr<road::Link> link, const std::string& machine, peer_kind kind) {
  auto other = std::make_shared<PeerAgent>();
  other->kind = kind;
  other->machine = machine;
  // The two ends number their channels apart: the one that came, and the one that was met.
  other->next_channel = kind == peer_kind::hub || self_.daemon ? 2 : 1;
  open(peers_, other, std::move(link));
  return *other;
}

PeerAgent& PeerAgents::meet_sibling(std::unique_ptr<road::Link> link, const std::string& machine, std::uint64_t id) {
  auto other = std::make_shared<PeerAgent>();
  other->kind = peer_kind::sibling;
  other->machine = machine;
  other->id = id;
  other->next_channel = self_.id < id ? 2 : 1;
  open(siblings_, other, std::move(link));
  return *other;
}

void PeerAgents::open(All& among, const std::shared_ptr<PeerAgent>& other, std::unique_ptr<road::Link> link) {
  other->number = next_number_++;
  among.push_back(other);
  auto do_later = [this, weak = std::weak_ptr(other)](std::function<void(PeerAgent&)> what) {
    post_([weak, what = std::move(what)] {
      if (auto still = weak.lock()) what(*still);
    });
  };
  road::RelayEvents events;
  events.control = [this, do_later](ByteView bytes, std::vector<Fd> with) {
    auto copy = std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
    auto descriptors = std::make_shared<std::vector<Fd>>(std::move(with));
    do_later([this, copy, descriptors](PeerAgent& from) { hear(from, *copy, std::move(*descriptors)); });
  };
  events.lost = [this, do_later](const std::string& why) { do_later([this, why](PeerAgent& lost) { lose(lost, why); }); };
  events.ended = [this](std::uint64_t) { post_([this] { end_fading(); }); };
  try {
    other->link = open_link_(std::move(link), std::move(events));
    other->tell(talk::Hello{talk::version, self_.id, self_.incarnation, self_.machine, self_.facts().pid});
  } catch (...) {  // else the next request would find it by its name, and never be answered
    among.pop_back();
    throw;
  }
}

void PeerAgents::hear(PeerAgent& from, ByteView bytes, std::vector<Fd> with) {
  try {
    std::visit(overloaded{[&](const talk::Hello& hello) { hear_hello(from, hello); },
                          [&](const talk::ForwardedRequest& request) { told_.requested(from, request, with.empty() ? Fd() : std::move(with.front())); },
                          [&](const talk::ForwardedReply& reply) { hear_reply(from, reply, std::move(with)); },
                          [&](const talk::Died& died) {
                            const Life over = died.obituary.facts;
                            if (auto known = from.theirs.find(over.who); known != from.theirs.end() && over.is_of(known->second)) from.theirs.erase(known);
                            from.talks.erase(over.who);
                            told_.died(died.obituary);
                          },
                          [&](const talk::ReadsTold&) { told_.reads_told(from); },
                          [&](const talk::Siblings& said) {
                            if (told_.siblings) told_.siblings(from, said);
                          }},
               talk::decode(bytes));
  } catch (const std::exception& e) {
    lose(from, e.what());
  }
}

void PeerAgents::hear_hello(PeerAgent& from, const talk::Hello& hello) {
  if (hello.version != talk::version) return lose(from, "it speaks version " + std::to_string(hello.version) + ", we " + std::to_string(talk::version));
  if (from.is_sibling() && hello.agent != from.id) return lose(from, "another agent answers there");
  from.id = hello.agent;
  from.pid = hello.pid;
  from.machine = from.is_daemon() ? hello.machine + ", lasting" : hello.machine;
  deaths_.forget_lost(hello.agent, hello.incarnation);
  if (!from.is_daemon()) return;
  own_daemon_ = hello.agent;
  led_to_.clear();
}

void PeerAgents::hear_reply(PeerAgent& from, const talk::ForwardedReply& reply, std::vector<Fd> with) {
  auto entry = from.asked.extract(reply.request);
  if (!entry) return log_line("agent: " + from.machine + " answers request " + std::to_string(reply.request) + ", which it was not asked");
  const auto* made = control::get_if<control::Connected>(&reply.notice);
  if (made != nullptr && made->peer.address.lasting() && from.kind == peer_kind::machine) daemons_[made->peer.address.agent] = from.machine;
  finish(from, entry.mapped(), reply.notice, std::move(with));
}

namespace {
// The answer may be a connection.
bool may_connect(const control::Notice& request) {
  return control::get_if<control::Connect>(&request) != nullptr || control::get_if<control::Open>(&request) != nullptr ||
         control::get_if<control::Spawn>(&request) != nullptr;
}
// False: there is no descriptor left to keep the bell by until it is sent. Without it the connection is a channel.
bool tell_with(const PeerAgent& other, const talk::ForwardedRequest& request, int bell) {
  try {
    other.tell(request, std::span(&bell, 1));
    return true;
  } catch (const io_error&) {
    return false;
  }
}
}  // namespace

void PeerAgents::ask(PeerAgent& other, const RequesterPtr& requester, const control::Notice& request, PeerAgent::Then then) {
  if (!other.link) throw gone_error("machine " + other.machine + " is lost", "Its objects are gone; place new ones when it is back");
  const auto number = other.next_request++, channel = other.next_channel;
  other.next_channel += 2;
  other.asked.emplace(number, PeerAgent::Asked{requester, request, channel, std::move(then)});
  const auto bell = other.is_on_this_machine() && may_connect(request) ? requester->bell() : SharedBell{};
  const talk::ForwardedRequest forwarded{number, channel, requester->facts(), request, bell.slot};
  try {
    if (bell.descriptor < 0 || !tell_with(other, forwarded, bell.descriptor)) other.tell(forwarded);
  } catch (...) {  // its requester is told by whoever asked
    other.asked.erase(number);
    throw;
  }
}

// A request to reach a process whose machine was lost meanwhile is told of its death (C-6).
void PeerAgents::finish(PeerAgent& by, const PeerAgent::Asked& asked, const control::Notice& answer, std::vector<Fd> with) {
  const auto* failed = control::get_if<control::Failed>(&answer);
  const auto* connect = control::get_if<control::Connect>(&asked.request);
  const auto* dead = failed != nullptr && connect != nullptr && !connect->to.lasting() ? deaths_.find(connect->to) : nullptr;
  if (dead == nullptr) return asked.then(by, answer, {asked.channel, std::move(with)});
  control::Failed died = *failed;
  died.obituary = *dead;
  asked.then(by, died, {asked.channel, {}});
}

void PeerAgents::lose(PeerAgent& other, const std::string& why) {
  auto& among = other.is_sibling() ? siblings_ : peers_;
  auto found = std::find_if(among.begin(), among.end(), [&](const auto& each) { return each.get() == &other; });
  if (found == among.end()) return;
  auto lost = std::move(*found);
  among.erase(found);
  lost->why_lost = why;
  fading_.push_back(std::move(lost->link));
  end_fading();
  deaths_.forget(lost->listener());
  if (lost->kind == peer_kind::machine) log_line("machine " + lost->machine + " is lost: " + why);
  if (lost->is_sibling()) return told_.sibling_lost(std::move(lost));
  told_.lost(*lost);
  if (lost->is_hub()) return;  // the program has ended, and this agent does
  const bool leads_again = lost->is_daemon() && !lost->was_told_to_end();
  for (const auto& [address, facts] : lost->theirs) {
    if (leads_again && address.agent != lost->id) led_to_.insert(address.agent);
    const bool led = lost->is_guest() && address.agent != lost->id;  // it may live on
    const std::string cause = led ? "the program that led there has ended" : "its program ended, or was killed";
    told_.died({facts, now_seconds(), 0, false, {}, lost->is_guest() ? cause + " (" + why + ")" : why, false});
  }
  for (const auto agent : led_to_) deaths_.forget_lost(agent);  // the next one may lead there
  for (auto& [request, asked] : lost->asked) attempt("answering what a lost machine was asked", [&, &asked = asked] { lose_asked(*lost, asked, why); });
}

// The last that came over a lost link is given to its processes as they make room.
void PeerAgents::end_fading() {
  std::erase_if(fading_, [](const auto& link) { return link == nullptr || !link->carries(); });
}

void PeerAgents::lose_asked(PeerAgent& lost, const PeerAgent::Asked& asked, const std::string& why) {
  const bool told_to_end = control::get_if<control::EndLasting>(&asked.request) != nullptr;
  if (lost.is_daemon() && told_to_end) return asked.then(lost, control::Done{}, {});
  if (!told_.ask_again(lost, asked)) finish(lost, asked, control::Failed{0, error_kind::gone, "machine " + lost.machine + " is lost: " + why, {}, {}});
}

namespace {
template <class Which>
PeerAgent* first_of(const PeerAgents::All& peers, Which which) {
  const auto found = std::find_if(peers.begin(), peers.end(), [&](const auto& each) { return which(*each); });
  return found == peers.end() ? nullptr : found->get();
}
}  // namespace

PeerAgent* PeerAgents::of_kind(peer_kind kind) const {
  return first_of(peers_, [kind](const PeerAgent& each) { return each.kind == kind; });
}
PeerAgent* PeerAgents::of_agent(std::uint64_t id) const {
  return first_of(peers_, [id](const PeerAgent& each) { return each.id == id; });
}
PeerAgent* PeerAgents::sibling(std::uint64_t id) const {
  return first_of(siblings_, [id](const PeerAgent& each) { return each.id == id; });
}
PeerAgent* PeerAgents::find(const Listener& who) const {
  const auto its = [&](const PeerAgent& each) { return each.listener() == who; };
  PeerAgent* found = first_of(peers_, its);
  return found != nullptr ? found : first_of(siblings_, its);
}

// What one program asks is carried by another only where that is known to have it: else two would ask each other.
PeerAgents::All PeerAgents::leading_to(std::uint64_t agent, const Requester& from) const {
  All all;
  for (const auto& each : peers_) {
    const auto first = each->theirs.lower_bound({agent, 0, 0});
    const bool known = first != each->theirs.end() && first->first.agent == agent;
    if (each->is_guest() && each.get() != from.peer() && (known || from.peer() == nullptr)) all.push_back(each);
  }
  const auto users = deaths_.connected_with(from.facts().address);
  std::stable_partition(all.begin(), all.end(), [&](const auto& each) { return std::find(users.begin(), users.end(), each->listener()) != users.end(); });
  return all;
}

const std::string* PeerAgents::machine_of_daemon(std::uint64_t id) const {
  auto found = daemons_.find(id);
  return found == daemons_.end() ? nullptr : &found->second;
}

}  // namespace octavo::agent
