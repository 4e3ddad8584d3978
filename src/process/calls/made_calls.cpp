// SPDX-License-Identifier: Apache-2.0
#include "process/calls/made_calls.hpp"

#include <algorithm>

#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/context/frame_facts.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

namespace {
// Of an object with a lasting address that a call is sent to, when it ends before it has heard it. One that rests soon may do so many times, on a busy machine.
constexpr int most_lives = 100;

void log_lost(const Address& of, const std::exception_ptr& lost) {
  const auto text = "a call to process " + std::to_string(of.object) + " failed and nobody looked";
  try {
    std::rethrow_exception(lost);
  } catch (const std::exception& e) {
    log_line(text + ": " + e.what());
  } catch (...) {
    log_line(text);
  }
}

std::exception_ptr ended_before(const Address& callee) {
  return std::make_exception_ptr(gone_error("the Runtime ended before process " + std::to_string(callee.object) + " had answered"));
}
}  // namespace

MadeCalls::MadeCalls(const Surroundings& around, Poller& poller, Sender& sender, CallContext& context, Wait wait)
    : around_(around), poller_(poller), sender_(sender), context_(context), wait_(std::move(wait)) {}

// Those that wait for these calls may outlive the endpoint, and own each other: nothing is left untold.
void MadeCalls::end() {
  std::vector<PendingCall> left;
  std::multimap<Address, std::exception_ptr> lost;
  {
    std::lock_guard lock(mutex_);
    ended_.store(true, std::memory_order_relaxed);
    lost.swap(lost_errors_);
    left = pending_.take_those([](const PendingCall&) { return true; });
    count_.store(pending_.size(), std::memory_order_relaxed);
  }
  for (const auto& [of, error] : lost) log_lost(of, error);
  for (auto& call : left) call.state->fail(ended_before(call.to));
}

// --- beginning ---

void MadeCalls::begin(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out,
                      Sender::when_full how) {
  if (!start_quickly(state, to, kind, method, out)) begin_usual(state, to, kind, method, out, {how});
}

void MadeCalls::begin(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView numbers) {
  state->plain = true;
  if (start_small(state, to, method, numbers)) return;
  state->plain = false;
  wire::Outgoing out;
  out.body.append(numbers.data(), numbers.size());
  begin_usual(state, to, wire::frame_kind::call, method, out, {Sender::when_full::wait_for_room});
}

QuickCall MadeCalls::begin_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out, SendAside aside) {
  if (auto quick = try_quickly(to, method, out); quick.reply || quick.begun) return quick;
  QuickCall call{std::nullopt, std::make_shared<State<void>>()};
  // A thread that sends aside may be interrupted while it waits for the answer, not while it waits for room: then at most one frame a thread is kept.
  constexpr std::size_t most_kept = 1 << 20;
  const WhenFull full = aside != nullptr ? WhenFull{Sender::when_full::wait_then_hand_over, most_kept} : WhenFull{Sender::when_full::wait_for_room};
  const auto send = [&] { begin_usual(call.begun, to, wire::frame_kind::call, method, out, full); };
  if (aside != nullptr) aside(send);
  else send();
  return call;
}

void MadeCalls::begin_usual(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out,
                            WhenFull full) {
  if (has_ended()) {
    state->callee = to;
    return state->fail(ended_before(to));
  }
  auto link = around_.links.link_to(to);
  state->callee = to;
  sender_.fill_header(out.header, to, kind, method);
  const PagesForResend kept(around_.pool, out, link.route && to.lasting());
  pages_leave(around_.pool, out, link.route, &link.facts);
  out.seal();
  send(std::move(link), state, out, full);
}

void MadeCalls::enter(std::uint64_t call, PendingCall pending) {
  pending.state->call = call;
  {
    std::lock_guard lock(mutex_);
    if (!has_ended()) {
      pending_.enter(call, std::move(pending));
      count_.store(pending_.size(), std::memory_order_relaxed);
      return;
    }
  }
  pending.state->fail(ended_before(pending.to));  // the end came since the call began
}

// The callee may have died between our look and our entry, and its end been dealt with then: nobody else would tell this call. While the
// reader has still to deal with it, the reply may be there to be read.
void MadeCalls::fail_if_forgotten(const std::shared_ptr<StateBase>& state, const PeerLink& link, std::uint64_t call) {
  delay_point("call: looks whether its process had died");
  auto obituary = around_.links.obituary_of(link.facts);
  if (!obituary) return;
  context_.others_may_run();
  if (forget(call) != nullptr) state->fail(std::make_exception_ptr(process_died(*obituary)));
}

