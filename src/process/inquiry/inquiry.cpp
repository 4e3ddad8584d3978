// SPDX-License-Identifier: Apache-2.0
#include "process/inquiry/inquiry.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "machine/board/still.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/endpoint.hpp"
#include "process/serve/owed_replies.hpp"

namespace octavo::detail {

std::chrono::milliseconds inquiry_patience() {
  constexpr double usual = 60, least = 0.04, most = 86400;
  const char* told = std::getenv("OCTAVO_PATIENCE");
  const double seconds = told != nullptr ? std::strtod(told, nullptr) : usual;
  return std::chrono::milliseconds(static_cast<std::int64_t>(1000 * (seconds >= least && seconds <= most ? seconds : usual)));
}

std::vector<Inquiries::Asked> Inquiries::due(const PendingCalls& pending, std::uint64_t next) {
  std::vector<Asked> calls;  // a heap with the latest in front, of the first ones behind those that were asked last
  const auto below = std::exchange(below_, next);
  auto earlier = [](const Asked& one, const Asked& other) { return one.call < other.call; };
  pending.for_each([&](const PendingCall& each) {
    const auto number = each.state->call;
    if (number >= below || number <= after_ || !each.sent) return;
    calls.push_back({number, each.to, each.life, each.method});
    std::push_heap(calls.begin(), calls.end(), earlier);
    if (calls.size() <= most_at_once) return;
    std::pop_heap(calls.begin(), calls.end(), earlier);
    calls.pop_back();
  });
  after_ = calls.size() == most_at_once ? calls.front().call : 0;
  std::lock_guard lock(mutex_);
  std::erase_if(doubts_, [&](const auto& each) { return pending.find(each.first) == nullptr; });
  return calls;
}

bool Inquiries::doubt(std::uint64_t call, doubt_of why, int most) {
  std::lock_guard lock(mutex_);
  auto& doubts = doubts_[call];
  if (std::exchange(doubts.why, why) != why) doubts.count = 0;
  return ++doubts.count >= most;
}

void Inquiries::trust(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  doubts_.erase(call);
}

bool Inquiries::ask(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  return !std::exchange(doubts_[call].asked, true);
}

void Inquiries::answered(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  doubts_[call].asked = false;
}

bool Inquiries::tell_once(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  return !std::exchange(doubts_[call].told, true);
}

// By the watch thread, before it inquires. The reader looks at its connections once more: what came before has been seen when it has.
void Endpoint::find_stillness() {
  auto& row = peers_.row();
  Stillness::Facts facts;
  facts.counters = row.activity();
  facts.may_go_on = row.computes() || facts.counters[0] > facts.counters[1] || executor_->has() || peers_.agent().has_asked();
  facts.looked_version = peers_.links().looked_at();
  row.show_still(stillness_.round(facts, peers_.links().version() + 1));
  peers_.links().something_changed();
}

// By the watch thread. What is found lost is failed by the thread that reads, which runs what waits for it.
void Endpoint::inquire() {
  std::vector<Inquiries::Asked> due;
  const auto next = next_call_.load(std::memory_order_relaxed);
  if (pending_count_.load(std::memory_order_relaxed) == 0) return inquiries_.nothing_waits(next);
  {
    std::lock_guard lock(pending_mutex_);
    due = inquiries_.due(pending_, next);
  }
  for (const auto& call : due) {
    const auto link = peers_.links().link_if_there(call.to, call.life);
    if (link && !link->connection->lost()) {
      if (!inquiries_.ask(call.call)) continue;
      wire::Outgoing out;
      fill_header(out.header, call.to, wire::frame_kind::inquiry, call.method);
      out.header.call = call.call;
      send_inquiry(*link, out);
    } else if (!peers_.links().obituary_of(call.to) && !call.to.lasting() && inquiries_.doubt(call.call, Inquiries::doubt_of::lost, Inquiries::most_lost)) {
      std::lock_guard lock(lost_mutex_);
      lost_calls_.push_back(call);
      peers_.links().something_changed();
    }
  }
}

void Endpoint::send_inquiry(const PeerLink& to, wire::Outgoing& out) {
  out.seal();
  try {
    to.connection->send(out, road::keep_rest);
  } catch (const gone_error&) {  // the next round finds that the connection is lost
  }
}

// It can go on only by being called, as far as Octavo knows.
bool Endpoint::is_stalled() const {
  return running_.empty() && queue_.empty() && !arrived_ && !executor_->has() && pending_count_.load() == 0 && stillness_.rounds() > 0;
}

call_fate Endpoint::fate_of(const Address& caller, std::uint64_t call) const {
  auto runs = [&](const Running& each) { return each.call == call && each.caller == caller; };
  auto waits = [&](const Arrived& each) { return each.message.header.call == call && each.from.caller() == caller; };
  if (std::any_of(running_.begin(), running_.end(), runs)) return call_fate::running;
  if (std::any_of(queue_.begin(), queue_.end(), waits) || (arrived_ && waits(arriving_))) return call_fate::queued;
  if (!owed_replies_->has(caller, call)) return call_fate::unknown;
  return is_stalled() ? call_fate::stalled : call_fate::owed;
}

void Endpoint::take_inquiry(const wire::Message& message, const PeerLink& from) {
  const auto fate = static_cast<call_fate>(message.header.flags);
  const auto number = message.header.call;
  if (fate == call_fate::asked) {
    wire::Outgoing out;
    fill_header(out.header, from.facts.address, wire::frame_kind::inquiry, message.header.method);
    out.header.call = number;
    out.header.flags = static_cast<std::uint8_t>(fate_of(from.facts.address, number));
    return send_inquiry(from, out);
  }
  inquiries_.answered(number);
  if (fate == call_fate::stalled || fate == call_fate::owed) return take_doubt(number, fate);
  if (fate != call_fate::unknown) return inquiries_.trust(number);
  if (inquiries_.doubt(number, Inquiries::doubt_of::unknown, Inquiries::most_unknown))
    fail_lost(number, "that process has it neither in its queue, nor runs it, nor owes its answer");
}

// By the thread that reads.
void Endpoint::fail_lost_calls() {
  std::vector<Inquiries::Asked> lost;
  if (peers_.links().deaths_wait()) return;  // they come first; the next round finds again what they do not explain
  {
    std::lock_guard lock(lost_mutex_);
    lost.swap(lost_calls_);
  }
  for (const auto& call : lost)
    if (auto link = peers_.links().link_if_there(call.to, call.life); !link || link->connection->gone())  // else its last words are still to be read
      fail_lost(call.call, "the connection with that process is lost, and its agent does not say that it died");
}

std::string Endpoint::waiter() const {
  return facts().class_name + " (process " + std::to_string(facts().address.object) + ", pid " + std::to_string(facts().pid) + ")";
}

void Endpoint::fail_lost(std::uint64_t call, const std::string& why) {
  {
    std::lock_guard lock(pending_mutex_);
    if (pending_.find(call) == nullptr) return;
  }
  const auto text = waiter() + " waited for an answer that will never come, to " + name_of_call(call) + ": " + why;
  log_line(text);
  fail_one(call, std::make_exception_ptr(gone_error(text, "This is a fault in Octavo: report it with these lines and what 'octavo ps' shows")));
}

void Endpoint::fail_one(std::uint64_t call, const std::exception_ptr& error) {
  fail_pending(error, [call](const PendingCall& each) { return each.state->call == call; });
  wake_waiters();
}

// The callee owes the answer. The end of a chain of such calls fails first; a circle of coroutines that wait for each other has none.
void Endpoint::take_doubt(std::uint64_t call, call_fate fate) {
  const bool stalled = fate == call_fate::stalled;
  if (!inquiries_.doubt(call, stalled ? Inquiries::doubt_of::stalled : Inquiries::doubt_of::owed, stalled ? Inquiries::most_stalled : Inquiries::most_owed))
    return;
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  const auto recent = static_cast<std::uint64_t>(host_->patience() / std::chrono::nanoseconds(1)) / 2;
  const auto& board = peers_.board().all();
  if (board::all_stand_still(board, Inquiries::rounds_of_stillness, now - std::min(now, recent))) {
    {
      std::lock_guard lock(pending_mutex_);
      if (pending_.find(call) == nullptr) return;
    }
    const auto text = waiter() + " waits for " + name_of_call(call) + ", which nobody can answer any more: all processes of this program are idle. " +
                      board::text_of_waits(board, now);
    return fail_one(call,
                    std::make_exception_ptr(call_stalled(
                        text, "Look for a promise that is never kept. If something outside of Octavo is to keep it, set OCTAVO_PATIENCE to more seconds")));
  }
  if (stalled && inquiries_.tell_once(call))
    log_line(waiter() + " waits for " + name_of_call(call) + " for long, which has begun there, and that process is idle: only another call can answer it");
}

}  // namespace octavo::detail
