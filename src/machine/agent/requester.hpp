// SPDX-License-Identifier: Apache-2.0
// Who wishes something of an agent: a process of its own, or another agent for one of its. Kept until the answer is there, however long that takes.
#pragma once

#include "machine/control.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

struct Child;
struct PeerAgent;

class Requester {
 public:
  Requester() = default;
  virtual ~Requester() = default;
  Requester(const Requester&) = delete;
  Requester& operator=(const Requester&) = delete;

  // The process that asked.
  [[nodiscard]] virtual const ProcessFacts& facts() const = 0;
  // It, if it is one of ours and lives.
  [[nodiscard]] virtual Child* child() const = 0;
  // The other agent, if it asked and is there.
  [[nodiscard]] virtual PeerAgent* peer() const = 0;
  // The wish's number is filled in. One that is gone hears nothing.
  virtual void answer(control::Notice notice) = 0;
  // Another agent fulfils the wish, and its answer is passed on.
  virtual void hand_to(PeerAgent& other, const control::Notice& wish) = 0;

  void refuse(const std::exception& why) { answer(control::failed(why)); }
  // It and `there` are connected, and told so.
  void connect(Child& there) {
    try {
      meet(there);
    } catch (const std::exception& e) {
      refuse(e);
    }
  }
  int tries = 0;  // the lasting agent that was to fulfil it was lost

 private:
  virtual void meet(Child& there) = 0;
};

}  // namespace octavo
