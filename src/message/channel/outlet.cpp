// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/channel/outlet.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/message/detail/channel/inlet.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"
#include "process/errors/loss.hpp"

namespace octavo::detail {

namespace {
using when_full = Sender::when_full;
Sender& sender() { return Endpoint::require().sender(); }
LinkTable& links() { return Endpoint::require().around().links; }
constexpr auto patience_with_agent = std::chrono::seconds(5);
}  // namespace

// --- who reads ---

void Outlet::change_state(reader_state before, reader_state now) {
  std::lock_guard lock(mutex_);
  if (state() == before) state_.store(now, std::memory_order_release);
}

Life Outlet::reader() {
  std::lock_guard lock(mutex_);
  return reader_;
}

void Outlet::read_here() {
  std::lock_guard lock(mutex_);
  reader_ = {};
  state_.store(reader_state::here, std::memory_order_release);
}

std::optional<Life> Outlet::begin_to_ask() {
  std::lock_guard lock(mutex_);
  if (state() != reader_state::unknown) return std::nullopt;
  state_.store(reader_state::asked, std::memory_order_release);
  return lost_;
}

void Outlet::found(const Life& reader, const std::exception_ptr& error) {
  std::lock_guard lock(mutex_);
  if (state() != reader_state::asked) return;
  reader_ = reader;
  if (!error) return;
  error_ = error;
  failed_.store(true, std::memory_order_release);
  state_.store(reader_state::unknown, std::memory_order_release);
}

void Outlet::begin_to_forward() {
  std::lock_guard lock(mutex_);
  if (state() == reader_state::asked && reader_.who) state_.store(reader_state::found_elsewhere, std::memory_order_release);
}

bool Outlet::lose(const Life& reader, bool said) {
  std::lock_guard lock(mutex_);
  if (reader_ != reader) {  // another thread has seen the same end, and keeps it for the next post
    if (!said || lost_ != reader) return false;
    error_ = nullptr;
    left_ = {};
    failed_.store(false, std::memory_order_release);
    return false;
  }
  lost_ = std::exchange(reader_, {});
  room_.clear();
  state_.store(reader_state::unknown, std::memory_order_release);
  if (said) return true;
  left_ = lost_;  // in the same step: a thread that meets the same end now says it, and takes this back
  failed_.store(true, std::memory_order_release);
  return true;
}

void Outlet::forget(const Life& reader) {
  std::lock_guard lock(mutex_);
  if (reader_ != reader) return;
  reader_ = {};
  room_.clear();
  if (state() == reader_state::elsewhere || state() == reader_state::found_elsewhere || state() == reader_state::asked)
    state_.store(reader_state::unknown, std::memory_order_release);
}

void Outlet::begin_anew() {
  std::lock_guard lock(mutex_);
  room_.clear();
  error_ = nullptr;
  left_ = {};
  failed_.store(final_ != nullptr, std::memory_order_release);
}

// --- what the next post throws ---

void Outlet::keep_error(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  error_ = std::move(error);
  failed_.store(true, std::memory_order_release);
}

void Outlet::raise_failed() {
  std::exception_ptr error;
  Life left;
  {
    std::lock_guard lock(mutex_);
    failed_.store(final_ != nullptr, std::memory_order_release);
    error = std::exchange(error_, nullptr);
    left = std::exchange(left_, {});
  }
  const auto where = [&] { return "posting to " + text_; };
  if (!error && !left.who && final_) std::rethrow_exception(final_);
  if (error) in_context(where, [&] { std::rethrow_exception(error); });
  if (left.who) in_context(where, [&] { raise_left(left); });
}

// Each post throws the same one: it says where once.
void Outlet::end_with(std::exception_ptr error) {
  try {
    in_context([&] { return "posting to " + text_; }, [&] { std::rethrow_exception(error); });
  } catch (...) {
    error = std::current_exception();
  }
  std::lock_guard lock(mutex_);
  final_ = std::move(error);
  failed_.store(true, std::memory_order_release);
}

// The agent tells of its end in a moment: meanwhile this reads, for a process that ends may wait for room to send what it has answered.
void Outlet::raise_left(const Life& reader) {
  std::optional<Obituary> obituary;
  wait_at(
      text_, [&] { return (obituary = links().obituary_of(reader)).has_value(); }, Endpoint::require().around().now() + patience_with_agent);
  if (obituary) raise_loss(*obituary);
  throw gone_error("process " + std::to_string(reader.who.object) + " reads no more, and its agent says nothing of it");
}

// --- to the reader elsewhere ---

template <class Send>
bool Outlet::send_within(std::uint64_t bytes, without_credit policy, road::Deadline deadline, std::uint8_t& flags, const Send& send) {
  auto credit = take_credit(bytes, policy);
  if (!credit && policy != without_credit::send_anyway) credit = await_credit(bytes, policy, deadline);
  delay_point("mailbox: may send");
  if (!credit) return false;
  flags = static_cast<std::uint8_t>((flags & ~flag_asks_for_receipt) | (credit->asks_for_receipt ? flag_asks_for_receipt : 0));
  const auto give_back = [&] {
    {
      std::lock_guard lock(mutex_);
      room_.give_back(bytes, credit->asks_for_receipt);
    }
    wake_waiters();
  };
  try {
    send(credit->reader, policy == without_credit::send_anyway ? when_full::hand_over : when_full::wait_then_hand_over);
  } catch (octavo::error& e) {
    if (e.kind() == error_kind::gone) {
      lose(credit->reader, true);
      wake_waiters();
    } else {
      give_back();
    }
    e.add_context("posting to " + text_);
    throw;
  } catch (...) {
    give_back();
    throw;
  }
  return true;
}

bool Outlet::send(wire::SmallFrame& frame, without_credit policy, road::Deadline deadline) {
  frame.kind = wire::frame_kind::post;
  frame.method = id_;
  return send_within(frame.size, policy, deadline, frame.flags, [&](const Life& to, when_full how) { sender().post_small(to, frame, how); });
}

bool Outlet::send(wire::Outgoing& frame, without_credit policy, road::Deadline deadline) {
  frame.header.kind = wire::frame_kind::post;
  frame.header.method = id_;
  if (!frame.carried.empty()) frame.header.flags |= flag_has_ends;
  std::uint64_t bytes = frame.body.size();
  for (auto part : frame.bulk) bytes += part.size();
  const bool sent = send_within(bytes, policy, deadline, frame.header.flags, [&](const Life& to, when_full how) {
    frame.carried.leave_for(to);
    sender().post(to, frame, how);
  });
  if (sent) frame.carried.release();
  return sent;
}

void Outlet::send_missing(std::uint64_t number, std::string_view why) {
  wire::Outgoing frame;
  frame.header.call = number;
  frame.header.flags = flag_is_missing;
  frame.body.append(why.data(), why.size());
  send(frame, without_credit::send_anyway);
}

void Outlet::hear(const Receipt& receipt) {
  {
    std::lock_guard lock(mutex_);
    room_.hear(receipt);
  }
  wake_waiters();
}

bool Outlet::all_was_taken() {
  {
    std::lock_guard lock(mutex_);
    if (state() != reader_state::elsewhere || room_.none_is_under_way()) return true;
  }
  ask_for_receipt();
  return false;
}

bool Outlet::ask_for_receipt() {
  Life reader;
  {
    std::lock_guard lock(mutex_);
    if (!room_.ask()) return false;
    reader = reader_;
  }
  send_receipt(id_, text_, reader, {{}, flag_asks_what_was_taken});
  return true;
}

std::optional<Outlet::Credit> Outlet::take_credit(std::uint64_t bytes, without_credit policy) {
  std::lock_guard lock(mutex_);
  if (!reader_.who) return std::nullopt;
  const auto asks = room_.take(bytes, policy == without_credit::send_anyway);
  return asks ? std::optional(Credit{reader_, *asks}) : std::nullopt;
}

// Receipts come over the connection with the reader: once that is lost no credit comes any more, though the reader itself may live.
std::optional<Outlet::Credit> Outlet::await_credit(std::uint64_t bytes, without_credit policy, road::Deadline deadline) {
  const Life reader = this->reader();
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
  auto settled = [&] { return state() != reader_state::elsewhere || has_failed() || credit || (credit = take_credit(bytes, policy)) || is_cut_off(); };
  // What was taken since the last receipt leaves room, too. A reader that reads answers at once; without waiting one that does not is given a moment, once.
  constexpr auto moment = std::chrono::milliseconds(2);
  const bool waits = policy == without_credit::wait_for_reader;
  if (!waits) deadline = Endpoint::require().around().now() + moment;
  while (!settled()) {
    if (!ask_for_receipt() && !waits) break;
    if (!wait_at(
            text_, [&] { return settled() || room_.answered(waits); }, deadline))
      break;
  }
  if (credit || state() != reader_state::elsewhere || !is_cut_off()) return credit;
  try {
    known.raise_gone(reader);  // process_died, if the agent tells of the death within some seconds; else gone_error
  } catch (octavo::error& e) {
    lose(reader, true);
    wake_waiters();
    e.add_context("posting to " + text_);
    throw;
  }
}

}  // namespace octavo::detail
