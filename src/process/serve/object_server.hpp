// SPDX-License-Identifier: Apache-2.0
// The object of an endpoint, and its methods: one at a time, in the order in which the calls arrived (C-2).
// Threading: the thread that runs methods; before_reply() by any.
#pragma once

#include "process/calls/made_calls.hpp"
#include "process/serve/object_life.hpp"
#include "process/serve/small_calls.hpp"

namespace octavo::detail {

class ObjectServer {
 public:
  struct Beside {
    std::function<bool()> is_idle;    // nothing is under way at this endpoint, as far as is known beside the calls that are served
    std::function<void()> destroyed;  // the object was, and its caller has not heard so yet
  };
  ObjectServer(const Surroundings& around, Poller& poller, CallContext& context, ServedCalls& served, Executor& executor, const Replies& replies,
               Beside beside);

  // Of an object with a name; outlives this. Before serve().
  void set_life(ObjectLife& life) noexcept {
    life_ = &life;
    asks_before_reply_ = life.asks_before_reply();
  }
  // What has the object destroyed, where its process ends in order: by the function that it is given. Before serve().
  using Finish = std::function<void(const std::function<void()>& destroy)>;
  void set_finish(Finish finish) { finish_ = std::move(finish); }
  // Returns when the object was destroyed, or its agent is gone.
  void serve();
  void run_callbacks();  // C-3: while a method waits, calls that descend from it
  // One that is the object's next to be run, or to be run within the running one. A frame of kind call, construct, destroy, save or is_a.
  void take_call(wire::Message& message, const PeerLink& from);
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& /*header*/) const noexcept { return served_.receives_in_place(); }
  // Takes a call back that has not begun.
  void take_cancel(wire::Message& message, const PeerLink& from);
  // Somebody who was connected died. An object with a name that is not constructed yet is connected with its maker only.
  void peer_died();
  // The reply to a call of a method is about to leave.
  void before_reply();
  // From within a method of it.
  void save_if_named() {
    if (life_ != nullptr && object_) life_->save(*object_);
  }
  [[nodiscard]] Hosted* object() const noexcept { return object_.get(); }
  // The promises that it kept are broken, and whoever waits for them hears of it. `destroyed`: said once its destructor has returned, before its language ends.
  void destroy_object(const std::function<void()>& destroyed = {});

 private:
  [[nodiscard]] bool must_end() const;
  [[nodiscard]] bool asked_to_passivate() const { return around_.asked_to_passivate.load(std::memory_order_acquire); }
  bool run_next();
  void run(ArrivedCall& arrived);
  void run_frame(wire::Message& message, const Method* method, const Reply& reply);
  void check_receiver(const wire::FrameHeader& header) const;
  void check_class(wire::Message& message);
  void construct(wire::Message& message, const Method& method);
  void destroy();
  void save();
  [[nodiscard]] road::Deadline idle_at(bool called = true) const;
  void say_goodbye(bool passivating);

  const Surroundings around_;
  Poller& poller_;
  CallContext& context_;
  ServedCalls& served_;
  Executor& executor_;
  const Replies& replies_;
  const Beside beside_;
  KnownMethods methods_;
  SmallCalls small_;
  std::unique_ptr<Hosted> object_;
  ObjectLife* life_ = nullptr;
  Finish finish_;
  bool asks_before_reply_ = false;
  bool ended_ = false;
  bool took_long_ = false;  // a method that has run: what has come meanwhile is looked at as a whole
};

}  // namespace octavo::detail
