// SPDX-License-Identifier: Apache-2.0
// The reader of a mailbox waits at the lanes himself: what comes there for him is his at once, and what is small without a message being made of it.
#include <algorithm>

#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/reading/reading.hpp"
#include "process/shown.hpp"

namespace octavo::detail {

namespace {

constexpr int looks_here = 400;       // at a nanosecond or two
constexpr int looks_at_lanes = 100;   // with pauses, each followed by
constexpr int looks_at_the_last = 4;  // where the last one came from
constexpr int looks_in_a_crowd = 2;

bool is_over(road::Deadline deadline) { return deadline != road::never && road::Clock::now() >= deadline; }

}  // namespace

bool take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline) {
  return Endpoint::require().take_posted(mailbox, into, here, deadline);
}

bool comes_here(const Glance& here) { return Endpoint::require().comes_here(here); }

bool Endpoint::comes_here(const Glance& here) const {
  for (int look = 0, most = peers_.bell().crowded() ? looks_in_a_crowd : looks_here; look < most; ++look)
    if (here()) return true;
  return false;
}

// Who posted last is waited for, if nobody else has posted yet: what he posts is taken before all are looked at in turn.
Endpoint::post_wait Endpoint::how_to_wait(const Glance& here, road::Deadline deadline) const {
  if (peers_.bell().crowded()) return post_wait::briefly;  // there is most likely something
  if (here() || some_link_is_ready()) return post_wait::not_at_first;
  if (is_over(deadline)) return post_wait::briefly;
  return last_poster_ < links_.size() ? post_wait::at_the_last : post_wait::at_all;
}

// As long as only such frames come nothing else is read; what is not for this mailbox is left to who reads all.
bool Endpoint::take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline) {
  Reading reading(*this);
  if (reading && pumping_ != 0) return false;  // this thread reads already, and what it has read made it wait here
  auto callback = [this](const Arrived& call) { return is_callback(call); };
  if (reading && runs_methods() && std::any_of(queue_.begin(), queue_.end(), callback)) return false;  // it comes first: what it does may be waited for
  if (!reading) {
    static_cast<void>(comes_here(here));
    return false;
  }
  auto something = [&] { return here() || incoming() || executor_->has() || peers_.links().orphaned(); };
  do {
    const auto how = how_to_wait(here, deadline);
    const bool at_the_last = how == post_wait::at_the_last;
    const auto round = links_round_;
    if (at_the_last) links_[last_poster_].connection->await_next();
    for (int look = 0, most = how == post_wait::briefly ? looks_in_a_crowd : looks_at_lanes; look < most; ++look) {
      // One branch for whatever comes: it is the one that will have been guessed wrong.
      const bool comes = at_the_last ? links_[last_poster_].connection->next_mark().comes(looks_at_the_last) : how != post_wait::at_all;
      if (!comes && !(static_cast<unsigned>(here()) | static_cast<unsigned>(something_changed()) | static_cast<unsigned>(some_link_is_ready()))) continue;
      if (here() || something_changed()) return false;  // also: what was read before us comes first
      auto next = at_the_last ? take_post_from(last_poster_, mailbox, into) : road::took_small::nothing;
      if (round != links_round_) return false;  // as in take_next_post
      if (next != road::took_small::taken) next = take_next_post(mailbox, into);
      if (next != road::took_small::nothing) return next == road::took_small::taken;
    }
    if (is_over(deadline)) return false;
  } while (peers_.bell().wait(something, deadline) && !executor_->has() && !peers_.links().orphaned());
  return false;
}

// Of the connections in turn. What the readers of other mailboxes have taken is told to those on the way.
road::took_small Endpoint::take_next_post(std::uint64_t mailbox, Posted& into) {
  for (std::size_t i = 0, all = links_.size(), at = first_link_; i < all; ++i, ++at) {
    if (at >= all) at = 0;
    if (!links_[at].connection->ready()) continue;
    const auto round = links_round_;
    const auto next = take_post_from(at, mailbox, into);
    if (round != links_round_) return next;  // who was told of a damaged frame has read: links_ is another
    if (next == road::took_small::other && !take_receipt(*links_[at].connection)) return next;
    first_link_ = at + 1;  // the others' turn
    if (next == road::took_small::taken) return next;
  }
  return road::took_small::nothing;
}

road::took_small Endpoint::take_post_from(std::size_t at, std::uint64_t mailbox, Posted& into) {
  const auto& link = links_[at];
  auto next = link.connection->take_small(into.small, wire::frame_kind::post, mailbox);
  auto bytes = sizeof(wire::FrameHeader) + into.small.size;
  if (next == road::took_small::other && take_whole_post(link, mailbox, into)) {
    next = road::took_small::taken;
    bytes = frame_bytes(*into.whole);
  }
  if (next != road::took_small::taken) return next;
  last_poster_ = at;
  into.from = link.facts.address;
  peers_.row().received(bytes);
  return next;
}

bool Endpoint::take_whole_post(const PeerLink& from, std::uint64_t mailbox, Posted& into) {
  try {
    if (from.connection->receive_for(wire::frame_kind::post, mailbox, into.whole.emplace())) return true;
  } catch (error& e) {
    close_damaged(from, e);
  }
  into.whole.reset();
  return false;
}

// What comes next, if it says that some messages of ours were taken.
bool Endpoint::take_receipt(road::Connection& from) {
  wire::SmallFrame next;
  if (!from.next_small(next) || next.kind != wire::frame_kind::taken) return false;
  from.pop_small();
  peers_.row().received(sizeof(wire::FrameHeader) + next.size);
  if (auto office = this->office()) office->were_taken(next.method, next.call, next.root);
  return true;
}

}  // namespace octavo::detail
