// SPDX-License-Identifier: Apache-2.0
// Where a request came from: a process of this agent, or another agent on behalf of one of its own. Kept until the answer is there, however long that takes.
#pragma once

#include <exception>
#include <functional>
#include <memory>

#include "machine/control.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

struct Child;
struct PeerAgent;

// One of its agent's doorbells: that of this slot.
struct SharedBell {
  int descriptor = -1;  // there is none here
  unsigned slot = 0;
};

class Requester {
 public:
  Requester() = default;
  virtual ~Requester() = default;
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;

  // The process that asked.
  [[nodiscard]] virtual const ProcessFacts& facts() const = 0;
  // That process, if it is one of this agent's and lives.
  [[nodiscard]] virtual Child* child() const = 0;
  // The other agent, if it forwarded the request and is there.
  [[nodiscard]] virtual PeerAgent* peer() const = 0;
  // The doorbell of that process, for processes that share this machine's memory with it.
  [[nodiscard]] virtual SharedBell bell() const { return {}; }
  // The request's number is filled in. A requester that is gone hears nothing.
  virtual void answer(control::Notice notice) = 0;
  using Otherwise = std::function<void(const control::Failed& why)>;
  // Another agent fulfils the request, and its answer is passed on; but what it could not do goes to `otherwise`, if that is given.
  virtual void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) = 0;
  void hand_to(PeerAgent& other, const control::Notice& request) { hand_to(other, request, {}); }

  void refuse(const std::exception& why) { answer(control::failed(why)); }
  // The requester and `there` are connected, and told so.
  void connect(Child& there) {
    try {
      introduce_to(there);
    } catch (const std::exception& e) {
      refuse(e);
    }
  }
  int tries = 0;  // how often the request was lost with the lasting agent that was to fulfil it

 private:
  virtual void introduce_to(Child& there) = 0;
};

using RequesterPtr = std::shared_ptr<Requester>;

// For a part that is told what agents tell processes, never the other way.
[[noreturn]] inline void refuse_told_to_processes() { throw usage_error("an agent was asked for what only processes are told"); }
// The process itself, for what only an agent's own processes say.
inline Child& own_process(const RequesterPtr& requester) {
  if (Child* child = requester->child()) return *child;
  throw usage_error("an agent was told what only its own processes tell it");
}
// A request that is fulfilled later.
struct Postponed {
  RequesterPtr requester;
  control::Notice request;
};

}  // namespace octavo::agent