void MadeCalls::send(PeerLink link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out, WhenFull full) {
  constexpr std::chrono::microseconds a_moment{500};  // a reader that has nothing else to do has taken some by then
  auto& header = out.header;
  const Address to = state->callee;
  // 64 MiB of short frames are kept at most, and 64 MiB of long ones. What goes to an object with a name may have to be sent to its next life.
  constexpr std::size_t short_frame = 4096, most_short = 16384, long_frame = 1 << 18, most_long = 256;
  const std::size_t bytes = frame_bytes(out), calls = count_.load(std::memory_order_relaxed);
  const bool may_be_kept = bytes <= full.most_bytes || (bytes <= short_frame && calls < most_short) || (bytes <= long_frame && calls < most_long);
  const bool hands_over = full.how != Sender::when_full::wait_for_room && !to.lasting() && may_be_kept;
  const bool at_once = hands_over && sender_.background()->is_stalled(*link.connection);
  road::Deadline until = road::never;
  // Reads what is there, then sleeps until there is room. (The thread that reads for us may make the room: hence the time.) Another thread may be the
  // one that reads: of the connection this one asks only what any may.
  auto make_room = [&] {
    if (has_ended()) return false;  // and has failed this call
    const auto now = around_.now();
    if (hands_over && until == road::never) until = now + a_moment;
    if (at_once || now >= until) return false;
    auto room = [&link, looked = false]() mutable { return std::exchange(looked, true) && (link.connection->got_room() || link.connection->lost()); };
    poller_.wait(room, std::min(until, now + std::chrono::milliseconds(10)));
    return true;
  };
  for (int life = 1;; ++life) {
    number(header);
    enter(header.call, {state, to, link.facts.pid, header.method, header.root, false});
    delay_point("call: entered, not sent");
    try {
      link.connection->send(out, make_room);
      if (hands_over && !link.connection->flush()) sender_.background()->take_over(link.connection);
      {
        std::lock_guard lock(mutex_);
        pending_.note_sent(header.call);
      }
      sender_.count_sent(frame_bytes(out));
      if (link.route && is_queued(header.kind)) around_.board.count_call_to(link.route->slot);
      break;
    } catch (const gone_error&) {
      forget(header.call);
      const auto route = link.route;
      if (route) pages_stay(around_.pool, out, route);
      try {
        if (!to.lasting() || life == most_lives) around_.links.raise_gone(to);
        around_.links.forget(link);
        link = around_.links.link_to(to);
      } catch (...) {
        if (!route) pages_stay(around_.pool, out, route);
        throw;
      }
      if (!route) continue;
      for (const auto& page : out.pages) around_.pool.share(page);  // begin() has kept it
      pages_leave(around_.pool, out, link.route, &link.facts);
    } catch (...) {  // the connection holds what it has kept of it
      pages_left(around_.pool, out, link.route);
      throw;
    }
  }
  delay_point("call: sent, not yet looked whether its process had died");
  pages_left(around_.pool, out, link.route);
  fail_if_forgotten(state, link, header.call);
}

// --- taking back ---

bool MadeCalls::cancel(StateBase& state, road::Deadline until) {
  if (state.call == 0 || state.ready()) return false;
  const bool hopeless = until != road::never && look([&](const PendingCalls& pending) {
                          bool asked = false;
                          pending.for_each([&](const PendingCall& each) { asked = asked || (each.method == 0 && each.to == state.callee); });
                          return asked;
                        });
  auto answer = std::make_shared<State<bool>>();
  send_cancel(answer, state.call, state.callee);
  return poller_.wait([&] { return answer->ready(); }, hopeless ? around_.now() : until) && answer->take();
}

void MadeCalls::send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to) {
  wire::Outgoing out;
  out.header.root = number;
  begin(answer, to, wire::frame_kind::cancel, 0, out, Sender::when_full::wait_then_hand_over);  // it takes none while it computes
}

// --- answers ---

void MadeCalls::take(wire::Message& reply, const PeerLink& /*from*/) {
  context_.reply_came(reply.header);
  if (auto state = forget(reply.header.call)) state->complete(std::move(reply));
}

std::shared_ptr<StateBase> MadeCalls::forget(std::uint64_t call) {
  std::lock_guard lock(mutex_);
  auto entry = pending_.take(call);
  count_.store(pending_.size(), std::memory_order_relaxed);
  return entry ? std::move(entry->state) : nullptr;
}

void MadeCalls::fail(const std::exception_ptr& error, const std::function<bool(const PendingCall& call)>& concerned) {
  std::vector<PendingCall> failed;
  {
    std::lock_guard lock(mutex_);
    failed = pending_.take_those(concerned);
    count_.store(pending_.size(), std::memory_order_relaxed);
  }
  for (const auto& call : failed) {
    context_.others_may_run(call.root);  // what it had begun elsewhere
    call.state->fail(error);
  }
}

// --- what waits ---

std::size_t MadeCalls::waiting_of(std::uint64_t root) {
  if (none_waits()) return 0;
  constexpr std::size_t many = 64;  // then it is not worth counting
  return look([root](const PendingCalls& pending) {
    if (pending.size() > many) return many;
    std::size_t count = 0;
    pending.for_each([&](const PendingCall& each) { count += each.root == root ? 1 : 0; });
    return count;
  });
}

std::optional<std::string> MadeCalls::name_of(std::uint64_t call) {
  return look([call](const PendingCalls& pending) -> std::optional<std::string> {
    const auto* found = pending.find(call);
    if (found == nullptr) return std::nullopt;
    const Method* method = find_method(found->method);
    return (method != nullptr ? method->key : "a call") + " of process " + std::to_string(found->to.object);
  });
}

bool MadeCalls::do_if_none_waits(const Address& who, const std::function<void()>& part) {
  return look([&](const PendingCalls& pending) {
    bool waits = false;
    pending.for_each([&](const PendingCall& each) { waits = waits || each.to == who; });
    if (!waits) part();
    return !waits;
  });
}

void MadeCalls::keep_lost_error(const Address& of, std::exception_ptr error) noexcept {
  try {
    std::lock_guard lock(mutex_);
    lost_errors_.emplace(of, std::move(error));
  } catch (const std::bad_alloc&) {  // then it stays lost
  }
}

std::exception_ptr MadeCalls::take_lost_error(const Address& of) {
  std::lock_guard lock(mutex_);
  auto found = lost_errors_.find(of);
  if (found == lost_errors_.end()) return nullptr;
  auto error = found->second;
  lost_errors_.erase(of);
  return error;
}

}  // namespace octavo::detail
