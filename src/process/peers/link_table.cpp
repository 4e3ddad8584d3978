// SPDX-License-Identifier: Apache-2.0
#include "process/peers/link_table.hpp"

#include <poll.h>

#include <algorithm>
#include <utility>

#include "base/delay_point.hpp"
#include "process/errors/loss.hpp"

namespace octavo::detail {

LinkTable::LinkTable(road::Doorbell bell, bool lasting, EndWatch& ends, Connect connect, SleepUntil sleep, Lives lives)
    : bell_(std::move(bell)), lasting_(lasting), ends_(ends), connect_(std::move(connect)), sleep_(std::move(sleep)), lives_(std::move(lives)) {}

void LinkTable::enter(const PeerLink& link) {
  ends_.watch(link.connection);
  delay_point("peers: a connection is about to be entered");
  {
    std::lock_guard lock(mutex_);
    if (const auto dead = dead_.find(link.facts.address); dead != dead_.end() && detail::is_unreached(dead->second)) {
      // A peer that was not reached, and may not know it: it has come by another way.
      std::erase_if(deaths_, [&](const Obituary& each) { return each.facts.address == dead->first && detail::is_unreached(each); });
      dead_.erase(dead);
    }
    links_.emplace(link.facts.address, link);
    count_change();
  }
  delay_point("peers: a connection is entered");
  bell_.ring();
}

void LinkTable::something_changed() noexcept {
  if (reaches_given_up()) enter_given_up();
  count_change();
  bell_.ring();
}

// The connection with an earlier life of an object with a name, or one that has been disconnected.
bool LinkTable::is_stale(const PeerLink& link) const {
  auto dead = dead_.find(link.facts.address);
  const bool died = dead != dead_.end() && dead->second.facts.pid == link.facts.pid;
  return died || (link.connection->lost() && (link.facts.address.lasting() || lasting_));
}

PeerLink LinkTable::link_to(const Life& to) {
  const Address& who = to.who;
  if (!who) throw usage_error("a call through a remote pointer that points nowhere", "Make it with machine.make<Class>(...) first");
  {
    std::lock_guard lock(mutex_);
    if (!who.lasting() || to.pid != 0)
      if (const auto* dead = death_of(to)) raise_loss(*dead);
    auto [found, last] = links_.equal_range(who);
    found = std::find_if(found, last, [&](const auto& each) { return !is_stale(each.second) && to.is_of(each.second.facts); });
    if (found != last) return found->second;
  }
  auto link = connect_(who);
  delay_point("peers: asked for a connection");
  if (!to.is_of(link.facts)) raise_gone(to);
  // The peer may have asked for a connection at the same moment: all our calls take the one that was here first (C-2).
  return link_if_there(who, link.facts.pid).value_or(link);
}

std::optional<PeerLink> LinkTable::link_if_there(const Address& to, std::int64_t pid) const {
  std::lock_guard lock(mutex_);
  auto [first, last] = links_.equal_range(to);
  auto found = std::find_if(first, last, [pid](const auto& each) { return each.second.facts.pid == pid; });
  return found == last ? std::nullopt : std::optional(found->second);
}

std::shared_ptr<road::Connection> LinkTable::way_to(const Address& to) const {
  std::lock_guard lock(mutex_);
  const auto [first, last] = links_.equal_range(to);
  auto found = std::find_if(first, last, [](const auto& each) { return each.second.connection->lost(); });
  if (found == last) found = first;
  return found == last ? nullptr : found->second.connection;
}

road::sent_now LinkTable::send_small(const Address& to, const wire::SmallFrame& frame) {
  std::lock_guard lock(mutex_);
  auto found = links_.lower_bound(to);
  if (to.lasting() || found == links_.end() || found->first != to || dead_.contains(to)) return road::sent_now::unsuitable;
  return found->second.connection->send_small(frame);
}

bool LinkTable::refresh(std::vector<PeerLink>& links, std::uint64_t& version) {
  if (!changed(version)) return false;
  std::lock_guard lock(mutex_);
  version = version_.load(std::memory_order_acquire);
  if (lasting_) drop_disconnected();
  links.clear();
  for (const auto& [peer, link] : links_) links.push_back(link);
  return true;
}

// --- ends ---

LinkTable::ByAddress::iterator LinkTable::drop(ByAddress::iterator at) {
  auto& connection = *at->second.connection;
  closed_bytes_ += connection.bytes_sent();
  ends_.forget(connection);
  connection.notice_gone();  // for the threads that still have it
  bell_.ring();
  return links_.erase(at);
}

template <class Which>
void LinkTable::drop_those(const Address& with, Which which) {
  std::lock_guard lock(mutex_);
  for (auto [at, last] = links_.equal_range(with); at != last;) at = which(at->second) ? drop(at) : std::next(at);
  count_change();
}

void LinkTable::disconnect(const Address& who) {
  drop_those(who, [](const PeerLink& link) {
    link.connection->close();
    return true;
  });
  bell_.ring();
}

void LinkTable::close_all() {
  std::lock_guard lock(mutex_);
  for (const auto& [peer, link] : links_) link.connection->close();
}

// At an object with a name: the connections of peers that let go of it.
void LinkTable::drop_disconnected() {
  for (auto at = links_.begin(); at != links_.end();) at = at->second.connection->gone() ? drop(at) : std::next(at);
}

void LinkTable::forget(const ProcessFacts& peer) {
  drop_those(peer.address, [&](const PeerLink& link) { return link.facts.pid == peer.pid; });
}

void LinkTable::forget(const PeerLink& lost) {
  drop_those(lost.facts.address, [&](const PeerLink& link) { return link.connection == lost.connection; });
}

std::uint64_t LinkTable::bytes_sent() const {
  std::lock_guard lock(mutex_);
  std::uint64_t sum = closed_bytes_;
  for (const auto& [peer, link] : links_) sum += link.connection->bytes_sent();
  return sum;
}

// --- deaths ---

void LinkTable::died(const Obituary& obituary) {
  delay_point("peers: heard of a death");
  std::lock_guard lock(mutex_);
  std::erase_if(given_up_, [&](const Obituary& each) { return Life(each.facts) == Life(obituary.facts); });
  if (obituary.machine_lost.empty() || !is_reached(obituary.facts)) return enter_death(obituary);
  given_up_.push_back(obituary);
  some_given_up_.store(true, std::memory_order_release);
}

bool LinkTable::is_reached(const ProcessFacts& peer) const {
  const auto [first, last] = links_.equal_range(peer.address);
  const bool connected = std::any_of(first, last, [&](const auto& each) {
    const PeerLink& link = each.second;
    return link.facts.pid == peer.pid && !link.carried && !link.connection->lost();
  });
  return connected && (!lives_ || lives_(peer.pid));
}

void LinkTable::look_at_given_up() noexcept {
  if (!reaches_given_up() || !enter_given_up()) return;
  count_change();
  bell_.ring();
}

// True: some are dead now.
bool LinkTable::enter_given_up() noexcept {
  std::lock_guard lock(mutex_);
  const auto ended = std::partition(given_up_.begin(), given_up_.end(), [this](const Obituary& each) { return is_reached(each.facts); });
  const bool some = ended != given_up_.end();
  std::for_each(ended, given_up_.end(), [this](const Obituary& each) { enter_death(each); });
  given_up_.erase(ended, given_up_.end());
  some_given_up_.store(!given_up_.empty(), std::memory_order_release);
  return some;
}

void LinkTable::enter_death(const Obituary& obituary) {
  dead_.insert_or_assign(obituary.facts.address, obituary);
  if (auto watched = watched_.find(obituary.facts); watched != watched_.end()) watched->second = obituary;
  deaths_.push_back(obituary);
  deaths_wait_.store(true, std::memory_order_release);
  count_change();
  heard_.notify_all();
  bell_.ring();
}

void LinkTable::watch(const Life& who) {
  std::lock_guard lock(mutex_);
  // To an object with a name the way was lost, not it: the agent that is asked now says if it is dead.
  if (const auto* lost = death_of(who); lost != nullptr && who.who.lasting() && !lost->machine_lost.empty()) {
    dead_.erase(who.who);
    watched_.erase(who);
  }
  watched_.try_emplace(who);
}

const Obituary* LinkTable::death_of(const Life& who) const {
  if (auto watched = watched_.find(who); watched != watched_.end() && watched->second) return &*watched->second;
  auto found = dead_.find(who.who);
  return found == dead_.end() || !who.is_of(found->second.facts) ? nullptr : &found->second;
}

std::vector<Obituary> LinkTable::take_deaths() {
  if (!deaths_wait()) return {};
  std::lock_guard lock(mutex_);
  auto at = std::stable_partition(deaths_.begin(), deaths_.end(), [this](const Obituary& death) { return is_early(death); });
  std::vector<Obituary> now(std::make_move_iterator(at), std::make_move_iterator(deaths_.end()));
  deaths_.erase(at, deaths_.end());
  deaths_wait_.store(!deaths_.empty(), std::memory_order_release);
  return now;
}

bool LinkTable::is_early(const Obituary& death) const {
  auto [first, last] = links_.equal_range(death.facts.address);
  return std::any_of(first, last, [&](const auto& each) {
    const PeerLink& link = each.second;
    return link.facts.pid == death.facts.pid && (link.carried ? !link.connection->gone() : link.connection->ready());
  });
}

bool LinkTable::death_is_due() const {
  if (!deaths_wait()) return false;
  std::lock_guard lock(mutex_);
  return std::any_of(deaths_.begin(), deaths_.end(), [this](const Obituary& death) { return !is_early(death); });
}

bool LinkTable::is_seen_to_have_ended(const Address& peer) const {
  if (peer.lasting()) return false;  // a call begins its next life
  const auto connection = way_to(peer);
  if (connection == nullptr) return obituary_of(peer).has_value();
  pollfd end{connection->watch(), POLLIN | POLLRDHUP, 0};
  return connection->lost() || (end.fd >= 0 && ::poll(&end, 1, 0) > 0);
}

std::optional<Obituary> LinkTable::obituary_of(const Life& peer) const {
  std::lock_guard lock(mutex_);
  auto [first, last] = links_.equal_range(peer.who);
  if (std::any_of(first, last, [&](const auto& each) { return peer.is_of(each.second.facts); })) return std::nullopt;
  const auto* dead = death_of(peer);
  return dead == nullptr ? std::nullopt : std::optional(*dead);
}

std::optional<Obituary> LinkTable::await_obituary(const Life& peer, road::Deadline deadline) {
  std::unique_lock lock(mutex_);
  heard_.wait_until(lock, deadline, [&] { return death_of(peer) != nullptr || orphaned(); });
  const auto* dead = death_of(peer);
  return dead == nullptr ? std::nullopt : std::optional(*dead);
}

void LinkTable::raise_gone(const Life& to) {
  constexpr auto patience = std::chrono::seconds(5);
  const auto is_told = [&] {
    std::lock_guard lock(mutex_);
    return death_of(to) != nullptr || orphaned();
  };
  const bool slept = sleep_ && sleep_(is_told, patience);
  if (auto obituary = await_obituary(to, slept ? road::Clock::now() : road::Clock::now() + patience)) raise_loss(*obituary);
  throw gone_error("process " + std::to_string(to.who.object) + " does not answer any more, and its agent says nothing of it");
}

void LinkTable::lose_agent() {
  std::lock_guard lock(mutex_);
  orphaned_.store(true, std::memory_order_release);
  count_change();
  heard_.notify_all();
  bell_.ring();
}

}  // namespace octavo::detail
