// SPDX-License-Identifier: Apache-2.0
// The one object through which a process, or an object on a thread, takes part: the parts that make and serve calls, put together. Who reads (polling/),
// how frames leave (sending/), calls made here (calls/), calls served here (serve/), waits that cannot end (cycle/), calls that wait for long (inquiry/),
// and the features that come in besides (feature.hpp).
//
// The thread that waits reads the connections; at most one thread reads at a time (the reader). In a server the main thread reads, and runs one method at a
// time. An endpoint needs its Surroundings only, no agent and no process: tests/schedule runs several of them beside each other.
// Threading: as the parts say.
#pragma once

#include <chrono>
#include <memory>

#include "octavo/process/runtime.hpp"
#include "process/intake.hpp"
#include "process/polling/progress_thread.hpp"

namespace octavo::detail {

class Endpoint {
 public:
  struct Options {
    runtime_reach reach = runtime_reach::scope;  // it is in force in the whole program, or only where a Use is
    std::chrono::milliseconds patience{};        // with calls that are not answered (inquiry/)
  };
  Endpoint(const Surroundings& around, const Options& options, const FeatureList& features);
  ~Endpoint() { end(); }
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // This thread's, else the program's: p->f() has no other way to it. Null without a Runtime, and in a process that was forked off the one that has it.
  static Endpoint* current() noexcept;
  static Endpoint& require();                             // throws usage_error
  [[noreturn]] static void raise_none(const char* what);  // that there is none
  // Makes an endpoint this thread's while it lives.
  class Use {
   public:
    explicit Use(Endpoint& endpoint);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

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
  template <class F>
  [[nodiscard]] F& feature() const {
    return features_.get<F>();
  }

  [[nodiscard]] Stillness& stillness() noexcept { return inquirer_.stillness(); }
  // Reads until `done`, or sleeps while another thread reads. False at the deadline.
  bool wait(const std::function<bool()>& done, road::Deadline deadline) { return poller_.wait(done, deadline); }
  void wake_waiters() noexcept { poller_.waiters().wake(); }
  // From now on what no thread waits for is read too, by one that sleeps otherwise. A server reads all the time.
  void need_progress() {
    if (!context_.serves()) progress_.need();
  }
  // The features look at what may have changed. By any thread that does not read.
  void look_around();

 private:
  void come_into_force();
  void end_force() noexcept;
  void add_frames();
  [[nodiscard]] bool is_idle();
  void read_for_nobody(const std::function<bool()>& give_way);

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
  Replies replies_;
  Inquirer inquirer_;
  ObjectServer server_;
  FrameTable frames_;
  Features features_;
  Intake intake_;
  ProgressThread progress_;
};

}  // namespace octavo::detail
