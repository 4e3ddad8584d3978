// SPDX-License-Identifier: Apache-2.0
#include "schedule/connections/process.hpp"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "base/passed_descriptors.hpp"

namespace octavo::schedule {

namespace {

const Process* find(const Process::All& all, const Address& who) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Process& each) { return each.facts.address == who; });
  return found == all.end() ? nullptr : &*found;
}

bool is_hung_up(int socket) {
  pollfd look{socket, POLLIN, 0};
  return ::poll(&look, 1, 0) == 1 && (look.revents & POLLHUP) != 0;
}

}  // namespace

ino_t identity_of(int descriptor) {
  struct stat facts {};
  return ::fstat(descriptor, &facts) == 0 ? facts.st_ino : 0;
}

void Process::fail(const std::string& what, const Address& other) const {
  fail_(what + ": process " + std::to_string(facts.address.object) + " and " + std::to_string(other.object));
}

control::Notice Process::ask(const Address& to) {
  asked_.emplace(++requests_, to);
  return control::Connect{requests_, to};
}

void Process::is_told(const control::Notice& notice, std::span<const int> descriptors) {
  if (!dead) told_.push_back({notice, PassedDescriptors::keep(descriptors, "the test")});
}

void Process::die() {
  dead = true;
  told_.clear();
  ends_.clear();
  asked_.clear();
}

void Process::hear(const All& all, bool agents_live) {
  auto [notice, with] = std::move(told_.front());
  told_.pop_front();
  if (const auto* made = control::get_if<control::Connected>(&notice)) return hear_connected(*made, std::move(with), all);
  if (const auto* died = control::get_if<control::Died>(&notice)) return hear_died(died->obituary, all, agents_live);
  const auto* no = control::get_if<control::Failed>(&notice);
  const auto asked = no == nullptr ? asked_.end() : asked_.find(no->request);
  if (asked == asked_.end()) return fail("A-2: an answer that nobody asked for", facts.address);
  refused_[asked->second] = no->message;
  const auto* other = find(all, asked->second);
  if (no->obituary && !other->dead && (agents_live || no->obituary->machine_lost.empty())) fail("A-2: refused with a death of one that lives", asked->second);
  asked_.erase(asked);
}

void Process::hear_connected(const control::Connected& made, std::vector<Fd> with, const All& all) {
  const auto& who = made.peer.address;
  const auto* other = find(all, who);
  if (other == nullptr) return fail("connected with one that never was", who);
  if (made.request != 0) {
    const auto asked = asked_.find(made.request);
    if (asked == asked_.end() || asked->second != who) return fail("connected with another than it asked for", who);
    asked_.erase(asked);
  }
  refused_.erase(who);
  ++unheard_[who];
  const bool carried = made.road == road::road_kind::net;
  if (with.size() != (carried ? 4 : 3)) return fail("an end without its descriptors", who);
  if (!carried && identity_of(with[0].get()) != other->bell) fail("an end with the doorbell of another", who);
  const bool one_pool = who.agent == facts.address.agent;
  if (carried ? one_pool : one_pool != (made.number != 0)) fail("pages would go to another pool", who);
  ends_.push_back({made.peer, carried, made.side, carried ? 0 : identity_of(with[1].get()), std::move(with[2])});
}

void Process::hear_died(const Obituary& of, const All& all, bool agents_live) {
  const auto& who = of.facts.address;
  const auto* other = find(all, who);
  if (other == nullptr) return fail("A-2: the death of one that never was", who);
  if (!other->dead && (agents_live || of.machine_lost.empty())) fail("A-2: the death of one that lives", who);
  if (std::exchange(unheard_[who], 0) == 0) fail("A-2: told twice of a death, or not connected with it", who);
  died_.insert(who);
}

bool Process::reaches(const Address& other) const {
  if (was_refused(other)) return false;
  return std::any_of(ends_.begin(), ends_.end(),
                     [&](const End& each) { return each.peer.address == other && (each.carried || !is_hung_up(each.socket.get())); });
}

void Process::check_rest(const All& all, bool news_is_whole) const {
  if (!asked_.empty()) fail("a request that nobody answers", asked_.begin()->second);
  for (const auto& each : ends_) check_end(each, all, news_is_whole);
}

void Process::check_end(const End& end, const All& all, bool news_is_whole) const {
  const auto& who = end.peer.address;
  const auto* other = find(all, who);
  if (other->dead && news_is_whole && !died_.contains(who)) fail("A-2: never told of a death", who);
  if (end.carried) return;
  const auto matches = [&](const End& its) { return its.rings == end.rings && its.side == 1 - end.side && its.peer.address == facts.address; };
  const auto others = std::count_if(other->ends_.begin(), other->ends_.end(), matches);
  if (others > 1) fail("one end is given twice", who);
  const bool hung_up = is_hung_up(end.socket.get());
  if (others == 0 && !hung_up) fail("nobody has the other end, and it is not closed", who);
  if (others == 1 && hung_up) fail("the other end is closed, though its process has it", who);
  if (!other->dead && others == 0 && news_is_whole) fail("the other, which lives, was not told of the connection", who);
}

}  // namespace octavo::schedule
