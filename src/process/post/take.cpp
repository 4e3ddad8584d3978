// SPDX-License-Identifier: Apache-2.0
// The reader of a mailbox waits at the lanes itself: what comes there for that mailbox it takes at once, and what is small without a message being made of it.
#include "octavo/base/error.hpp"
#include "process/context/frame_facts.hpp"
#include "process/post/mailbox_transport.hpp"

namespace octavo::detail {

namespace {

constexpr int looks_here = 400;       // at a nanosecond or two
constexpr int looks_at_lanes = 100;   // with pauses, each followed by
constexpr int looks_at_the_last = 4;  // where the last one came from
constexpr int looks_in_a_crowd = 2;

bool is_over(road::Deadline deadline) { return deadline != road::never && road::Clock::now() >= deadline; }

}  // namespace

bool MailboxTransport::comes_here(const Glance& here) const {
  for (int look = 0, most = around_.bell.crowded() ? looks_in_a_crowd : looks_here; look < most; ++look)
    if (here()) return true;
  return false;
}

// The process that posted last is waited for, if no other has posted yet: what it posts is taken before all are looked at in turn.
MailboxTransport::post_wait MailboxTransport::how_to_wait(const Glance& here, road::Deadline deadline) const {
  if (around_.bell.crowded()) return post_wait::briefly;  // there is most likely something
  if (here() || poller_.view().some_is_ready()) return post_wait::not_at_first;
  if (is_over(deadline)) return post_wait::briefly;
  return poller_.view().holds(last_poster_) ? post_wait::at_the_last : post_wait::at_all;
}

// As long as only such frames come nothing else is read; what is not for this mailbox is left to whoever reads all.
bool MailboxTransport::take_posted(std::uint64_t mailbox, Posted& into, const Glance& here, road::Deadline deadline) {
  const BriefReading reading(poller_.waiters());
  if (reading && poller_.is_pumping()) return false;  // this thread reads already, and what it has read made it wait here
  if (reading && core_.context().runs_methods() && core_.served().callback_waits()) return false;  // it comes first: what it does may be waited for
  if (!reading) {
    static_cast<void>(comes_here(here));
    return false;
  }
  auto& view = poller_.view();
  const auto& executor = *core_.executor();
  auto something = [&] { return here() || executor.has() || around_.links.orphaned(); };
  do {
    const auto how = how_to_wait(here, deadline);
    const bool at_the_last = how == post_wait::at_the_last;
    const auto round = view.round();
    if (at_the_last) view[last_poster_.at].connection->await_next();
    for (int look = 0, most = how == post_wait::briefly ? looks_in_a_crowd : looks_at_lanes; look < most; ++look) {
      // One branch for whatever comes: it is the one that will have been guessed wrong.
      const bool comes = at_the_last ? view[last_poster_.at].connection->next_mark().comes(looks_at_the_last) : how != post_wait::at_all;
      if (!comes && !(static_cast<unsigned>(here()) | static_cast<unsigned>(poller_.something_changed()) | static_cast<unsigned>(view.some_is_ready())))
        continue;
      if (here() || poller_.something_changed()) return false;  // also: what was read before this comes first
      auto next = at_the_last ? take_from(last_poster_.at, mailbox, into) : road::took_small::nothing;
      if (round != view.round()) return false;  // as in take_next
      if (next != road::took_small::taken) next = take_next(mailbox, into);
      if (next != road::took_small::nothing) return next == road::took_small::taken;
    }
    if (is_over(deadline)) return false;
  } while (poller_.sleep(something, deadline) && !executor.has() && !around_.links.orphaned());
  return false;
}

// Of the connections in turn. What the readers of other mailboxes have taken is told to those on the way.
road::took_small MailboxTransport::take_next(std::uint64_t mailbox, Posted& into) {
  auto& view = poller_.view();
  auto found = road::took_small::nothing;
  view.in_turn([&](std::size_t at) {
    if (!view[at].connection->ready()) return true;
    const auto round = view.round();
    const auto next = take_from(at, mailbox, into);
    if (round != view.round()) {  // a thread that was told of a damaged frame has read: the links are others
      found = next;
      return false;
    }
    if (next == road::took_small::other && !take_receipt(*view[at].connection)) {
      found = next;
      return false;
    }
    view.serve_next(at);
    if (next == road::took_small::taken) found = next;
    return next != road::took_small::taken;
  });
  return found;
}

road::took_small MailboxTransport::take_from(std::size_t at, std::uint64_t mailbox, Posted& into) {
  const auto& link = poller_.view()[at];
  const auto place = poller_.view().position(at);
  auto next = link.connection->take_small(into.small, wire::frame_kind::post, mailbox);
  auto bytes = sizeof(wire::FrameHeader) + into.small.size;
  if (next == road::took_small::other && take_whole(link, mailbox, into)) {
    next = road::took_small::taken;
    bytes = frame_bytes(*into.whole);
  }
  if (next != road::took_small::taken) return next;
  last_poster_ = place;
  into.from = link.facts.address;
  around_.row.received(bytes);
  return next;
}

bool MailboxTransport::take_whole(const PeerLink& from, std::uint64_t mailbox, Posted& into) {
  try {
    if (from.connection->receive_for(wire::frame_kind::post, mailbox, into.whole.emplace())) return true;
  } catch (error& e) {
    poller_.close_damaged(from, e);
  }
  into.whole.reset();
  return false;
}

// What comes next, if it says that some messages of this process were taken.
bool MailboxTransport::take_receipt(road::Connection& from) {
  wire::SmallFrame next;
  if (!from.next_small(next) || next.kind != wire::frame_kind::taken) return false;
  from.pop_small();
  around_.row.received(sizeof(wire::FrameHeader) + next.size);
  if (auto office = this->office()) office->were_taken(next.method, next.call, next.root);
  return true;
}

}  // namespace octavo::detail
