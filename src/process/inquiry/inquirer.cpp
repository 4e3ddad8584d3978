// SPDX-License-Identifier: Apache-2.0
#include "process/inquiry/inquirer.hpp"

#include <algorithm>

#include "machine/board/still.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

namespace {

void send_inquiry(const PeerLink& to, wire::Outgoing& out) {
  out.seal();
  try {
    to.connection->send(out, road::keep_rest);
  } catch (const gone_error&) {  // the next round finds that the connection is lost
  }
}

}  // namespace

Inquirer::Inquirer(const Surroundings& around, Waiters& waiters, MadeCalls& calls, const Sender& sender, const ServedCalls& served,
                   std::shared_ptr<Executor> executor, std::shared_ptr<OwedReplies> owed, std::chrono::milliseconds patience)
    : around_(around),
      waiters_(waiters),
      calls_(calls),
      sender_(sender),
      served_(served),
      executor_(std::move(executor)),
      owed_(std::move(owed)),
      patience_(patience) {}

void Inquirer::round() {
  find_stillness();
  inquire();
}

// By the watch thread, before it inquires. The reader looks at its connections once more: what came before has been seen when it has.
void Inquirer::find_stillness() {
  auto& row = around_.row;
  Stillness::Facts facts;
  facts.counters = row.activity();
  facts.may_go_on =
      around_.links.reaches_given_up() || row.computes() || facts.counters[0] > facts.counters[1] || executor_->has() || around_.agent.has_asked();
  facts.board = &around_.board.all();
  facts.looked_version = around_.links.looked_at();
  row.show_still(stillness_.round(facts, around_.links.version() + 1));
  around_.links.something_changed();
}

// By the watch thread. What is found lost is failed by the thread that reads, which runs what waits for it.
void Inquirer::inquire() {
  const auto next = calls_.next_number();
  if (calls_.none_waits()) return inquiries_.nothing_waits(next);
  const auto due = calls_.look([&](const PendingCalls& pending) { return inquiries_.due(pending, next); });
  for (const auto& call : due) {
    const auto link = around_.links.link_if_there(call.to, call.life);
    if (link && !link->connection->lost()) {
      if (!inquiries_.ask(call.call)) continue;
      wire::Outgoing out;
      sender_.fill_header(out.header, call.to, wire::frame_kind::inquiry, call.method);
      out.header.call = call.call;
      send_inquiry(*link, out);
    } else if (!around_.links.obituary_of(call.to) && !call.to.lasting() && inquiries_.doubt(call.call, Inquiries::doubt_of::lost, Inquiries::most_lost)) {
      std::lock_guard lock(lost_mutex_);
      lost_calls_.push_back(call);
      around_.links.something_changed();
    }
  }
}

// It can go on only by being called, as far as Octavo knows.
bool Inquirer::is_stalled() const { return served_.none() && !executor_->has() && calls_.none_waits() && stillness_.rounds() > 0; }

call_fate Inquirer::fate_of(const Address& caller, std::uint64_t call) const {
  if (served_.depth_of_running(caller, call)) return call_fate::running;
  if (served_.is_queued(caller, call)) return call_fate::queued;
  if (!owed_->has(caller, call)) return call_fate::unknown;
  return is_stalled() ? call_fate::stalled : call_fate::owed;
}

void Inquirer::take(const wire::Message& message, const PeerLink& from) {
  const auto fate = static_cast<call_fate>(message.header.flags);
  const auto number = message.header.call;
  if (fate == call_fate::asked) {
    wire::Outgoing out;
    sender_.fill_header(out.header, from.facts.address, wire::frame_kind::inquiry, message.header.method);
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
void Inquirer::fail_lost_calls() {
  std::vector<Inquiries::Asked> lost;
  if (around_.links.deaths_wait()) return;  // they come first; the next round finds again what they do not explain
  {
    std::lock_guard lock(lost_mutex_);
    lost.swap(lost_calls_);
  }
  for (const auto& call : lost)
    if (auto link = around_.links.link_if_there(call.to, call.life); !link || link->connection->gone())  // else its last words are still to be read
      fail_lost(call.call, "the connection with that process is lost, and its agent does not say that it died");
}

std::string Inquirer::waiter() const {
  return around_.self.class_name + " (process " + std::to_string(around_.self.address.object) + ", pid " + std::to_string(around_.self.pid) + ")";
}

void Inquirer::fail_lost(std::uint64_t call, const std::string& why) {
  const auto name = calls_.name_of(call);
  if (!name) return;
  const auto text = waiter() + " waited for an answer that will never come, to " + *name + ": " + why;
  log_line(text);
  fail_one(call, std::make_exception_ptr(gone_error(text, "This is a fault in Octavo: report it with these lines and what 'octavo ps' shows")));
}

void Inquirer::fail_one(std::uint64_t call, const std::exception_ptr& error) {
  calls_.fail(error, [call](const PendingCall& each) { return each.state->call == call; });
  waiters_.wake();
}

std::optional<std::string> Inquirer::waits_of_idle_program() const {
  const auto now = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
  const auto recent = static_cast<std::uint64_t>(patience_ / std::chrono::nanoseconds(1)) / 2;
  const auto& board = around_.board.all();
  if (!board::all_stand_still(board, Inquiries::rounds_of_stillness, now - std::min(now, recent))) return std::nullopt;
  return "all processes of this program are idle. " + board::text_of_waits(board, now);
}

// The callee owes the answer. The end of a chain of such calls fails first; a circle of coroutines that wait for each other has none.
void Inquirer::take_doubt(std::uint64_t call, call_fate fate) {
  const bool stalled = fate == call_fate::stalled;
  if (!inquiries_.doubt(call, stalled ? Inquiries::doubt_of::stalled : Inquiries::doubt_of::owed, stalled ? Inquiries::most_stalled : Inquiries::most_owed))
    return;
  if (const auto waits = waits_of_idle_program()) {
    const auto name = calls_.name_of(call);
    if (!name) return;
    const auto text = waiter() + " waits for " + *name + ", which nobody can answer any more: " + *waits;
    return fail_one(call,
                    std::make_exception_ptr(call_stalled(
                        text, "Look for a promise that is never kept. If something outside of Octavo is to keep it, set OCTAVO_PATIENCE to more seconds")));
  }
  if (stalled && inquiries_.tell_once(call))
    log_line(waiter() + " waits for " + calls_.name_of(call).value_or("a call") +
             " for long, which has begun there, and that process is idle: only another call can answer it");
}

}  // namespace octavo::detail
