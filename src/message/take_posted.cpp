// SPDX-License-Identifier: Apache-2.0
// A thread that waits at a mailbox polls the lanes itself: what comes there for that mailbox it takes at once, and what is small without a message being made
// of it.
#include "message/mailbox_registry.hpp"
#include "octavo/base/error.hpp"
#include "process/context/frame_facts.hpp"

namespace octavo::detail {

namespace {

constexpr int polls_here = 400;      // at a nanosecond or two
constexpr int polls_of_lanes = 100;  // with pauses, each after
constexpr int polls_of_last_poster = 4;
constexpr int polls_oversubscribed = 2;

bool is_over(const Surroundings& around, road::Deadline deadline) { return deadline != road::never && around.now() >= deadline; }

}  // namespace

bool comes_here(const Predicate& here) {
  for (int poll = 0, most = Endpoint::require().around().bell.oversubscribed() ? polls_oversubscribed : polls_here; poll < most; ++poll)
    if (here()) return true;
  return false;
}

// If no other process has posted yet, the one that posted last is waited for: what it posts is taken before all connections are polled in turn.
MailboxRegistry::lane_wait MailboxRegistry::how_to_wait(const Predicate& here, road::Deadline deadline) const {
  if (around_.bell.oversubscribed()) return lane_wait::not_at_all;  // something has most likely come
  if (here() || poller_.view().some_is_ready()) return lane_wait::for_all_after_a_look;
  if (is_over(around_, deadline)) return lane_wait::not_at_all;
  return poller_.view().holds(last_poster_) ? lane_wait::for_last_poster : lane_wait::for_all;
}

// Takes frames for this mailbox only: at the first other frame it returns, and leaves that to Poller::wait.
bool MailboxRegistry::take_posted(std::uint64_t mailbox, Posted& into, const Predicate& here, road::Deadline deadline) {
  const BriefReading reading(poller_.waiters());
  if (reading && poller_.is_pumping()) return false;  // this thread reads already, and waits here because of what it has read
  if (reading && core_.context().runs_methods() && core_.served().callback_waits()) return false;  // the callback runs first: the poster may wait for it
  if (!reading) {
    static_cast<void>(comes_here(here));
    return false;
  }
  auto& view = poller_.view();
  const auto& executor = *core_.executor();
  auto something = [&] { return here() || executor.has() || around_.links.orphaned(); };
  do {
    const auto how = how_to_wait(here, deadline);
    const bool for_last = how == lane_wait::for_last_poster;
    const auto round = view.round();
    if (for_last) view[last_poster_.at].connection->await_next();
    for (int poll = 0, most = how == lane_wait::not_at_all ? polls_oversubscribed : polls_of_lanes; poll < most; ++poll) {
      // One branch for whatever comes: the processor will have predicted that one wrong.
      const bool comes = for_last ? view[last_poster_.at].connection->next_mark().comes(polls_of_last_poster) : how != lane_wait::for_all;
      if (!comes && !(static_cast<unsigned>(here()) | static_cast<unsigned>(poller_.something_changed()) | static_cast<unsigned>(view.some_is_ready())))
        continue;
      if (here() || poller_.something_changed()) return false;  // what was read before it comes first
      auto next = for_last ? take_from(last_poster_.at, mailbox, into) : road::took_small::none_came;
      if (round != view.round()) return false;  // as in take_next
      if (next != road::took_small::taken) next = take_next(mailbox, into);
      if (next != road::took_small::none_came) return next == road::took_small::taken;
    }
    if (is_over(around_, deadline)) return false;
  } while (poller_.sleep(something, deadline) && !executor.has() && !around_.links.orphaned());
  return false;
}

// Takes from the connections in turn. Receipts for what was posted here are given to their mailboxes on the way.
road::took_small MailboxRegistry::take_next(std::uint64_t mailbox, Posted& into) {
  auto& view = poller_.view();
  auto found = road::took_small::none_came;
  view.in_turn([&](std::size_t at) {
    if (!view[at].connection->ready()) return true;
    const auto round = view.round();
    found = take_from(at, mailbox, into);
    if (round != view.round()) return false;  // a callback that heard of a damaged frame has read, and so refreshed the links
    if (found == road::took_small::other_came) {
      if (!take_receipt(view[at])) return false;
      found = road::took_small::none_came;
    }
    view.serve_next(at);
    return found != road::took_small::taken;
  });
  return found;
}

road::took_small MailboxRegistry::take_from(std::size_t at, std::uint64_t mailbox, Posted& into) {
  const auto& link = poller_.view()[at];
  const auto place = poller_.view().position(at);
  auto next = link.connection->take_small(into.small, wire::frame_kind::post, mailbox);
  auto bytes = sizeof(wire::FrameHeader) + into.small.size;
  if (next == road::took_small::other_came && take_whole(link, mailbox, into)) {
    next = road::took_small::taken;
    bytes = frame_bytes(*into.whole);
  }
  if (next != road::took_small::taken) return next;
  last_poster_ = place;
  into.from = link.facts;
  around_.row.received(bytes);
  return next;
}

bool MailboxRegistry::take_whole(const PeerLink& from, std::uint64_t mailbox, Posted& into) {
  try {
    if (from.connection->receive_for(wire::frame_kind::post, mailbox, into.whole.emplace())) return true;
  } catch (error& e) {
    poller_.close_damaged(from, e);
  }
  into.whole.reset();
  return false;
}

// Takes what comes next, if it is a receipt.
bool MailboxRegistry::take_receipt(const PeerLink& from) {
  wire::SmallFrame next;
  if (!from.connection->next_small(next) || next.kind != wire::frame_kind::taken) return false;
  from.connection->pop_small();
  around_.row.received(sizeof(wire::FrameHeader) + next.size);
  hear_receipt(next.method, next.call, next.root, from.facts.address);
  return true;
}

}  // namespace octavo::detail
