// SPDX-License-Identifier: Apache-2.0
#include "process/polling/poller.hpp"

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/context/frame_facts.hpp"

namespace octavo::detail {

// By the thread of methods, which has lent the role, or by another.
bool Poller::wait_within_method(const std::function<bool()>& done, road::Deadline deadline) {
  if (!waiters_.is_server()) {
    const auto read = [&](const std::function<bool()>& until) { return read_until([&] { return until() || client_.may_go_on(); }, deadline); };
    return waiters_.wait_beside(done, deadline, {read, [&] { client_.go_on(); }});
  }
  const ReadingAgain reading(waiters_);
  return read_until(done, deadline);
}

bool Poller::read_until(const std::function<bool()>& done, road::Deadline deadline) {
  struct Depth {
    unsigned* of;
    explicit Depth(unsigned* depth) : of(depth) {
      if (of != nullptr) ++*of;
    }
    ~Depth() {
      if (of != nullptr) --*of;
    }
  } deeper(waiters_.may_read() ? &depth_ : nullptr);
  for (;;) {
    if (done()) return true;
    pump();
    if (waiters_.may_read()) client_.go_on();  // else without the role: what goes on may wait for the method that has lent it
    if (done()) return true;
    const road::Deadline look = client_.look_around(deadline);
    delay_point("reader: nothing to do");
    const bool more = sleep([&] { return done() || client_.may_go_on(); }, look);
    if (!more && look == deadline) return done();
  }
}

void Poller::read_now() {
  const BriefReading reading(waiters_);
  if (reading && !is_pumping()) pump();
}

void Poller::pump() {
  struct Pumping {
    int& depth;
    ~Pumping() { --depth; }
  } pumping{++pumping_};
  client_.leave_call_buffer();
  if (view_.changed() || around_.links.deaths_wait() || around_.links.orphaned()) return deal_with_changes();
  read_links();
}

void Poller::deal_with_changes() {
  auto& links = around_.links;
  delay_point("pump: something changed");
  const auto seen = links.version();        // first: what comes while we look is looked at again
  const auto deaths = links.take_deaths();  // before reading: what a peer sent before its end comes first
  view_.refresh(seen);                      // after: a short life may have begun, and ended, since we looked last
  delay_point("pump: heard of deaths, has not read");
  read_links();
  if (links.death_is_due()) view_.look_again();  // it waited for what we have read just now
  for (const auto& death : deaths) {
    delay_point("pump: about to deal with a death");
    links.forget(death.facts);  // before the client fails its calls: a call that is entered now finds that it is forgotten (calls/made_calls.cpp)
    client_.died(death);
  }
  client_.something_changed(!deaths.empty());
}

void Poller::read_links() {
  in_place_.begin();
  view_.in_turn([this](std::size_t at) {
    if (client_.call_buffer_is_taken() || in_place_.has_received()) return false;
    const auto& link = view_[at];
    if (!link.connection->ready()) return true;
    const auto round = view_.round();
    read_from(link);
    if (round != view_.round()) return false;  // what was told of an answer has read: the links are others
    if (client_.call_buffer_is_taken() || in_place_.has_received()) view_.serve_next(at);
    return true;
  });
}

void Poller::read_from(const PeerLink& link) {
  // A call that is the only one to be run is run from where it lies. Else a call may be running that still looks at what lies there.
  wire::Message other;
  auto* place = client_.call_buffer();
  auto& message = place != nullptr ? *place : other;
  try {
    link.connection->flush();
    for (const auto round = view_.round(); !client_.call_buffer_is_taken() && round == view_.round();) {
      if (client_.take_small(link)) waiters_.wake();
      if (round != view_.round()) break;
      // The thread that decodes a message in place goes on with it: the next one, too, is to be received where that thread wants it.
      if (in_place_.has_received() || !link.connection->receive(message, &in_place_)) break;
      around_.row.received(frame_bytes(message));
      give(message, link);
      if (!client_.call_buffer_is_taken()) message.clear();  // nobody took it, say a reply that nobody waits for any more: its pages do not stay with us
    }
  } catch (error& e) {
    if (!client_.call_buffer_is_taken()) message.clear();
    close_damaged(link, e);
  }
}

// Only what cannot be decoded is the connection's fault. What else goes wrong while a frame is dealt with, say as another process has died, is not.
void Poller::give(wire::Message& message, const PeerLink& from) {
  const auto kind = static_cast<int>(message.header.kind);
  const auto sender = from.facts.address.object;  // while the frame is dealt with, the links may be read anew
  try {
    client_.take(message, from);
  } catch (const io_error&) {
    throw;
  } catch (const error& e) {
    log_line("dealing with a frame of kind " + std::to_string(kind) + " of process " + std::to_string(sender) + ": " + e.what());
  }
}

void Poller::close_damaged(const PeerLink& link, error& why) {
  why.add_context("the connection with " + link.facts.class_name + " (process " + std::to_string(link.facts.address.object) + ") is closed");
  link.connection->close();
  client_.damaged(link, std::current_exception());
  around_.links.something_changed();  // for threads that wait for something else from there
}

bool Poller::InPlace::receives_in_place(const wire::FrameHeader& header) {
  const bool receives = here_.client_.receives_in_place(header);
  if (receives) has_received_ = true;
  return receives;
}

// The thread that decodes waits, and reads nothing else; but what others wait for, and found no room, goes on.
void Poller::InPlace::await_bulk(const std::function<bool()>& here) {
  constexpr auto a_moment = std::chrono::milliseconds(1);
  while (!here_.around_.sleep(here, here_.around_.now() + a_moment)) {
    if (here_.around_.links.orphaned()) throw gone_error("the agent of this program is gone, and a message came only in part");
    for (const auto& link : here_.view_) {
      try {
        link.connection->flush();
      } catch (const error&) {  // another's end is told when it is read
      }
    }
  }
}

}  // namespace octavo::detail
