// SPDX-License-Identifier: Apache-2.0
// How the ends of a channel leave an endpoint, and arrive at one.
#include <algorithm>

#include "base/delay_point.hpp"
#include "message/channel/edges.hpp"
#include "message/channel/end_requests.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

using control::channel_end, control::channel_use;

namespace {
// Where the writer was, and posted what has not all come here, where the reader is.
std::vector<Life> those_that_may_send(const std::vector<LeftBehind>& places, Inlet& here, const Address& home) {
  std::vector<Life> may_send;
  for (const auto& each : places)
    if (each.who.who != home && here.lacks(each.first, each.last)) may_send.push_back(each.who);
  return may_send;
}
}  // namespace

ChannelEnds::ChannelEnds(EdgeFacts facts, std::unique_ptr<Meeting> meeting)
    : EdgeBase(std::move(facts), std::move(meeting)), home_(Endpoint::require().around().self.address) {}

bool ChannelEnds::begin_to_arrive() {
  std::lock_guard lock(ends_);
  if (!forgotten_) ++arriving_;
  return !forgotten_;
}

void ChannelEnds::hold(bool reader, std::uint64_t hop, const std::vector<LeftBehind>& behind) {
  try {
    hold_end(facts_.id, reader ? channel_end::reader : channel_end::writer, hop, behind);
  } catch (...) {
    std::lock_guard lock(ends_);
    --arriving_;
    if (!reader) writer_here_ = false;
    throw;
  }
}

void ChannelEnds::begin() {
  {
    std::lock_guard lock(ends_);
    --arriving_;
    writer_here_ = reader_here_ = true;
  }
  outlet_.read_here();
}

// Before the first end leaves nobody else knows of the channel: the agent is told where the other one is. (Of the one that leaves where it arrives may tell
// first.)
void ChannelEnds::tell_agent_of_other(bool reader) {
  bool is_here = false;
  {
    std::lock_guard lock(ends_);
    if (std::exchange(agent_knows_, true)) return;
    is_here = reader ? reader_here_ : writer_here_;
  }
  const auto other = reader ? channel_end::reader : channel_end::writer;
  tell_agent(facts_.id, other, channel_use::hold, 0);
  if (!is_here) tell_agent(facts_.id, other, channel_use::drop, 0);
}

// Where an end was, it is not known who still has something to say to the other, or to hear.
void ChannelEnds::await_over() {
  {
    std::lock_guard lock(ends_);
    if (std::exchange(awaits_over_, true)) return;
  }
  await_end_of_channel(std::static_pointer_cast<ChannelEnds>(shared_from_this()));
}

// What was posted, and has not left, follows: it has its numbers.
WriterOnItsWay ChannelEnds::give_writer() {
  check_is_open();
  tell_agent_of_other(true);
  bool reader_is_here = false;
  WriterOnItsWay writer{facts_.id, 0, 0, 0, {}, facts_.bound};
  {
    std::lock_guard lock(ends_);
    writer_here_ = false;
    reader_is_here = reader_here_;
    writer.last = posted_;
    writer.hop = ++writer_hop_;
    writer.reader_hop = reader_hop_;
    writer_has_left_ = !reader_is_here && !reader_over_;
    writer.behind = writer_has_left_ ? trail_.writer_leaves(Endpoint::require().around().self, posted_) : trail_.of_writer();
  }
  tell_agent(facts_.id, channel_end::writer, channel_use::give, writer.hop - 1);
  await_over();
  delay_point("channel: its writer leaves");
  if (reader_is_here) find_writer();
  else if (outlet_.state() == reader_state::elsewhere) all_was_forwarded();  // tells the reader
  else if (outlet_.state() == reader_state::unknown && waits_for_more()) ask_for_reader();
  return writer;
}

