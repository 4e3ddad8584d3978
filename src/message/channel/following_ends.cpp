// SPDX-License-Identifier: Apache-2.0
// How what the ends of a channel have left behind follows them.
#include <algorithm>
#include <map>

#include "message/channel/edges.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

std::vector<LeftBehind> Trail::writer_leaves(const Life& self, std::uint64_t last) {
  if (last >= first_here_) of_writer_.push_back({self, first_here_, last});
  if (of_writer_.size() <= most_ranges) return of_writer_;
  std::map<Life, LeftBehind> of_each;
  for (const auto& each : of_writer_) {
    auto& range = of_each.try_emplace(each.who, each).first->second;
    range = {each.who, std::min(range.first, each.first), std::max(range.last, each.last)};
  }
  of_writer_.clear();
  for (const auto& [who, range] : of_each) of_writer_.push_back(range);
  return of_writer_;
}

// The writer, or what lies here, still has something to say to the reader.
bool ChannelEnds::waits_for_more() const {
  if (holds_unsent()) return true;
  std::lock_guard lock(ends_);
  return !reader_over_ && (writer_here_ || writer_has_left_ || trail_.owes());
}

// What lies here goes where the reader is. `writer_knows`: that the reader has left, so that nothing more comes here from it.
void ChannelEnds::send_on(bool writer_knows) {
  if (writer_knows) {
    std::lock_guard lock(ends_);
    if (reader_here_) return;
    must_hear_ = false;
  }
  if (outlet_.state() == reader_state::elsewhere) forward();
  else if (outlet_.state() == reader_state::unknown && waits_for_more()) ask_for_reader();
}

// What is said between the places where the reader was, and is.
void ChannelEnds::hear_of_trail(const Receipt& said, const Life& from) {
  std::unique_lock lock(ends_);
  const bool reader_is_here = reader_here_, answers = said.flags == flag_heard || said.flags == flag_writer_is_elsewhere;
  if (answers && !reader_is_here && trail_.is_of_earlier(said.taken.bytes + 1)) return;
  // Where the reader is not any more nobody answers that all has left: `from` was told so, and says it again where the reader is.
  if (said.flags == flag_flush_heard) trail_.answered(from);
  else if (!reader_is_here || said.flags == flag_flushed) trail_.remove(from);
  lock.unlock();
  if (said.flags == flag_flush_heard) return wake_waiters();
  if (said.flags == flag_flushed && reader_is_here) {
    say(from, flag_flush_heard);
    return look_at_writer();
  }
  if (said.flags == flag_writer_is_elsewhere && said.taken.messages != no_writers_hop) hear_writer_is_elsewhere(said.taken.messages, from);
  send_on(said.flags == flag_heard);
}

bool ChannelEnds::holds_unsent() const {
  if (!ring_is_empty()) return true;
  if (!inlet_.has_message()) return false;
  std::lock_guard lock(ends_);
  return !reader_here_;
}

bool ChannelEnds::forward_next() {
  auto arrival = inlet_.take();
  if (!arrival) return forward_one();
  auto& message = arrival->message;
  if ((message.header.flags & flag_has_ends) != 0) return forward_again(message, arrival->from);
  // The process that sent it here has room again: what is on its way from here is counted here.
  inlet_.count_taken(arrival->from, message.body.size() + static_cast<std::size_t>(message.bulk_bytes()), asks_for_receipt(message.header.flags));
  adopt_posted(message);
  wire::Outgoing out;
  out.header.call = message.header.call;
  out.body.append(message.body.span().data(), message.body.size());
  for (const auto& part : message.bulk) out.bulk.emplace_back(part.span());
  out.pages = std::exchange(message.pages, {});
  out.owner.keeper = std::exchange(message.keeper, nullptr);
  outlet_.send(out, without_credit::send_anyway);
  return true;
}

// The reader, elsewhere, is told what lies behind the last message.
void ChannelEnds::all_was_forwarded() {
  const Life reader = outlet_.reader();
  const auto last = inlet_.last();
  const bool has_all = inlet_.has_all();
  std::uint64_t number = 0, writer_hop = 0;
  std::uint8_t closed = 0;
  bool flushed = false, left = false;
  {
    std::lock_guard lock(ends_);
    if (!reader.who || reader_here_) return;
    if (has_all) must_hear_ = false;
    if (!said_closed_ && (closed_ || last)) {
      said_closed_ = true;
      closed = given_up_ ? flag_given_up : flag_closed;
      number = closed_ ? posted_ : *last;
    }
    flushed = !must_hear_ && trail_.tells(reader);
    left = std::exchange(writer_has_left_, false);
    writer_hop = writer_hop_ - 1;
  }
  if (closed != 0) say(reader, closed, number);
  if (left) say(reader, flag_writer_moved, 0, writer_hop);
  if (flushed) say(reader, flag_flushed);
  wake_waiters();
  forget_if_over();
}

}  // namespace octavo::detail
