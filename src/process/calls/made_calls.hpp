// SPDX-License-Identifier: Apache-2.0
// The calls that are made at an endpoint: they are numbered and sent here, and wait for their replies.
//
// Contract: each call that was entered is answered once: by its reply, by the death of its callee, or by the end of the endpoint (C-1, C-11).
// Threading: any; what takes replies is the reader's. Failure: process_died, gone_error.
#pragma once

#include "octavo/base/poll_budget.hpp"
#include "octavo/process/detail/exchange.hpp"
#include "octavo/process/detail/quick_call.hpp"
#include "process/calls/pending_calls.hpp"
#include "process/sending/sender.hpp"

namespace octavo::detail {

class MadeCalls : NoCopy {
 public:
  // Waits until a state is ready.
  using Wait = std::function<bool(StateBase& state, road::Deadline deadline)>;
  MadeCalls(const Surroundings& around, Poller& poller, Sender& sender, CallContext& context, Wait wait);

  // Each tries the short way (calls/quick.cpp) once, then goes the usual one. Where there is no room on that: waits, or hands the call over to the background
  // sender, as long as not too much is kept so.
  void begin(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out,
             Sender::when_full how = Sender::when_full::wait_for_room);
  // Of a method that takes and gives a few numbers: the state is `plain` where its numbers come back to set_plain().
  void begin(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView numbers);
  // Its caller waits, for no longer than the short way is looked at. Throws what the call threw, and as begin().
  QuickCall begin_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out, SendAside aside = nullptr);
  // Of a few numbers; waits for what comes back, which fills `result`.
  void call(const Address& to, std::uint64_t method, ByteView numbers, ByteSpan result);
  // Takes a call back that has not begun: true if it will never run; its state is ready then, with `cancelled`.
  // False also where its object has not said so in time. What it has not answered before, it is not waited for with a deadline.
  bool cancel(StateBase& state, road::Deadline until = road::never);
  // The request of cancel(), without waiting for its answer.
  void send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to);

  // --- answers, by the reader ---
  void take(wire::Message& reply, const PeerLink& from);  // a frame of kind reply or error
  bool take_small(const PeerLink& from);
  void fail(const std::exception_ptr& error, const std::function<bool(const PendingCall& call)>& concerned);
  // Null: it was answered.
  std::shared_ptr<StateBase> forget(std::uint64_t call);
  // Errors that nobody has looked at are logged, and every call that waits fails, as does each that is begun from now on.
  void end();

  // --- what waits ---
  [[nodiscard]] bool none_waits() const noexcept { return count_.load(std::memory_order_relaxed) == 0; }
  [[nodiscard]] std::uint64_t next_number() const noexcept { return next_.load(std::memory_order_relaxed); }
  // `look(pending)` with the lock held.
  template <class Look>
  auto look(Look look) {
    std::lock_guard lock(mutex_);
    return look(pending_);
  }
  [[nodiscard]] std::size_t waiting_of(std::uint64_t root);  // that descend from it; of very many about
  // Nothing: it was answered.
  [[nodiscard]] std::optional<std::string> name_of(std::uint64_t call);
  // Does `part`, and gives true, if no call to that object waits; none begins meanwhile.
  bool do_if_none_waits(const Address& who, const std::function<void()>& part);

  // The errors of calls whose futures were dropped.
  void keep_lost_error(const Address& of, std::exception_ptr error) noexcept;
  std::exception_ptr take_lost_error(const Address& of);

 private:
  // Each time it is sent: what it descends from, and its place there (C-3). The root of a cancel is the call that it is for.
  template <class Frame>
  void number(Frame& frame) {
    frame.call = next_.fetch_add(1, std::memory_order_relaxed);
    const auto root = context_.root();
    if (frame.kind != wire::frame_kind::cancel) frame.root = root != 0 ? root : root_of(around_.self.address, frame.call);
    frame.flags = static_cast<std::uint8_t>((frame.flags & flag_to_all) | context_.depth_of_next_call());
  }
  template <class Frame>
  void enter(const std::shared_ptr<StateBase>& state, const PeerLink& link, const Frame& call) {
    enter(call.call, {state, state->callee, link.facts.pid, call.method, call.root});
  }
  void enter(std::uint64_t call, PendingCall pending);  // or fails it, if the end has come
  [[nodiscard]] bool has_ended() const noexcept { return ended_.load(std::memory_order_relaxed); }
  struct WhenFull {
    Sender::when_full how;
    std::size_t most_bytes = 0;  // a frame of up to so many is handed over, however many are
  };
  void begin_usual(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out, WhenFull full);
  class Call;
  void send(PeerLink& link, const std::shared_ptr<StateBase>& state, wire::Outgoing& out, WhenFull full);
  void fail_if_forgotten(const std::shared_ptr<StateBase>& state, const PeerLink& link, std::uint64_t call);
  // calls/quick.cpp. What gives false, null or an empty QuickCall has sent nothing.
  [[nodiscard]] bool may_go_quickly(const Address& to) const;
  [[nodiscard]] int polls_now() const noexcept;
  template <class Send>
  const PeerLink* send_by_lane(const Address& to, std::size_t bytes, Send send);
  const PeerLink* send_quickly(const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  bool start_quickly(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, std::uint64_t method, wire::Outgoing& out);
  QuickCall try_quickly(const Address& to, std::uint64_t method, wire::Outgoing& out);
  QuickCall await_quickly(const PeerLink& link, const Address& to, const wire::FrameHeader& header, int polls);
  bool receive_answer(const PeerLink& from, std::uint64_t call, wire::Message& into);
  wire::SmallFrame numbered(std::uint64_t method, ByteView numbers);
  const PeerLink* send_small(const Address& to, const wire::SmallFrame& frame);
  bool start_small(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method, ByteView numbers);
  bool call_small(const Address& to, std::uint64_t method, ByteView numbers, ByteSpan result);
  void read_some(std::uint64_t number, const PeerLink& link);

  const Surroundings around_;
  Poller& poller_;
  Sender& sender_;
  CallContext& context_;
  const Wait wait_;
  BiasedLock mutex_;
  PendingCalls pending_;
  std::atomic<std::size_t> count_{0};  // of pending_; a thread that looks without the lock sees at least its own
  std::atomic<std::uint64_t> next_{1};
  std::atomic<bool> ended_{false};  // set with the lock held
  std::multimap<Address, std::exception_ptr> lost_errors_;
  PollBudget polls_{PollBudget::answer};  // of the short way; of the reader
};

}  // namespace octavo::detail
