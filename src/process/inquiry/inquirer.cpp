// SPDX-License-Identifier: Apache-2.0
#include "process/inquiry/inquirer.hpp"

#include <algorithm>

#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"

namespace octavo::detail {

namespace {

const char* const report = "this is a fault in Octavo: report it with these lines and what 'octavo ps' shows";

void send_inquiry(const PeerLink& to, wire::Outgoing& out) {
  out.seal();
  try {
    to.connection->send(out, road::keep_rest);
  } catch (const gone_error&) {  // the next round finds that the connection is lost
  }
}

}  // namespace

Inquirer::Inquirer(const Surroundings& around, Waiters& waiters, MadeCalls& calls, const Sender& sender, const ServedCalls& served,
                   std::shared_ptr<OwedReplies> owed)
    : around_(around), waiters_(waiters), calls_(calls), sender_(sender), served_(served), owed_(std::move(owed)) {}

// Of coroutines and futures no thread waits for what they wait for.
void Inquirer::show_oldest(const std::vector<Inquiries::Asked>& due) {
  const auto oldest = std::min_element(due.begin(), due.end(), [](const auto& one, const auto& other) { return one.call < other.call; });
  const bool suspended = owed_->size() != 0 && !around_.row.runs_method();
  const auto call = oldest != due.end() && suspended ? *oldest : Inquiries::Asked();
  calls_.look([&](PendingCalls& pending) { pending.show(call.call, around_.row, call.since); });
}

// What is found lost is failed by the thread that reads, which runs what waits for it.
void Inquirer::round() {
  const auto next = calls_.next_number();
  const auto now = around_.now();
  if (calls_.none_waits()) return inquiries_.nothing_waits(next, now);
  const auto due = calls_.look([&](const PendingCalls& pending) { return inquiries_.due(pending, next, now); });
  show_oldest(due);
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

call_fate Inquirer::fate_of(const Address& caller, std::uint64_t call) const {
  if (served_.depth_of_running(caller, call)) return call_fate::running;
  if (served_.is_queued(caller, call)) return call_fate::queued;
  return owed_->has(caller, call) ? call_fate::owed : call_fate::unknown;
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
  if (fate != call_fate::unknown) return inquiries_.trust(number);
  if (inquiries_.doubt(number, Inquiries::doubt_of::unknown, Inquiries::most_unknown))
    fail_lost(number, "that process has it neither in its queue, nor runs it, nor owes its answer", std::string("As it seems, ") + report);
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
      fail_lost(call.call, "the connection with that process is lost, and its agent does not say that it died",
                std::string("If a method there runs another program in its place (exec), let it start a child instead. Else ") + report);
}

void Inquirer::fail_lost(std::uint64_t call, const std::string& why, const std::string& cure) {
  const auto name = calls_.name_of(call);
  if (!name) return;
  const auto& self = around_.self;
  const auto text = self.class_name + " (process " + std::to_string(self.address.object) + ", pid " + std::to_string(self.pid) +
                    ") waited for an answer that will never come, to " + *name + ": " + why;
  log_line(text);
  calls_.fail(std::make_exception_ptr(gone_error(text, cure)), [call](const PendingCall& each) { return each.state->call == call; });
  waiters_.wake();
}

}  // namespace octavo::detail
