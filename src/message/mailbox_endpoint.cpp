// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/mailbox_endpoint.hpp"

#include <algorithm>

#include "base/delay_point.hpp"
#include "machine/notices/home_name.hpp"
#include "message/mailbox_registry.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

namespace {
using when_full = Sender::when_full;
Sender& sender() { return Endpoint::require().sender(); }
LinkTable& links() { return Endpoint::require().around().links; }
constexpr auto patience_with_agent = std::chrono::seconds(5);
}  // namespace

MailboxEndpointBase::MailboxEndpointBase(std::string name, std::string type, MailboxBound bound)
    : name_(std::move(name)), type_(std::move(type)), id_(hash_of(name_)), bound_(bound) {}

// --- the reader's end ---

// Where other programs post, a reader that is busy takes what comes in: a program that posts and ends waits only for so long.
void MailboxEndpointBase::become_reader() {
  if (is_of_home(name_)) Endpoint::require().need_progress();
  Endpoint::require().around().agent.ask<control::Done>(control::MailboxRequest{0, name_, type_, control::mailbox_use::read, {}});
  delay_point("mailbox: about to be read here");
  std::lock_guard lock(mutex_);
  reader_ = {};
  state_.store(reader_state::here, std::memory_order_release);
}

bool MailboxEndpointBase::stop_reading() {
  if (state() != reader_state::here) return false;
  change_state(reader_state::here, reader_state::unknown);
  try {
    Endpoint::require().around().agent.ask<control::Done>(control::MailboxRequest{0, name_, type_, control::mailbox_use::leave, {}});
  } catch (const error&) {  // the agent is gone, or will see the end of this process
  }
  return true;
}

bool MailboxEndpointBase::receives_in_place() {
  std::lock_guard lock(mutex_);
  return receive_ != nullptr && receive_->thread == std::this_thread::get_id() && !receive_->taken && arrivals_.empty();
}

// receives_in_place() was true on this thread just now, so receive_ was set by this thread, and no other thread changes it.
void MailboxEndpointBase::receive_in_place(wire::Message& message, const Life& from) {
  auto* receive = receive_;
  receive->taken = true;
  try {
    receive->decode(message, from);
  } catch (const gone_error&) {  // its poster died meanwhile: half a message is none
    receive->taken = false;
  } catch (...) {
    receive->error = std::current_exception();
  }
}

void MailboxEndpointBase::arrived(wire::Message message, const Life& from) {
  if (message.pending_bulk) return receive_in_place(message, from);
  {
    std::lock_guard lock(mutex_);
    arrivals_.push_back({std::move(message), from});
    arrivals_left_.store(arrivals_.size() - next_arrival_, std::memory_order_release);
  }
  wake_waiters();
}

std::optional<MailboxEndpointBase::Arrival> MailboxEndpointBase::take_arrival() {
  std::lock_guard lock(mutex_);
  if (arrivals_.empty()) return std::nullopt;
  Arrival first = std::move(arrivals_[next_arrival_++]);
  if (2 * next_arrival_ >= arrivals_.size()) {
    arrivals_.erase(arrivals_.begin(), arrivals_.begin() + static_cast<std::ptrdiff_t>(next_arrival_));
    next_arrival_ = 0;
  }
  arrivals_left_.store(arrivals_.size() - next_arrival_, std::memory_order_release);
  return first;
}

// The poster gets a receipt for each quarter of the poster's bound (its message asks then), and for each quarter of the reader's.
void MailboxEndpointBase::count_taken(const Life& from, std::size_t bytes, bool asked) {
  Amount taken;
  {
    std::lock_guard lock(mutex_);
    if (last_owed_ == nullptr || last_owed_->first != from) last_owed_ = &*owed_.try_emplace(from).first;
    auto& owed = last_owed_->second;
    owed.add(bytes);
    if (!asked && !owed.is_a_quarter_of(bound_)) return;
    taken = std::exchange(owed, {});
  }
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::taken;
  frame.method = id_;
  frame.call = taken.messages;
  frame.root = taken.bytes;
  try {
    sender().post_small(from, frame, when_full::hand_over);
  } catch (const error&) {  // the poster is dead: nobody waits for this
  } catch (const std::exception& e) {
    log_line(std::string("telling a poster that its messages were taken: ") + e.what());
  }
}

void MailboxEndpointBase::raise_undecoded(const Life& from, const error& why) const {
  throw io_error("a message in mailbox '" + name_ + "' from process " + std::to_string(from.who.object) + " is no " + type_ + ": " + why.what(),
                 "Build both programs from the same source");
}

bool MailboxEndpointBase::wait_to_receive(InPlaceReceive& receive, const Predicate& here, std::chrono::steady_clock::time_point deadline) {
  {
    std::lock_guard lock(mutex_);
    if (receive_ == nullptr) receive_ = &receive;  // of several threads that wait, the first
  }
  const AtEnd leave{[&] {
    std::lock_guard lock(mutex_);
    if (receive_ == &receive) receive_ = nullptr;
  }};
  bool came = wait([&] { return receive.taken || here(); }, deadline);
  if (receive.error) std::rethrow_exception(receive.error);
  return came;
}