void ChannelEnds::writer_arrives(const WriterOnItsWay& writer) {
  bool reader_is_here = false;
  {
    std::lock_guard lock(ends_);  // before the agent knows: whoever is told that it is here finds it
    agent_knows_ = writer_here_ = true;
    writer_has_left_ = false;
    posted_ = writer.last;
    writer_hop_ = writer.hop;
    writer_ = {};
    trail_.writer_arrives(writer.behind, writer.last);
    if (!reader_here_) reader_hop_ = std::max(reader_hop_, writer.reader_hop);
    reader_is_here = reader_here_;
  }
  hold(false, writer.hop, writer.behind);
  {
    std::lock_guard lock(ends_);
    --arriving_;
  }
  await_over();
  delay_point("channel: its writer has arrived");
  outlet_.begin_anew();
  if (reader_is_here) {
    watch_all(Endpoint::require().around(), writer.behind);
    return look_at_writer();
  }
  forget_old_reader();
  if (outlet_.state() == reader_state::unknown) ask_for_reader();
}

// What has come here, and was not taken, follows.
ReaderOnItsWay ChannelEnds::give_reader() {
  tell_agent_of_other(false);
  std::unique_lock looking(ends_);
  const auto places = trail_.of_writer();
  looking.unlock();
  const auto may_send = those_that_may_send(places, inlet_, home_);
  ReaderOnItsWay reader{facts_.id, 0, 0, inlet_.leave(), inlet_.last(), false, {}, facts_.bound};
  const bool has_all = inlet_.has_all(), some_is_here = inlet_.has_message();
  Life writer;
  std::vector<Life> earlier;
  bool more_may_come = false, writer_is_here = false, owes = false;
  {
    std::lock_guard lock(ends_);
    reader_here_ = false;
    reader.hop = ++reader_hop_;
    reader.writer_hop = writer_hop_;
    reader.given_up = given_up_;
    writer_is_here = writer_here_;
    more_may_come = must_hear_ = !writer_here_ && !closed_ && !has_all;
    if (has_all) trail_.is_over();
    owes = !trail_.behind().empty() || !may_send.empty() || some_is_here || (!writer_here_ && !has_all);
    earlier = trail_.behind();
    reader.behind = trail_.leaves(owes, Endpoint::require().around().self, reader.hop);
    for (const auto& each : may_send) trail_.add(each);
    earlier.insert(earlier.end(), may_send.begin(), may_send.end());
    writer = writer_;
    told_moved_ = writer;
  }
  outlet_.change_state(reader_state::here, reader_state::unknown);
  tell_agent(facts_.id, channel_end::reader, channel_use::give, reader.hop - 1);
  await_over();
  delay_point("channel: its reader leaves");
  if (writer.who) say(writer, flag_reader_moved, hop_of(channel_end::writer), reader.hop - 1);
  else if (more_may_come) find_writer();
  for (const auto& each : earlier)
    if (each != writer) say(each, flag_reader_moved, no_writers_hop, reader.hop - 1);
  if (writer_is_here || holds_unsent() || owes) ask_for_reader();
  return reader;
}

void ChannelEnds::reader_arrives(const ReaderOnItsWay& reader) {
  hold(true, reader.hop);
  bool writer_is_here = false, was_closed = false;
  std::vector<LeftBehind> of_writer;
  std::unique_lock forwarding(forwarding_);  // what is being sent to where the reader was goes there, and comes back
  inlet_.begin_at(reader.next);
  {
    std::lock_guard lock(ends_);
    --arriving_;
    agent_knows_ = reader_here_ = true;
    reader_hop_ = reader.hop;
    if (!writer_here_ && reader.writer_hop > writer_hop_) {
      writer_hop_ = reader.writer_hop;
      writer_ = {};
    }
    must_hear_ = false;
    given_up_ = reader.given_up || (closed_ && given_up_);
    trail_.arrives(reader.behind, home_);
    of_writer = trail_.of_writer();
    writer_is_here = writer_here_;
    was_closed = closed_;  // the writer has ended here, while the reader was on its way or before
    said_closed_ = said_closed_ || was_closed;
  }
  if (was_closed) end_after(posted_);
  if (reader.last) end_after(*reader.last);
  outlet_.read_here();
  outlet_.begin_anew();  // what failed did so on its way to where the reader was
  forwarding.unlock();
  await_over();
  delay_point("channel: its reader has arrived");
  for (const auto& each : reader.behind) watch(Endpoint::require().around(), each);
  watch_all(Endpoint::require().around(), of_writer);
  if (!writer_is_here) find_writer();
  look_at_writer();
  wake_waiters();
}

}  // namespace octavo::detail
