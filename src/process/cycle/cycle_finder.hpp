// SPDX-License-Identifier: Apache-2.0
// Finds cycles of waits that cannot make progress (C-3), by probes between the processes that wait: cycle.cpp says how and why it is right, verdict.cpp what a
// found cycle does, wait.cpp how a thread waits.
// Threading: wait_for() by any thread; the rest by the reader.
#pragma once

#include "process/calls/made_calls.hpp"
#include "process/cycle/loop_waits.hpp"
#include "process/cycle/owed_group_messages.hpp"
#include "process/cycle/unanswered.hpp"
#include "process/serve/executor.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

class CycleFinder {
 public:
  CycleFinder(const Surroundings& around, Poller& poller, MadeCalls& calls, CallContext& context, const ServedCalls& served,
              std::shared_ptr<Executor> executor);
  // Outlives this. Before the endpoint reads.
  void set_group_messages(const OwedGroupMessages& group_messages) noexcept { group_messages_ = &group_messages; }
  void set_loop_waits(LoopWaits& waits) noexcept { loop_.waits = &waits; }
  [[nodiscard]] LoopWaits& loop_waits() const noexcept { return *loop_.waits; }

  // Until the call's result is there. False at the deadline.
  bool wait_for(StateBase& state, road::Deadline deadline);
  // When to look again, at the latest: the time of the next probe, which is sent if it has come.
  road::Deadline look(road::Deadline deadline);
  // The same, by a thread that reads while the one of methods has lent it the role.
  road::Deadline look_beside(road::Deadline deadline);
  // A frame of kind `probe`.
  void take(wire::Message& message, const PeerLink& from);
  [[nodiscard]] Unanswered& unanswered() noexcept { return unanswered_; }
  // When a reply leaves: whether what descends from this root may still run, here or elsewhere. `before`: whether it could when its method returned.
  [[nodiscard]] bool others_may_run(std::uint64_t root, bool before);

  // What the method that runs waits for, without a deadline, while this lives: a state, or a group message of a member. Neither: nothing that is known.
  class Wait;

 private:
  struct Awaited {
    const StateBase* state = nullptr;
    const AwaitedGroupMessage* group_message = nullptr;
    std::uint64_t number = 0;
    unsigned depth = 0;  // of the waits on this thread's stack
    road::Deadline next_probe;
    std::unique_ptr<CycleSearch> search;
    [[nodiscard]] bool known() const noexcept { return state != nullptr || group_message != nullptr; }
  };
  struct Way {  // along which a probe goes
    Life to;
    std::uint64_t call;  // 0: for a group message
    Choices choices;
    const char* how = "";
  };
  struct Loop {  // of the method that runs
    LoopWaits* waits = nullptr;
    std::uint64_t round = 0;
    road::Deadline next_probe;
    Passed passed;
  };
  template <class WaitUntil>
  bool wait_shown(const StateBase& state, road::Deadline deadline, const WaitUntil& wait_until);
  bool wait_for_promise(StateBase& state, road::Deadline deadline);
  bool collect_ways(const StateBase& state, std::uint64_t wait, const Choices& choices, std::vector<Way>& ways);
  std::vector<Way> ways_of_wait();
  bool is_due(road::Deadline& next_probe) const;
  void send_probes(std::uint64_t wait, std::uint64_t round, const std::vector<Way>& ways);
  void take_for_unanswered(const Probe& probe, Unanswered::Call& call, const PeerLink& from);
  void take_for_other(Probe& probe, std::uint64_t call, const PeerLink& from);
  void pass_through(const Probe& probe, const PeerLink& from);
  void pass_on(Probe probe, const Way& way);
  void pass_by(const Probe& probe, Unanswered::Call& call, const PeerLink& from);
  std::string machine_of(const Life& whom);
  void send_probe(const Life& to, wire::Outgoing& out);
  [[nodiscard]] bool is_held_back(const Unanswered::Call& call) const;
  bool call_waits(Probe& probe, std::uint64_t call, const PeerLink& from);
  bool group_message_waits(Probe& probe, const PeerLink& from);
  bool nobody_else_may_run();
  // loop.cpp
  std::vector<Way> ways_of_loop();
  void take_beside(const Probe& probe, std::uint64_t call, const PeerLink& from);
  // verdict.cpp
  void fail(const Way& way, const std::string& members);
  void take_back(const Probe& probe, const PeerLink& from);
  void take_verdict(wire::Message& message, const PeerLink& from);
  void tell_askers(const std::set<Address>& askers, const Verdict& verdict);

  const Surroundings around_;
  Poller& poller_;
  MadeCalls& calls_;
  CallContext& context_;
  const ServedCalls& served_;
  const std::shared_ptr<Executor> executor_;
  const OwedGroupMessages* group_messages_ = nullptr;
  Awaited awaited_;  // by the method that runs
  Loop loop_;
  std::uint64_t waits_ = 0;
  Unanswered unanswered_;
};

class CycleFinder::Wait : NoCopy {
 public:
  Wait(CycleFinder& finder, const StateBase* state, const AwaitedGroupMessage* group_message);
  ~Wait();
  // Set when what waits for a group message was found to be in a cycle.
  [[nodiscard]] std::exception_ptr cycle() const { return mine_ && finder_.awaited_.search ? finder_.awaited_.search->cycle : nullptr; }

 private:
  CycleFinder& finder_;
  bool mine_;  // this thread runs methods: of others nothing is known
  Awaited before_;
};

}  // namespace octavo::detail
