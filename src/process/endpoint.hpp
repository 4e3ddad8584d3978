// SPDX-License-Identifier: Apache-2.0
// The one object through which a process, or an object on a thread, takes part: the parts that make and serve calls, put together. Which thread reads
// (polling/), how frames leave (sending/), calls made here (calls/), calls served here (serve/), waits that cannot end (cycle/), calls that wait for long
// (inquiry/), and the features that come in besides (feature.hpp).
//
// The thread that waits reads the connections; at most one thread reads at a time (the reader). In a server the main thread reads, and runs one method at a
// time. An endpoint needs its Surroundings only, no agent and no process: tests/schedule runs several of them beside each other.
// Threading: as the parts say.
#pragma once

#include "octavo/process/runtime.hpp"
#include "process/cycle/cycle_finder.hpp"
#include "process/feature.hpp"
#include "process/frame_table.hpp"
#include "process/inquiry/inquirer.hpp"
#include "process/polling/progress_thread.hpp"
#include "process/serve/object_server.hpp"

namespace octavo::detail {

class Endpoint : private PollClient {
 public:
  // `reach`: it is in force in the whole program, or only where a Use is.
  Endpoint(const Surroundings& around, runtime_reach reach, const FeatureList& features);
  ~Endpoint() { end(); }

  // This thread's, else the program's: p->f() has no other way to it. Null without a Runtime, and in a process that was forked off the one that has it.
  static Endpoint* current() noexcept;
  static Endpoint& require();                             // throws usage_error
  [[noreturn]] static void raise_none(const char* what);  // that there is none
  // Makes an endpoint this thread's while it lives.
  class Use : octavo::NoCopy {
   public:
    explicit Use(Endpoint& endpoint);
    ~Use();

   private:
    Endpoint* before_;
    unsigned life_;  // of this process (forked.hpp)
  };

  // As a server, by this thread from now on: returns when the object was destroyed.
  void serve();
  // Nothing is sent, read or answered any more, and whoever waits hears of that. The second time it does nothing.
  void end();

  [[nodiscard]] const Surroundings& around() const noexcept { return around_; }
  [[nodiscard]] CallContext& context() noexcept { return context_; }
  [[nodiscard]] Poller& poller() noexcept { return poller_; }
  [[nodiscard]] Sender& sender() noexcept { return sender_; }
  [[nodiscard]] MadeCalls& calls() noexcept { return calls_; }
  [[nodiscard]] const std::shared_ptr<Executor>& executor() const noexcept { return executor_; }
  [[nodiscard]] const ServedCalls& served() const noexcept { return served_; }
  [[nodiscard]] CycleFinder& cycles() noexcept { return cycles_; }
  [[nodiscard]] const Replies& replies() const noexcept { return replies_; }
  [[nodiscard]] Inquirer& inquirer() noexcept { return inquirer_; }
  [[nodiscard]] ObjectServer& server() noexcept { return server_; }
  [[nodiscard]] FrameTable& frames() noexcept { return frames_; }
  // Throws usage_error, if the endpoint was made without it.
  template <class F>
  [[nodiscard]] F& feature() const {
    for (const auto& each : features_)
      if (each.mark == &mark_of_feature<F>) return static_cast<F&>(*each.feature);
    throw usage_error("this endpoint was made without a feature that is asked for (src/features.cpp)");
  }

  // Reads until `done`, or sleeps while another thread reads. False at the deadline.
  bool wait(const std::function<bool()>& done, road::Deadline deadline) { return poller_.wait(done, deadline); }
  void wake_waiters() noexcept { poller_.waiters().wake(); }
  // From now on what no thread waits for is read too, by one that sleeps otherwise. A server reads all the time.
  void need_progress() {
    if (!context_.serves()) progress_.need();
  }

 private:
  void come_into_force();
  void end_force() noexcept;
  [[nodiscard]] bool is_idle();
  void tell_features();  // that something may have changed

  // --- PollClient: what the reader meets is given to the part that it concerns ---
  [[nodiscard]] wire::Message* call_buffer() override { return served_.call_buffer(); }
  [[nodiscard]] bool call_buffer_is_taken() const override { return served_.call_buffer_is_taken(); }
  void leave_call_buffer() override { served_.leave_call_buffer(); }
  bool take_small(const PeerLink& from) override { return calls_.take_small(from); }
  void take(wire::Message& message, const PeerLink& from) override { frames_.take(message, from); }
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header) override { return frames_.receives_in_place(header); }
  void damaged(const PeerLink& closed, const std::exception_ptr& why) override;
  void died(const Obituary& death) override;
  void something_changed(bool some_died) override;
  void go_on() override;
  [[nodiscard]] bool may_go_on() const override;
  road::Deadline look_around(road::Deadline deadline) override { return context_.runs_methods() ? cycles_.look(deadline) : cycles_.look_beside(deadline); }

  const Surroundings around_;
  const runtime_reach reach_;
  bool ended_ = false;
  CallContext context_;
  Poller poller_;
  Sender sender_;
  std::shared_ptr<Executor> executor_;
  MadeCalls calls_;
  ServedCalls served_;
  CycleFinder cycles_;
  LoopWaits loop_waits_;
  Replies replies_;
  Inquirer inquirer_;
  ObjectServer server_;
  FrameTable frames_;
  std::vector<MadeFeature> features_;
  ProgressThread progress_;
};

}  // namespace octavo::detail
