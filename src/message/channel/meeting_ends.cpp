// SPDX-License-Identifier: Apache-2.0
// How the two ends of a channel find each other, and what they say to each other.
#include <algorithm>

#include "base/delay_point.hpp"
#include "message/channel/edges.hpp"
#include "message/channel/end_requests.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"
#include "process/errors/loss.hpp"

namespace octavo::detail {

using control::channel_end, control::end_fate;

namespace {
std::exception_ptr gone(const std::string& what, const std::string& cure = {}) { return std::make_exception_ptr(gone_error(what, cure)); }
}  // namespace

void ChannelEnds::say(const Life& to, std::uint8_t flag, std::uint64_t number, std::uint64_t hop) const {
  send_receipt(facts_.id, facts_.text, to, {{number, hop}, flag});
}

// --- the agent's answers ---

void ChannelEnds::find_writer() {
  {
    std::lock_guard lock(ends_);
    if (std::exchange(asked_for_writer_, true)) return;
  }
  find_end(std::static_pointer_cast<ChannelEnds>(shared_from_this()), channel_end::writer);
}

std::uint64_t ChannelEnds::hop_of(channel_end end) const {
  std::lock_guard lock(ends_);
  return end == channel_end::writer ? writer_hop_ : reader_hop_;
}

bool ChannelEnds::end_found(channel_end end, const control::ChannelAt& at) {
  const bool is_writer = end == channel_end::writer, is_held = at.fate == end_fate::held;
  if (is_held && at.hop < hop_of(end)) return false;
  {
    std::lock_guard lock(ends_);
    if (is_writer) asked_for_writer_ = false;
    if (is_writer) found_writer_ = std::make_shared<control::ChannelAt>(at);
    else if (!is_held) lost_reader_ = std::make_shared<control::ChannelAt>(at);
  }
  if (is_writer || !is_held || at.who.who == home_) return true;
  const bool asked = outlet_.state() == reader_state::asked;
  {
    std::lock_guard lock(ends_);
    if (asked) found_hop_ = at.hop;
    else if (!reader_here_) reader_hop_ = std::max(reader_hop_, at.hop);  // asked for twice, and it has moved between
  }
  if (asked) reader_found(at.who, nullptr);
  return true;
}

void ChannelEnds::channel_over() {
  std::lock_guard lock(ends_);
  is_over_ = true;
}

void ChannelEnds::look_around() {
  {  // Where nobody posts the reader may have moved on before its process ended: the agent knows.
    std::unique_lock lock(ends_);
    const bool posts = writer_here_ && !closed_;
    lock.unlock();
    const Life reader = outlet_.reader();
    if (!posts && outlet_.state() == reader_state::elsewhere && Endpoint::require().around().links.obituary_of(reader)) forget_reader();
  }
  EdgeBase::look_around();
  std::shared_ptr<const control::ChannelAt> writer, reader;
  bool nobody_posts = false, is_over = false;
  {
    std::lock_guard lock(ends_);
    writer = std::exchange(found_writer_, nullptr);
    reader = std::exchange(lost_reader_, nullptr);
    nobody_posts = !reader_here_ && (!writer_here_ || closed_);
    is_over = is_over_ && !writer_here_ && !reader_here_ && arriving_ == 0;
  }
  if (writer) take_found_writer(*writer);
  if (reader) take_lost_reader(*reader);
  if (is_over || (nobody_posts && outlet_.has_failed())) reader_is_over();
  look_at_writer();
  forget_old_reader();
  if (outlet_.state() == reader_state::unknown && waits_for_more()) ask_for_reader();
  forget_if_over();
}

void ChannelEnds::take_found_writer(const control::ChannelAt& found) {
  const auto fate = found.fate;
  if (fate == end_fate::lost) {
    if (!inlet_.last()) inlet_.break_off(gone("the writer of " + facts_.text + " was lost on its way from process " + std::to_string(found.who.who.object)));
    return send_on(true);
  }
  if (found.who.who == home_) return send_on(true);
  bool moved = false, is_cancelled = false, is_asked = false;
  std::uint64_t reader_hop = 0;
  {
    std::lock_guard lock(ends_);
    reader_hop = reader_hop_ - 1;
    if (writer_here_ || found.hop < writer_hop_) return;
    if (writer_ != found.who) told_moved_ = {};  // that was another process
    writer_ = found.who;
    writer_hop_ = found.hop;
    trail_.writer_was_at(found.behind);
    // Also where it came here: the writer may know it from when it was here before, and count as under way what went elsewhere since.
    moved = reader_here_ ? reader_hop_ != 0 : must_hear_ && !told_moved_.who;
    if (moved && !reader_here_) told_moved_ = found.who;
    is_cancelled = cancelled_;
    is_asked = fate != end_fate::held && must_hear_ && !reader_here_;
    if (is_asked) {  // no writer is there any more: it is a process as those that had the reader
      must_hear_ = false;
      trail_.add(found.who);
    }
  }
  watch(Endpoint::require().around(), found.who);
  watch_all(Endpoint::require().around(), found.behind);
  if (is_asked) say(found.who, flag_reader_moved, no_writers_hop, reader_hop);
  if (fate != end_fate::held) return;  // what it has said is on its way, or its obituary is
  if (moved) say(found.who, flag_reader_moved, found.hop, reader_hop);
  if (is_cancelled) say(found.who, flag_cancelled, 0);
}

// Of one that has died before it was found the agent tells in a moment, for that was asked for.
void ChannelEnds::take_lost_reader(const control::ChannelAt& found) {
  const auto fate = found.fate;
  const auto from = std::to_string(found.who.who.object);
  if (fate == end_fate::dropped) return hear_cancelled();
  if (fate == end_fate::lost) outlet_.end_with(gone("its reader was lost on its way from process " + from, "Look at the call that took it along"));
  else outlet_.end_with(gone("its reader's process " + from + " has ended"));
  reader_is_over();
}

// Once nothing follows the reader any more, what has not come, and was to come from a process that is dead, is lost.
void ChannelEnds::look_at_writer() {
  Life writer, told;
  std::vector<Life> behind;
  std::vector<LeftBehind> left;
  bool reader_is_here = false, must_hear = false;
  {
    std::lock_guard lock(ends_);
    writer = writer_;
    behind = trail_.behind();
    left = trail_.of_writer();
    reader_is_here = reader_here_;
    must_hear = must_hear_;
    told = told_moved_;
  }
  auto& links = Endpoint::require().around().links;
  std::optional<Obituary> behind_died;
  for (const auto& each : behind) {
    const auto its = links.obituary_of(each);
    if (!its) continue;
    behind_died = its;
    std::lock_guard lock(ends_);
    trail_.remove(each);
  }
  const auto died = writer.who ? links.obituary_of(writer) : std::nullopt;
  auto lost = behind_died;
  if (reader_is_here && behind.empty() && !inlet_.has_all()) {
    const auto last = inlet_.last();
    if (!last || inlet_.lacks(posted_ + 1, *last)) lost = died;  // what was posted here is here
    for (const auto& each : left)
      if (!lost && inlet_.lacks(each.first, each.last)) lost = links.obituary_of(each.who);
  }
  if (reader_is_here && lost) inlet_.break_off(loss_of(*lost));
  if (must_hear && (died || (told.who && links.obituary_of(told)))) send_on(true);
  if (behind_died && !reader_is_here) send_on();
}

// --- what the other end says ---

void ChannelEnds::hear_of_end(const Receipt& said, const Life& from) {
  const auto number = said.taken.messages;
  switch (said.flags) {
    case flag_closed:
    case flag_given_up: {
      std::unique_lock lock(ends_);
      given_up_ = said.flags == flag_given_up;
      const bool follows = !reader_here_;
      if (follows) said_closed_ = false;  // to the reader where it is now
      lock.unlock();
      end_after(number);
      if (follows) posted_here();  // it goes where the reader has gone
      break;
    }
    case flag_cancelled: hear_cancelled(); break;
    case flag_writer_moved: hear_writer_moved(said.taken.bytes); break;
    case flag_reader_moved: hear_reader_moved(said.taken, from); break;
    default: hear_of_trail(said, from);
  }
  forget_if_over();
}

void ChannelEnds::hear_writer_moved(std::uint64_t hop) {
  std::unique_lock lock(ends_);
  if (writer_here_ || hop < writer_hop_) return;
  writer_hop_ = hop + 1;
  writer_ = {};
  told_moved_ = {};
  const bool asks = reader_here_ || must_hear_ || cancelled_;
  lock.unlock();
  if (asks) find_writer();
}

void ChannelEnds::forget_old_reader() {
  {
    std::lock_guard lock(ends_);
    if (found_hop_ >= reader_hop_) return;
    trail_.tell_again();
  }
  forget_reader();
}

// Where the writer is here, nothing is sent to where the reader was, from now on.
void ChannelEnds::hear_reader_moved(const Amount& hops, const Life& from) {
  std::unique_lock lock(ends_);
  if (!reader_here_) reader_hop_ = std::max(reader_hop_, hops.bytes + 1);
  const bool writer_is_here = writer_here_ || closed_;
  lock.unlock();
  forget_old_reader();
  say(from, writer_is_here ? flag_heard : flag_writer_is_elsewhere, hops.messages, hops.bytes);
  wake_waiters();
  if (outlet_.state() == reader_state::unknown && waits_for_more()) ask_for_reader();
}

void ChannelEnds::hear_writer_is_elsewhere(std::uint64_t hop, const Life& from) {
  std::unique_lock lock(ends_);
  if (!writer_here_ && hop < writer_hop_) {
    const bool has_been_here = told_moved_ == from;  // the writer, since this was asked: where it went it knows where the reader is
    lock.unlock();
    return has_been_here ? send_on(true) : void();
  }
  const bool came_here = writer_here_, asks = must_hear_;
  if (!came_here) {
    writer_hop_ = hop + 1;
    writer_ = {};
    told_moved_ = {};
  }
  lock.unlock();
  if (came_here) send_on(true);
  else if (asks) find_writer();
}

}  // namespace octavo::detail
