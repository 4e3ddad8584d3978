// SPDX-License-Identifier: Apache-2.0
// A thread that waits at an edge polls the lanes itself: what comes there for that edge it takes at once, and what is small without a message being made
// of it.
#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/context/frame_facts.hpp"

namespace octavo::detail {

namespace {

bool is_over(const Surroundings& around, road::Deadline deadline) { return deadline != road::never && around.now() >= deadline; }

}  // namespace

bool comes_here(const Predicate& here) {
  for (int poll = 0, most = PollBudget::edge_ring.now(Endpoint::require().around().bell.oversubscribed()); poll < most; ++poll)
    if (here()) return true;
  return false;
}

// If no other process has posted yet, the one that posted last is waited for: what it posts is taken before all connections are polled in turn.
Edges::lane_wait Edges::how_to_wait(const Predicate& here, road::Deadline deadline) const {
  if (around_.bell.oversubscribed()) return lane_wait::not_at_all;  // something has most likely come
  if (here() || poller_.view().some_is_ready()) return lane_wait::for_all_after_a_look;
  if (is_over(around_, deadline)) return lane_wait::not_at_all;
  return poller_.view().holds(last_writer_) ? lane_wait::for_last_writer : lane_wait::for_all;
}

// Takes frames for this edge only: at the first other frame it returns, and leaves that to Poller::wait.
bool Edges::take_posted(std::uint64_t edge, Posted& into, const Predicate& here, road::Deadline deadline) {
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
  std::optional<Visit> visit;  // from its first sleep on: the Runtime may end meanwhile, in another thread
  do {
    const auto how = how_to_wait(here, deadline);
    const bool for_last = how == lane_wait::for_last_writer;
    const auto round = view.round();
    if (for_last) view[last_writer_.at].connection->await_next();
    for (int poll = 0, most = PollBudget::edge_lanes.now(how == lane_wait::not_at_all); poll < most; ++poll) {
      // One branch for whatever comes: the processor will have predicted that one wrong.
      const bool comes = for_last ? view[last_writer_.at].connection->next_mark().comes(PollBudget::likely_line.usual) : how != lane_wait::for_all;
      if (!comes && !(static_cast<unsigned>(here()) | static_cast<unsigned>(poller_.something_changed()) | static_cast<unsigned>(view.some_is_ready())))
        continue;
      if (here() || poller_.something_changed()) return false;  // what was read before it comes first
      auto next = for_last ? take_from(last_writer_.at, edge, into) : road::took_small::none_came;
      if (round != view.round()) return false;  // as in take_next
      if (next != road::took_small::taken) next = take_next(edge, into);
      if (next != road::took_small::none_came) return next == road::took_small::taken;
    }
    if (is_over(around_, deadline)) return false;
    if (!visit) visit.emplace();
  } while (poller_.sleep(something, deadline) && !executor.has() && !around_.links.orphaned());
  return false;
}

// Takes from the connections in turn. Receipts for what was posted here are given to their edges on the way.
road::took_small Edges::take_next(std::uint64_t edge, Posted& into) {
  auto& view = poller_.view();
  auto found = road::took_small::none_came;
  view.in_turn([&](std::size_t at) {
    if (!view[at].connection->ready()) return true;
    const auto round = view.round();
    found = take_from(at, edge, into);
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

road::took_small Edges::take_from(std::size_t at, std::uint64_t edge, Posted& into) {
  const auto& link = poller_.view()[at];
  const auto place = poller_.view().position(at);
  auto next = link.connection->take_small(into.small, wire::frame_kind::post, edge);
  auto bytes = sizeof(wire::FrameHeader) + into.small.size;
  if (next == road::took_small::other_came && take_whole(link, edge, into)) {
    next = road::took_small::taken;
    bytes = frame_bytes(*into.whole);
  }
  if (next != road::took_small::taken) return next;
  last_writer_ = place;
  into.from = link.facts;
  around_.row.received(bytes);
  return next;
}

bool Edges::take_whole(const PeerLink& from, std::uint64_t edge, Posted& into) {
  try {
    if (from.connection->receive_for(wire::frame_kind::post, edge, into.whole.emplace())) return true;
  } catch (error& e) {
    poller_.close_damaged(from, e);
  }
  into.whole.reset();
  return false;
}

// Takes what comes next, if it is a receipt.
bool Edges::take_receipt(const PeerLink& from) {
  wire::SmallFrame next;
  if (!from.connection->next_small(next) || next.kind != wire::frame_kind::taken) return false;
  from.connection->pop_small();
  around_.row.received(sizeof(wire::FrameHeader) + next.size);
  hear_receipt(next.method, {{next.call, next.root}, next.flags}, from.facts);
  return true;
}

}  // namespace octavo::detail