bool MailboxEndpointBase::wait(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) {
  const bool is_done = wait_until([&] { return done() || agent_is_gone(); }, deadline);
  if (agent_is_gone()) throw gone_error("waiting at mailbox '" + name_ + "': the agent of this program is gone");
  return is_done;
}

// --- a poster's end: finding the reader ---

void MailboxEndpointBase::posted_here() {
  delay_point("mailbox: posted, about to look where it is read");
  switch (state()) {
    case reader_state::here: return wake_waiters();
    case reader_state::unknown: return ask_for_reader();
    case reader_state::asked: return;
    case reader_state::found_elsewhere:
    case reader_state::elsewhere: return forward();  // the reader was found between the first look at the state and the push
  }
}

void MailboxEndpointBase::ask_for_reader() {
  Life lost;
  {
    std::lock_guard lock(mutex_);
    if (state() != reader_state::unknown) return;
    state_.store(reader_state::asked, std::memory_order_release);
    lost = lost_;
  }
  try {
    MailboxRegistry::here().find_reader(shared_from_this(), lost);
  } catch (...) {
    change_state(reader_state::asked, reader_state::unknown);
    throw;
  }
}

void MailboxEndpointBase::reader_found(const Life& reader, const std::exception_ptr& error) {
  delay_point("mailbox: its reader was found");
  std::lock_guard lock(mutex_);
  if (state() != reader_state::asked) return;  // a thread of this process has become the reader
  reader_ = reader;
  if (!error) return;
  error_ = error;
  failed_.store(true, std::memory_order_release);
  state_.store(reader_state::unknown, std::memory_order_release);
}

void MailboxEndpointBase::look_around() {
  Life reader;
  {
    std::lock_guard lock(mutex_);
    reader = reader_;
  }
  if (state() == reader_state::asked && reader.who) forward();
  if (state() != reader_state::elsewhere) return;
  if (links().obituary_of(reader)) lose(reader);
  wake_waiters();
}

// Sends what was posted before the reader was found, and only then lets posters send to it. A poster that pushes meanwhile forwards its value itself, so that
// what the same thread posts next comes after it.
void MailboxEndpointBase::forward() {
  delay_point("mailbox: about to be forwarded");
  std::lock_guard forwarding(forwarding_);
  {
    std::lock_guard lock(mutex_);
    if (state() == reader_state::asked && reader_.who) state_.store(reader_state::found_elsewhere, std::memory_order_release);
  }
  while ((state() == reader_state::found_elsewhere || state() == reader_state::elsewhere) && !ring_is_empty()) {
    try {
      if (!forward_one()) std::this_thread::yield();  // another thread has begun to push it, and not finished
    } catch (const std::exception& e) {
      const auto* ours = dynamic_cast<const error*>(&e);
      if (ours != nullptr && ours->kind() == error_kind::gone) keep_error(std::current_exception());
      else log_line("a message that waited for the reader of mailbox '" + name_ + "' is lost: " + e.what());  // those behind it can be sent
    }
  }
  delay_point("mailbox: was forwarded");
  change_state(reader_state::found_elsewhere, reader_state::elsewhere);
  if (ring_is_empty()) return;
  try {  // the reader died before all was forwarded: the rest is the next reader's
    ask_for_reader();
  } catch (const error&) {
    keep_error(std::current_exception());
  }
}

void MailboxEndpointBase::change_state(reader_state before, reader_state now) {
  std::lock_guard lock(mutex_);
  if (state() == before) state_.store(now, std::memory_order_release);
}

bool MailboxEndpointBase::lose(const Life& reader, bool said) {
  std::lock_guard lock(mutex_);
  if (reader_ != reader) {  // another thread has seen the same end, and keeps it for the next post
    if (!said || lost_ != reader) return false;
    error_ = nullptr;
    left_ = {};
    failed_.store(false, std::memory_order_release);
    return false;
  }
  lost_ = std::exchange(reader_, {});
  under_way_ = {};
  state_.store(reader_state::unknown, std::memory_order_release);
  if (said) return true;
  left_ = lost_;  // in the same step: a thread that meets the same end now says it, and takes this back
  failed_.store(true, std::memory_order_release);
  return true;
}

void MailboxEndpointBase::reader_left(const Address& reader) {
  Life life;
  {
    std::lock_guard lock(mutex_);
    life = reader_;
  }
  if (!reader || life.who != reader || !lose(life)) return;
  wake_waiters();
  if (!ring_is_empty()) forward();  // asks again: the reader left before that was sent, and it is the next one's
}

// For the next post to throw.
void MailboxEndpointBase::keep_error(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  error_ = std::move(error);
  failed_.store(true, std::memory_order_release);
}

void MailboxEndpointBase::raise_failed() {
  std::exception_ptr error;
  Life left;
  {
    std::lock_guard lock(mutex_);
    failed_.store(false, std::memory_order_release);
    error = std::exchange(error_, nullptr);
    left = std::exchange(left_, {});
  }
  const auto where = [&] { return "posting to mailbox '" + name_ + "'"; };
  if (error) in_context(where, [&] { std::rethrow_exception(error); });
  if (left.who) in_context(where, [&] { raise_left(left); });
}

