// SPDX-License-Identifier: Apache-2.0
// Objects with names: kept by the lasting agent of a machine, which starts their processes when somebody calls, and starts them again after an accident
// as the policy of each says.
//
//   NamedObjects objects(identity, registry, processes, spawn::start, fulfil);
//   requester->connect(objects.make(spawn));
//   objects.open(requester, open);        // connected when its process says Ready, or told why it cannot be
//   objects.settle(dead, obituary);       // its process ended
//
// Threading: the agent's. Failure: as Registry; refused while this agent ends.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/lasting/restart_budget.hpp"
#include "machine/registry/registry.hpp"

namespace octavo::agent {

class NamedObjects {
 public:
  // Fulfils a request again, from the beginning.
  using Fulfil = std::function<void(const RequesterPtr& requester, const control::Notice& request)>;
  NamedObjects(const Identity& self, Registry& registry, Processes& processes, spawn::Start start, Fulfil fulfil)
      : self_(self), registry_(registry), processes_(processes), start_(std::move(start)), fulfil_(std::move(fulfil)) {}

  Child& make(const control::Spawn& request);
  void open(const RequesterPtr& requester, const control::Open& request);
  void connect(const RequesterPtr& requester, const control::Connect& request);
  [[nodiscard]] control::NameList names(const control::Names& request);
  // A process that has the later state is killed first, and saves nothing: that state is what is not wanted.
  void rollback(const RequesterPtr& requester, const control::Rollback& request);
  // One that cannot be destroyed by its own process, because that cannot read its state.
  void forget_unreadable(const RequesterPtr& requester, const control::Forget& request);

  // What the process of such an object says.
  void ready(Child& from, const control::Ready& ready);
  void construct_failed(const Child& from, const control::ConstructFailed& why);
  void destroyed(std::uint64_t object);
  // Its state is saved, and it ends. New requests for it reach its next life.
  void passivate(Child& child);
  // After its end: what was destroyed, or never was whole, has no name any more.
  void settle(Child& dead, const Obituary& obituary);
  // When all have heard of the end: requests that were waiting for it.
  void fulfil_later(const Child& dead);

  // The agent ends: no new process is started.
  void end() noexcept { ending_ = true; }
  [[nodiscard]] bool ending() const noexcept { return ending_; }

 private:
  // What serves an object.
  struct Server {
    std::vector<std::string> command;
    control::StateClass how;
  };
  static Server recorded(const NamedEntry& entry);
  Child& start(const NamedEntry& entry, const Server& by, bool fresh);
  void reach(const RequesterPtr& requester, const NamedEntry& entry, const control::Notice& request);
  NamedEntry entry_of(const std::string& name);
  void forget(std::uint64_t object);
  static void answer_waiting(Named& named, const control::Failed& no);
  // restart.cpp: those that died by accident
  void after_accident(const Obituary& obituary);
  std::optional<control::Failed> why_down(const NamedEntry& entry);

  const Identity& self_;
  Registry& registry_;
  Processes& processes_;
  const spawn::Start start_;
  const Fulfil fulfil_;
  std::map<std::uint64_t, RestartBudget> budgets_;  // by object
  std::set<std::uint64_t> unreadable_;              // objects, since their processes said so last
  bool ending_ = false;
};

}  // namespace octavo::agent
