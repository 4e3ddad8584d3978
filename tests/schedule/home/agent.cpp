// SPDX-License-Identifier: Apache-2.0
#include "schedule/home/agent.hpp"

#include <stdexcept>
#include <utility>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::schedule {

namespace {
constexpr std::size_t ring_bytes = 4096;                   // of connections, which are made elsewhere
constexpr std::size_t program_side = 0, lasting_side = 1;  // of a Wire
}  // namespace

HomeAgent::HomeAgent(agent::Identity self, const Fd& rows, Tell tell, agent::ReaderRecord* record)
    : self_(std::move(self)),
      processes_(std::move(tell)),
      board_(rows),
      peers_(
          self_, deaths_, [](const std::function<void()>& work) { work(); },
          [this](std::unique_ptr<road::Link>, road::RelayEvents told) { return next_wire_->end(self_.daemon ? lasting_side : program_side, std::move(told)); },
          events()),
      routes_(self_, peers_, {}, [this](const agent::RequesterPtr& requester, const control::Notice& request) { postpone(requester, request); }),
      requesters_(processes_, peers_, agent::Introducer(self_, processes_, deaths_, board_, ring_bytes)),
      mailboxes_(record, routes_, peers_, deaths_) {}

agent::Child& HomeAgent::Processes::adopt(ProcessFacts, spawn::Started, std::uint64_t, std::optional<control::NamedHome>) {
  throw std::logic_error("an agent of this test makes no processes");
}

agent::PeerAgents::Events HomeAgent::events() {
  return {.requested = [this](agent::PeerAgent& from, const talk::ForwardedRequest& request,
                              Fd bell) { serve(requesters_.remote(from, request, std::move(bell)), request.notice); },
          .died = [this](const Obituary& obituary) { remember_death(obituary); },
          .lost =
              [this](const agent::PeerAgent& lost) {
                if (lost.is_daemon()) mailboxes_.lasting_agent_lost();
              },
          .ask_again =
              [this](const agent::PeerAgent& lost, const agent::PeerAgent::Asked& asked) {
                if (lost.is_daemon()) postponed_.push_back({asked.requester, asked.request});
                return lost.is_daemon();
              },
          .reads_told = [this](const agent::PeerAgent& from) { mailboxes_.reads_told(from); }};
}

void HomeAgent::take(const Address& who, const control::Notice& notice) {
  const auto* child = processes_.living(who);
  if (child != nullptr) serve(requesters_.local(*child, control::number_of(notice)), notice);
}

void HomeAgent::postpone(const agent::RequesterPtr& requester, const control::Notice& request) {
  if (self_.daemon) guides_.ask(requester, request);
  else postponed_.push_back({requester, request});
}

void HomeAgent::serve(const agent::RequesterPtr& requester, const control::Notice& notice) {
  try {
    if (const auto* introduction = std::get_if<control::IntroductionNotice>(&notice)) introductions_.take(requester, *introduction);
    else if (const auto* of_channels = std::get_if<control::ChannelNotice>(&notice)) channels_.take(requester, *of_channels);
    else mailboxes_.take(requester, std::get<control::MailboxNotice>(notice));
  } catch (const std::exception& e) {
    requester->refuse(e);
  }
}

std::shared_ptr<Wire> HomeAgent::join(HomeAgent& lasting, bool carries_descriptors) {
  auto wire = next_wire_ = lasting.next_wire_ = std::make_shared<Wire>(carries_descriptors);
  auto& met = peers_.meet(nullptr, self_.machine + ", lasting", agent::peer_kind::daemon);
  lasting.peers_.meet(nullptr, self_.machine, agent::peer_kind::guest);
  mailboxes_.lasting_agent_met(met);
  for (auto& each : std::exchange(postponed_, {})) serve(each.requester, each.request);
  return wire;
}

// From a program all ways to others lead over the lasting agent.
agent::PeerAgent* HomeAgent::leading_to(const Address& who) const {
  if (who.agent == self_.id) return nullptr;
  return self_.daemon ? peers_.of_agent(who.agent) : peers_.of_kind(agent::peer_kind::daemon);
}

bool HomeAgent::has_forgotten(const std::string& box) {
  const auto with_another_type = std::make_shared<agent::fake::Requester>(Address{self_.id, 1, 1});
  try {
    mailboxes_.take(with_another_type, control::MailboxRequest{1, box, "another type", control::mailbox_use::read, {}});
  } catch (const error&) {
    return false;
  }
  return with_another_type->last<control::Done>() != nullptr;
}

// As Introducer::introduce, and Introducer::join.
void HomeAgent::connected(const ProcessFacts& ours, const ProcessFacts& other) {
  deaths_.connect(agent::Listener::process(ours.address.object), other);
  auto* there = leading_to(other.address);
  if (there == nullptr) return;
  deaths_.connect(there->listener(), ours);
  there->theirs.insert_or_assign(other.address, other);
}

// As Introducer::carry_on.
void HomeAgent::carried(const ProcessFacts& one, const ProcessFacts& other) {
  const auto enter = [this](const ProcessFacts& ours, const ProcessFacts& theirs) {
    auto* by = leading_to(ours.address);
    if (by == nullptr) return;
    deaths_.connect(by->listener(), theirs);
    by->theirs.insert_or_assign(ours.address, ours);
  };
  enter(one, other);
  enter(other, one);
}

void HomeAgent::reap(const Address& who, bool destroyed) {
  const auto* child = processes_.living(who);
  if (child == nullptr) return;
  Obituary obituary;
  obituary.facts = child->facts;
  obituary.destroyed = destroyed;
  deaths_.forget(child->listener());
  remember_death(obituary);
  processes_.all().erase(who.object);
}

void HomeAgent::remember_death(const Obituary& obituary) {
  board_.leave_roads(obituary.facts.address);
  mailboxes_.process_died(obituary.facts);
  channels_.process_died(obituary.facts);
  deaths_.enter(obituary);
  if (on_death) on_death(obituary);
}

void HomeAgent::tell_death(const agent::Listener& who, const Obituary& of) {
  if (who.what == agent::Listener::kind::process) {
    if (auto* child = processes_.find(who.number)) processes_.tell(*child, control::Died{of});
  } else if (const auto* other = peers_.find(who)) {
    other->tell(talk::Died{of});
  }
}

}  // namespace octavo::schedule
