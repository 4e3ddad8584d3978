// SPDX-License-Identifier: Apache-2.0
// The calls that have come to an object: those that wait for their turn, and those whose methods are on the stack of its thread.
//
// A call that is the only one to be run is received into a place of its own and run from there; it leaves for the queue if a method waits before its turn came.
// Threading: the thread that reads; in a server that is the thread of methods.
#pragma once

#include <deque>

#include "process/context/call_context.hpp"
#include "process/polling/poller.hpp"
#include "process/serve/origin.hpp"

namespace octavo::detail {

struct ArrivedCall {
  wire::Message message;
  Origin from;
  std::size_t queued_bytes = 0;  // as it was counted when it was queued
};

class ServedCalls {
 public:
  ServedCalls(const CallContext& context, const Poller& poller) : context_(context), poller_(poller) {}

  // --- receiving (PollClient) ---
  [[nodiscard]] wire::Message* call_buffer() {
    received_in_place_ = !reads_ahead_ && may_run_in_place() && queue_.empty();
    return received_in_place_ ? &arriving_.message : nullptr;
  }
  // Nothing more is read now.
  [[nodiscard]] bool call_buffer_is_taken() const noexcept { return arrived_ || (queued_bytes_ > most_queued && may_run_in_place()); }
  // What has come is queued, all of it up to most_queued: so a request to take a call back is seen before that call is run.
  void read_ahead(bool whether) noexcept { reads_ahead_ = whether; }
  // The next call lies where it is run from.
  [[nodiscard]] bool receives_in_place() const noexcept { return received_in_place_; }
  void leave_call_buffer() {
    if (arrived_ && !may_run_in_place()) queue_buffered();
  }
  void take(wire::Message& message, const PeerLink& from);
  // Of the next small call, which is run without a message.
  ArrivedCall& arrives_from(const PeerLink& link) {
    if (!arriving_.from.is(link, poller_.view().round())) arriving_.from = Origin(link, poller_.view().round());
    return arriving_;
  }

  // --- running ---
  // The call in its place, which is free for the next one when free_call_buffer() was called. Null: there is none.
  [[nodiscard]] ArrivedCall* in_place() noexcept { return std::exchange(arrived_, false) ? &arriving_ : nullptr; }
  void free_call_buffer() { arriving_.message.clear(); }
  std::optional<ArrivedCall> next();
  // C-3: one that descends from the call that runs.
  std::optional<ArrivedCall> next_callback();
  [[nodiscard]] bool callback_waits() const;
  // This process wants to destroy the object by a call that descends from the one that runs, and so waits until that is over.
  [[nodiscard]] bool is_to_be_destroyed_by(const Address& caller) const;
  // Out of the queue: it never runs.
  std::optional<ArrivedCall> take_back(const Address& caller, std::uint64_t call);
  struct Run {
    Address caller;
    std::uint64_t call = 0;
    unsigned depth = 0;  // how many waits there were on the stack when it began
    bool operator==(const Run&) const = default;
  };
  // Its method is on this thread's stack while this lives.
  class Running : NoCopy {
   public:
    Running(ServedCalls& calls, const Address& caller, std::uint64_t call) : calls_(calls) { calls.running_.push_back({caller, call, calls.poller_.depth()}); }
    ~Running() { calls_.running_.pop_back(); }

   private:
    ServedCalls& calls_;
  };

  // --- what is asked of them ---
  [[nodiscard]] bool none_queued() const noexcept { return queue_.empty() && !arrived_; }
  [[nodiscard]] bool none() const noexcept { return none_queued() && running_.empty(); }
  [[nodiscard]] bool is_queued(const Address& caller, std::uint64_t call) const;
  // One of its calls waits to be run.
  [[nodiscard]] bool has_from(const Address& caller) const;
  [[nodiscard]] bool waits_its_turn(const Address& caller, std::uint64_t call) const;  // queued, and no callback
  // Whose method is on top of this thread's stack; none: no method is, or this is not their thread.
  [[nodiscard]] Address running_caller() const noexcept { return context_.runs_methods() && !running_.empty() ? running_.back().caller : Address(); }
  // The same, by the thread of methods or while it has lent the role to the one that asks.
  [[nodiscard]] Run running() const { return running_.empty() ? Run() : running_.back(); }
  // How many waits there were on the stack when it began; nothing if it does not run.
  [[nodiscard]] std::optional<unsigned> depth_of_running(const Address& caller, std::uint64_t call) const;

 private:
  // Bytes; a call that is to be run while none waits leaves the rest to its sender.
  static constexpr std::size_t most_queued = std::size_t{4} << 20;
  // Nothing runs on this thread's stack that might still look at what lies in the place.
  [[nodiscard]] bool may_run_in_place() const noexcept { return context_.runs_methods() && poller_.depth() == 0 && running_.empty(); }
  void queue_buffered();
  [[nodiscard]] std::deque<ArrivedCall>::const_iterator find(const Address& caller, std::uint64_t call) const;
  std::optional<ArrivedCall> take_out(std::deque<ArrivedCall>::const_iterator at);

  const CallContext& context_;
  const Poller& poller_;
  ArrivedCall arriving_;  // the call that came while nothing was to be done
  bool arrived_ = false;  // it is there
  bool received_in_place_ = false, reads_ahead_ = false;
  std::size_t queued_bytes_ = 0;
  std::deque<ArrivedCall> queue_;
  std::vector<Run> running_;
};

}  // namespace octavo::detail
