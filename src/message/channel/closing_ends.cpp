// SPDX-License-Identifier: Apache-2.0
// How a channel comes to its end.
#include "message/channel/edges.hpp"
#include "message/channel/end_requests.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

using control::channel_end, control::channel_use;

namespace {

template <class Work>
void attempt(const std::string& what, const Work& work) noexcept {
  try {
    work();
  } catch (const std::exception& e) {
    log_line(what + ": " + e.what());
  }
}

}  // namespace

bool ChannelEnds::is_endpoint_here() const noexcept {
  const auto* here = Endpoint::current();
  return here != nullptr && here->around().self.address == home_ && !here->around().links.orphaned();
}

// --- the writer ---

void ChannelEnds::check_is_open() const {
  std::lock_guard lock(ends_);
  if (closed_) throw usage_error("posting to " + facts_.text + ": it was closed", "Close it after the last post");
}

void ChannelEnds::post_failed(const error& why) {
  if (why.kind() != error_kind::gone || dynamic_cast<const channel_cancelled*>(&why) != nullptr) return;
  outlet_.end_with(std::make_exception_ptr(gone_error("its reader is gone")));
  reader_is_over();
}

void ChannelEnds::close(bool given_up) noexcept {
  bool reader_is_here = false;
  {
    std::lock_guard lock(ends_);
    if (closed_ || !writer_here_) return;
    closed_ = true;
    given_up_ = given_up;
    reader_is_here = reader_here_;
    said_closed_ = reader_here_ || reader_over_;
  }
  attempt("closing " + facts_.text, [&] {
    if (!is_endpoint_here()) return;
    if (reader_is_here) end_after(posted_);
    else if (outlet_.state() == reader_state::unknown) ask_for_reader();
    else if (outlet_.state() == reader_state::elsewhere) forward();  // says it, when all has left
  });
  forget_if_over();
}

void ChannelEnds::end_after(std::uint64_t last) {
  std::unique_lock lock(ends_);
  const bool given_up = given_up_;
  lock.unlock();
  std::exception_ptr why;
  if (given_up)
    why = std::make_exception_ptr(
        gone_error("the writer of " + facts_.text + " gave it up while an exception passed: what came is not all", "Look at what the writer has thrown"));
  inlet_.end_after(last, why);
}

// --- the reader ---

void ChannelEnds::cancel() noexcept {
  Life writer;
  bool tells_agent = false;
  std::uint64_t hop = 0;
  {
    std::lock_guard lock(ends_);
    if (!std::exchange(reader_here_, false)) return;
    cancelled_ = true;
    writer = writer_;
    tells_agent = agent_knows_;
    hop = reader_hop_;
  }
  attempt("cancelling " + facts_.text, [&] {
    if (!is_endpoint_here()) return;
    inlet_.drop_all();
    if (tells_agent) tell_agent(facts_.id, channel_end::reader, channel_use::drop, hop);
    if (writer.who) say(writer, flag_cancelled);
    else if (tells_agent) find_writer();
    hear_cancelled();
  });
  forget_if_over();
}

bool ChannelEnds::refuses(const Life& from) {
  {
    std::lock_guard lock(ends_);
    if (!cancelled_) return false;
  }
  say(from, flag_cancelled);
  return true;
}

// By the writer, if it is here.
void ChannelEnds::hear_cancelled() {
  outlet_.end_with(std::make_exception_ptr(channel_cancelled("its reader wants no more", "Catch it, and stop; or have the reader take all")));
  reader_is_over();
}

void ChannelEnds::reader_is_over() {
  {
    std::lock_guard lock(ends_);
    reader_over_ = true;
    said_closed_ = said_closed_ || closed_;
    writer_has_left_ = false;  // it still has to hear that the reader is not here (must_hear_)
    trail_.is_over();
  }
  drop_ring();
  wake_waiters();
  forget_if_over();
}

// --- the endpoint ends, or the channel does ---

bool ChannelEnds::stop_reading() {
  cancel();
  return false;
}

bool ChannelEnds::holds_something() const {
  if (inlet_.has_message() || !ring_is_empty()) return true;
  std::lock_guard lock(ends_);
  return (closed_ && !said_closed_) || trail_.owes();
}

// Where the reader was, the writer may not know yet that it has gone; and where it is now it takes the end of this process for a loss until it was told that
// nothing more follows.
void ChannelEnds::finish_posting() noexcept {
  attempt("ending " + facts_.text, [this] {
    constexpr std::chrono::seconds patience{5};
    const auto is_over = [this] {
      const bool all_has_left = !holds_unsent();
      std::lock_guard lock(ends_);
      return reader_here_ || reader_over_ || (all_has_left && !trail_.owes() && (!closed_ || said_closed_));
    };
    if (!is_over()) wait_at(facts_.text, is_over, Endpoint::require().around().now() + patience);
  });
  EdgeBase::finish_posting();
}

void ChannelEnds::forget_if_over() noexcept {
  bool drops_writer = false, is_over = false;
  std::uint64_t hop = 0;
  const bool holds_nothing = !holds_unsent();
  {
    std::lock_guard lock(ends_);
    if (forgotten_) return;
    if (closed_ && said_closed_ && writer_here_) {
      writer_here_ = false;
      drops_writer = agent_knows_;
      hop = writer_hop_;
    }
    // Where an end has been, what it has left may still be asked for until both are gone.
    is_over = arriving_ == 0 && !reader_here_ && !writer_here_ && (agent_knows_ ? is_over_ : holds_nothing || reader_over_);
    forgotten_ = is_over;
  }
  attempt("leaving " + facts_.text, [&] {
    if (!is_endpoint_here()) return;
    if (drops_writer) tell_agent(facts_.id, channel_end::writer, channel_use::drop, hop);
    if (is_over) Edges::here().forget(facts_.id);
  });
}

}  // namespace octavo::detail
