// SPDX-License-Identifier: Apache-2.0
// Spares: forks of one fork server that were made ahead and wait for their tasks, so that an object does not wait for its fork. No other part knows of one
// until it is taken: it has no slot and is no object.
//
//   Spares spares(events);
//   spares.add(std::move(forked));
//   if (auto run = spares.take(task)) adopt(std::move(*run));      // it goes about its task
//   spares.keep(2);                                                // the others end
//
// One that died or is stopped is done without. Threading: the agent's. Failure: add() throws where it cannot be watched; the process is ended then.
#pragma once

#include <cstddef>
#include <deque>
#include <list>
#include <optional>
#include <utility>

#include "machine/agent/common/event_loop.hpp"
#include "machine/forking/messages.hpp"
#include "machine/spawn.hpp"

namespace octavo::agent {

class Spares {
 public:
  explicit Spares(EventLoop& events) : events_(events) {}
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;
  ~Spares();  // returns when all are reaped

  [[nodiscard]] std::size_t count() const noexcept { return waiting_.size(); }
  // Some have ended that nobody ended here, since this was asked.
  [[nodiscard]] bool lost_some() noexcept { return std::exchange(lost_, false); }
  void add(spawn::Started run);
  // The one that has waited longest. Nothing: there is none.
  std::optional<spawn::Started> take(const forking::Task& task);
  void keep(std::size_t most);

 private:
  void end(spawn::Started run);
  void hear_end(int pidfd);

  EventLoop& events_;
  std::deque<spawn::Started> waiting_;  // oldest first
  std::list<spawn::Started> ending_;    // killed, and not reaped yet
  bool lost_ = false;
};

}  // namespace octavo::agent