// The agent tells of its end in a moment: meanwhile this reads, for a process that ends may wait for room to send what it has answered.
void MailboxEndpointBase::raise_left(const Life& reader) {
  std::optional<Obituary> obituary;
  wait([&] { return (obituary = links().obituary_of(reader)).has_value(); }, Endpoint::require().around().now() + patience_with_agent);
  if (obituary) throw process_died(*obituary);
  throw gone_error("process " + std::to_string(reader.who.object) + " reads no more, and its agent says nothing of it");
}

// --- a poster's end: sending to the reader ---

std::optional<MailboxEndpointBase::Credit> MailboxEndpointBase::take_credit(std::uint64_t bytes, without_credit policy) {
  std::lock_guard lock(mutex_);
  if (!reader_.who) return std::nullopt;
  const bool full = under_way_.messages >= bound_.messages || (under_way_.messages != 0 && under_way_.bytes + bytes > bound_.bytes);
  if (full && policy != without_credit::send_anyway) return std::nullopt;
  under_way_.add(bytes);
  unasked_.add(bytes);
  const bool asks = unasked_.is_a_quarter_of(bound_);
  if (asks) unasked_ = {};
  return Credit{reader_, asks};
}

// Receipts come over the connection with the reader: once that is lost no credit comes any more, though the reader itself may live.
std::optional<MailboxEndpointBase::Credit> MailboxEndpointBase::await_credit(std::uint64_t bytes, without_credit policy) {
  Life reader;
  {
    std::lock_guard lock(mutex_);
    reader = reader_;
  }
  auto& known = links();
  std::shared_ptr<road::Connection> connection;
  std::uint64_t version = 0;
  auto is_cut_off = [&] {
    if ((connection == nullptr || !connection->lost()) && known.changed(version)) {
      version = known.version();
      connection = known.way_to(reader.who);
    }
    return connection != nullptr && connection->lost();
  };
  std::optional<Credit> credit;
  auto settled = [&] { return state() != reader_state::elsewhere || credit || (credit = take_credit(bytes, policy)) || is_cut_off(); };
  if (policy == without_credit::wait_for_reader) wait(settled, forever());
  else settled();
  if (credit || state() != reader_state::elsewhere || !is_cut_off()) return credit;
  try {
    known.raise_gone(reader);  // process_died, if the agent tells of the death within some seconds; else gone_error
  } catch (octavo::error& e) {
    lose(reader, true);
    wake_waiters();
    e.add_context("posting to mailbox '" + name_ + "'");
    throw;
  }
}

// Of a message that was not sent after all.
void MailboxEndpointBase::give_back_credit(std::uint64_t bytes, bool asked) {
  if (asked) {
    std::lock_guard lock(mutex_);
    unasked_.messages = bound_.messages;  // the next message asks for a receipt
  }
  were_taken(1, bytes);
}

void MailboxEndpointBase::were_taken(std::uint64_t messages, std::uint64_t bytes) {
  {
    std::lock_guard lock(mutex_);
    under_way_.messages -= std::min(under_way_.messages, messages);
    under_way_.bytes -= std::min(under_way_.bytes, bytes);
  }
  wake_waiters();
}

template <class Send>
bool MailboxEndpointBase::send_within(std::uint64_t bytes, without_credit policy, std::uint8_t& flags, const Send& send) {
  auto credit = take_credit(bytes, policy);
  if (!credit && policy != without_credit::send_anyway) credit = await_credit(bytes, policy);
  delay_point("mailbox: may send");
  if (!credit) return false;
  flags = credit->asks_for_receipt ? 1 : 0;
  try {
    send(credit->reader, policy == without_credit::send_anyway ? when_full::hand_over : when_full::wait_then_hand_over);
  } catch (octavo::error& e) {
    if (e.kind() == error_kind::gone) {
      lose(credit->reader, true);
      wake_waiters();
    } else {
      give_back_credit(bytes, credit->asks_for_receipt);
    }
    e.add_context("posting to mailbox '" + name_ + "'");
    throw;
  } catch (...) {
    give_back_credit(bytes, credit->asks_for_receipt);
    throw;
  }
  return true;
}

bool MailboxEndpointBase::send(wire::SmallFrame& frame, without_credit policy) {
  frame.kind = wire::frame_kind::post;
  frame.method = id_;
  return send_within(frame.size, policy, frame.flags, [&](const Life& to, when_full how) { sender().post_small(to, frame, how); });
}

bool MailboxEndpointBase::send(wire::Outgoing& frame, without_credit policy) {
  frame.header.kind = wire::frame_kind::post;
  frame.header.method = id_;
  std::uint64_t bytes = frame.body.size();
  for (auto part : frame.bulk) bytes += part.size();
  return send_within(bytes, policy, frame.header.flags, [&](const Life& to, when_full how) { sender().post(to, frame, how); });
}

}  // namespace octavo::detail
