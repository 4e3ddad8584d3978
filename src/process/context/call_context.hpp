// SPDX-License-Identifier: Apache-2.0
// Which call an endpoint's thread of methods runs, and what that says of the calls made meanwhile: they descend from the same root, one level deeper
// (C-2, C-3).
//
// "Others may run" means: something of the running call's root may go on elsewhere, and no reply will tell when it ends (cycle/cycle.cpp).
// Threading: the thread of methods writes; the others ask, and learn that they are not that thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>

#include "octavo/base/no_copy.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/wire/call_to_all.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

// Tells a call and what descends from it from those of all other processes, on whatever machine. Never 0.
[[nodiscard]] std::uint64_t root_of(const Address& caller, std::uint64_t call) noexcept;

class CallContext {
 public:
  // From now on this thread is the one of the endpoint's methods.
  void serve_here() noexcept { serving_ = std::this_thread::get_id(); }
  [[nodiscard]] bool serves() const noexcept { return serving_ != std::thread::id(); }
  [[nodiscard]] bool runs_methods() const noexcept { return serving_ == std::this_thread::get_id(); }  // this thread does

  // What runs on this thread belongs to no method: a thread of the object's own began it, and what follows a co_await may go on there, beside the methods.
  [[nodiscard]] bool runs_for_a_thread() const noexcept { return serves() && (!runs_methods() || for_a_thread_); }

  // Of what runs on this thread; 0: nothing, or this is not the thread of methods.
  [[nodiscard]] std::uint64_t root() const noexcept { return runs_methods() ? root_ : 0; }
  [[nodiscard]] bool runs(std::uint64_t root) const noexcept { return runs_methods() && root == root_; }
  // Which call to all members of a group that is, or descends from.
  [[nodiscard]] CallToAll to_all() const noexcept { return runs_methods() ? to_all_ : CallToAll(); }
  // For the header's flags of a call that is made now: how far it descends from its root, which has 1; 0: not known.
  [[nodiscard]] std::uint8_t depth_of_next_call() const noexcept;
  // C-3: what descends from the call that runs here may overtake those that wait. Its siblings, which the same method made after it, may not (C-2), nor
  // may what ends the object under it.
  [[nodiscard]] bool is_callback(const wire::FrameHeader& call) const noexcept;
  // The running call is the root itself.
  [[nodiscard]] bool root_began_here() const noexcept { return root_began_here_; }

  void others_may_run() noexcept {
    if (runs_methods()) others_may_run_.store(true, std::memory_order_relaxed);
  }
  // What descends from this root may, say as a reply told. Another thread that reads does not know which root runs.
  void others_may_run(std::uint64_t root) noexcept {
    if (runs(root) || (serves() && !runs_methods())) others_may_run_.store(true, std::memory_order_relaxed);
  }
  template <class Frame>
  void reply_came(const Frame& reply) noexcept {
    if (reply.flags == wire::flag_more_may_run) others_may_run(reply.root);
  }
  [[nodiscard]] bool may_others_run() const noexcept { return others_may_run_.load(std::memory_order_relaxed); }

  // A call of this root runs on this thread. Until more is known, others of its root may run elsewhere.
  class Scope : NoCopy {
   public:
    Scope(CallContext& context, std::uint64_t root, std::uint8_t flags = 0, const CallToAll& to_all = {}) noexcept
        : context_(context),
          before_(std::exchange(context.root_, root)),
          depth_before_(std::exchange(context.depth_, depth_in(flags))),
          to_all_before_(std::exchange(context.to_all_, to_all)),
          for_a_thread_before_(std::exchange(context.for_a_thread_, false)) {
      if (!outermost()) return;
      context.others_may_run_.store(true, std::memory_order_relaxed);
      context.root_began_here_ = false;
    }
    ~Scope() {
      context_.root_ = before_;
      context_.depth_ = depth_before_;
      context_.to_all_ = to_all_before_;
      context_.for_a_thread_ = for_a_thread_before_;
    }
    void runs_for_a_thread() noexcept { context_.for_a_thread_ = true; }
    [[nodiscard]] bool outermost() const noexcept { return before_ == 0; }
    // Of a call that was just received, and is the only one here: nothing of its root runs elsewhere because of this process.
    void nothing_else_runs(bool root_began_here) noexcept {
      if (!outermost()) return;
      context_.others_may_run_.store(false, std::memory_order_relaxed);
      context_.root_began_here_ = root_began_here;
    }

   private:
    CallContext& context_;
    std::uint64_t before_;
    std::uint8_t depth_before_;
    CallToAll to_all_before_;
    bool for_a_thread_before_;
  };

 private:
  static constexpr std::uint8_t depth_in(std::uint8_t flags) noexcept { return flags & static_cast<std::uint8_t>(~flag_to_all); }
  std::thread::id serving_{};
  std::uint64_t root_ = 0;
  std::uint8_t depth_ = 0;  // 0: not known
  CallToAll to_all_;
  bool root_began_here_ = false, for_a_thread_ = false;
  std::atomic<bool> others_may_run_{false};
};

}  // namespace octavo::detail
