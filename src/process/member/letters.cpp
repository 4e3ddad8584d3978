// SPDX-License-Identifier: Apache-2.0
// An endpoint as a member of groups: what the layer of groups asks of it.
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/detail/member.hpp"
#include "process/cycle/scopes.hpp"
#include "process/endpoint.hpp"
#include "process/error_report.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

namespace {

constexpr auto first_question = std::chrono::milliseconds(50), next_questions = std::chrono::milliseconds(500);

// A reader who has nothing else to do has taken them by then.
road::Clock::duration patience_for(std::size_t bytes) {
  constexpr std::size_t bytes_in_a_microsecond = 1000;
  return std::chrono::microseconds(500 + bytes / bytes_in_a_microsecond);
}

Endpoint& of_object() {
  auto& here = Endpoint::require();
  if (here.serves()) return here;
  throw usage_error("octavo::self was called in the program, outside of any object", "Call it within a method of an object that place.make<Class>(...) made");
}

}  // namespace

usage_error different_collectives(std::uint32_t mine, const std::string& my_text, std::uint32_t other, const std::string& other_text) {
  return usage_error("member " + std::to_string(mine) + " is in " + my_text + " and member " + std::to_string(other) + " in " + other_text,
                     "Let all members call the same collectives in the same order");
}

void Endpoint::send_letter(const Address& to, wire::Outgoing& out, when_full how) {
  auto link = peers_.links().link_to(to);
  fill_header(out.header, to, out.header.kind, out.header.method);
  pages_leave(out, link.route);
  out.seal();
  const auto bytes = frame_bytes(out);
  auto& road = *link.connection;
  const bool seen_off = how == when_full::see_off, at_once = how == when_full::keep || (seen_off && carrier_->stands_still(road));
  road::Deadline until = road::never;
  std::uint64_t sent = 0;
  // Reads at least once, for the other may be sending to us; then sleeps until the rest has left.
  auto make_room = [&] {
    const auto now = road::Clock::now();
    if (at_once) return false;
    if (seen_off && (until == road::never || sent != road.bytes_sent())) {  // as long as something moves he is reading
      sent = road.bytes_sent();
      until = now + patience_for(bytes);
    }
    if (now >= until) return false;
    auto left = [&road, first = true]() mutable { return !std::exchange(first, false) && (road.flush() || road.lost()); };
    wait(left, std::min(until, now + std::chrono::milliseconds(10)));
    return true;
  };
  try {
    road.send(out, make_room);
    count_sent(bytes);
    pages_left(out, link.route);
    if (how != when_full::wait && !road.flush()) carrier_->see_off(link.connection);
  } catch (const gone_error&) {
    pages_stay(out, link.route);
    peers_.links().raise_gone(to);
  }
}

void Endpoint::take_letter(wire::Message message, const PeerLink& from) {
  if (auto answer = inbox_.put(std::move(message))) {
    answer->header.caller = facts().address.object;
    answer->seal();
    try {
      from.connection->send(*answer, road::keep_rest);
    } catch (const gone_error&) {}
  }
  wake_waiters();
}

void DeathWatch::begin() {
  constexpr std::size_t at_once = 1000;  // a notice has a bound
  const auto& agent = Endpoint::require().peers().agent();
  for (std::span<const Address> left = members_; !left.empty();) {
    const auto some = left.first(std::min(at_once, left.size()));
    agent.tell(control::Watch{{some.begin(), some.end()}});
    left = left.subspan(some.size());
  }
}

const Obituary* DeathWatch::look() {
  auto& peers = Endpoint::require().peers();
  if (!dead_ && peers.links().changed(seen_)) {
    seen_ = peers.links().version();
    for (const auto& each : members_)
      if (!dead_) dead_ = peers.links().obituary_of(each);
  }
  return dead_ ? &*dead_ : nullptr;
}

const ProcessFacts& facts_of_object() { return of_object().facts(); }

void check_object(const std::type_info& type, std::string_view class_name) {
  if (auto* object = of_object().object()) view_as(*object, type, class_name);
}

void* kept_with_object(const std::function<std::shared_ptr<void>()>& make) { return of_object().inbox().keep(make); }

std::uint64_t new_number() {
  auto& here = Endpoint::require();
  return here.new_root(here.inbox().count_up());
}

void address_letter(wire::Outgoing& out, const LetterKey& key, letter what) {
  out.header.kind = wire::frame_kind::member;
  out.header.root = key.group;
  out.header.call = key.sequence;
  out.header.method = key.from;
  out.header.flags = static_cast<std::uint8_t>(what);
}

void send_letter(const Address& to, const LetterKey& key, letter what, wire::Outgoing& out) {
  address_letter(out, key, what);
  auto& here = Endpoint::require();
  if (what == letter::value) here.inbox().count_sent(key, to);  // first: it may arrive before we look again
  here.send_letter(to, out);
}

void send_failure(const Address& to, const LetterKey& key, const std::exception_ptr& error, const std::string& during) noexcept {
  try {
    wire::Outgoing out;
    encode_error(out, error, Endpoint::require().facts(), during);
    send_letter(to, key, letter::failure, out);
  } catch (const gone_error&) {  // it needs no telling
  } catch (const std::exception& e) {
    log_line("the failure of " + during + " could not be told to process " + std::to_string(to.object) + ": " + e.what());
  }
}

std::exception_ptr enter_collective(const LetterKey& mine, const std::string& text) { return Endpoint::require().inbox().enter(mine, text); }
void leave_collective(const LetterKey& mine, bool well) { Endpoint::require().inbox().leave(mine, well); }

void forget_group(std::uint64_t group) { Endpoint::require().inbox().forget(group); }

Awaited await_letter(const LetterKey& key, const std::string& during, DeathWatch& deaths, const std::function<void()>& ask) {
  auto& here = Endpoint::require();
  auto& inbox = here.inbox();
  AwaitedLetter letter{deaths.members()[key.from], {key.group, key.sequence, inbox.taken(key), during}};
  Endpoint::AwaitScope scope(here, nullptr, &letter);
  auto answered = [&] { return inbox.has(key) || deaths.look() != nullptr || here.peers().links().orphaned() || scope.cycle() != nullptr; };
  for (auto patience = first_question;; patience = next_questions) {
    here.wait(answered, road::Clock::now() + patience);
    if (auto message = inbox.take(key)) {
      here.adopt_pages(*message);
      return {std::move(*message), nullptr, false};
    }
    if (auto failure = inbox.failure(key)) return {{}, failure->error, failure->by_letter};
    if (const auto* dead = deaths.look()) return {{}, std::make_exception_ptr(process_died(*dead)), true};
    if (here.peers().links().orphaned()) return {{}, std::make_exception_ptr(gone_error("the agent of this program is gone")), true};
    if (auto cycle = scope.cycle()) return {{}, cycle, false};
    ask();
  }
}

std::size_t connections_of_object() {
  std::vector<PeerLink> links;
  std::uint64_t version = 0;
  Endpoint::require().peers().links().refresh(links, version);
  std::set<Address> peers;  // two that ask for each other at one moment have two connections
  for (const auto& link : links) peers.insert(link.facts.address);
  return peers.size();
}

}  // namespace octavo::detail
