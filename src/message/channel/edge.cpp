// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/channel/edge.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

EdgeBase::EdgeBase(EdgeFacts facts, std::unique_ptr<Meeting> meeting)
    : facts_(std::move(facts)),
      inlet_(facts_.id, facts_.text, facts_.bound, facts_.numbered),
      outlet_(facts_.id, facts_.text, facts_.bound),
      meeting_(std::move(meeting)) {}

// --- the reader's end ---

void EdgeBase::become_reader() {
  inlet_.show_unread(meeting_->read_here());
  delay_point("mailbox: about to be read here");
  outlet_.read_here();
}

bool EdgeBase::stop_reading() {
  if (outlet_.state() != reader_state::here) return false;
  outlet_.change_state(reader_state::here, reader_state::unknown);
  inlet_.show_unread(nullptr);
  try {
    meeting_->leave();
  } catch (const error&) {  // the agent is gone, or will see the end of this process
  }
  return true;
}

void EdgeBase::arrived(wire::Message message, const Life& from) {
  if (facts_.numbered && refuses(from)) return;
  inlet_.arrived(std::move(message), from);
  if (facts_.numbered && outlet_.state() != reader_state::here) posted_here();  // the reader has gone elsewhere
}

void EdgeBase::hear_receipt(const Receipt& receipt, const Life& from) {
  if (receipt.flags > flag_none_was_taken) return hear_of_end(receipt, from);
  if (receipt.flags != flag_asks_what_was_taken) outlet_.hear(receipt);
  else if (!refuses(from)) inlet_.asked(from);
}

// --- a writer's end ---

void EdgeBase::posted_here() {
  delay_point("mailbox: posted, about to look where it is read");
  switch (outlet_.state()) {
    case reader_state::here: return wake_waiters();
    case reader_state::unknown: return ask_for_reader();
    case reader_state::asked: return static_cast<void>(Endpoint::require());  // in a child of fork(2) nobody will hear the answer
    case reader_state::found_elsewhere:
    case reader_state::elsewhere: return forward();  // the reader was found between the first look at the state and the push
  }
}

void EdgeBase::ask_for_reader() {
  const auto lost = outlet_.begin_to_ask();
  if (!lost) return;
  try {
    meeting_->find_reader(shared_from_this(), *lost);
  } catch (...) {
    outlet_.change_state(reader_state::asked, reader_state::unknown);
    throw;
  }
}

void EdgeBase::look_around() {
  const Life reader = outlet_.reader();
  if (outlet_.state() == reader_state::asked && reader.who) forward();
  if (outlet_.state() != reader_state::elsewhere) return;
  if (Endpoint::require().around().links.obituary_of(reader)) outlet_.lose(reader);
  wake_waiters();
}

// Sends what was posted before the reader was found, and only then lets writers send to it. A writer that pushes meanwhile forwards its value itself, so that
// what the same thread posts next comes after it.
void EdgeBase::forward() {
  delay_point("mailbox: about to be forwarded");
  std::lock_guard forwarding(forwarding_);
  outlet_.begin_to_forward();
  const auto is_elsewhere = [this] { return outlet_.state() == reader_state::found_elsewhere || outlet_.state() == reader_state::elsewhere; };
  while (is_elsewhere() && holds_unsent()) {
    try {
      if (!forward_next()) std::this_thread::yield();  // another thread has begun to push it, and not finished
    } catch (const std::exception& e) {
      const auto* ours = dynamic_cast<const error*>(&e);
      if (ours != nullptr && ours->kind() == error_kind::gone) outlet_.keep_error(std::current_exception());
      else log_line("a message that waited for the reader of " + facts_.text + " is lost: " + e.what());  // those behind it can be sent
    }
  }
  delay_point("mailbox: was forwarded");
  outlet_.change_state(reader_state::found_elsewhere, reader_state::elsewhere);
  if (!holds_unsent()) return all_was_forwarded();
  try {  // the reader died before all was forwarded: the rest is the next reader's
    ask_for_reader();
  } catch (const error&) {
    outlet_.keep_error(std::current_exception());
  }
}

void EdgeBase::forget_reader() {
  std::lock_guard forwarding(forwarding_);
  if (const Life reader = outlet_.reader(); reader.who) outlet_.forget(reader);
}

void EdgeBase::reader_left(const Address& reader) {
  const Life life = outlet_.reader();
  if (!reader || life.who != reader || !outlet_.lose(life)) return;
  wake_waiters();
  if (!ring_is_empty()) forward();  // asks again: the reader left before that was sent, and it is the next one's
}

}  // namespace octavo::detail
