// SPDX-License-Identifier: Apache-2.0
// What the parts of an endpoint find around them: the process as its agent made it. Each can be made without an agent, as the unit tests do.
// Threading: as each says.
#pragma once

#include "machine/board/board.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/machine/pool.hpp"
#include "process/peers/agent_client.hpp"
#include "process/peers/link_table.hpp"
#include "process/peers/lock_client.hpp"

namespace octavo::detail {

// How the reader of an endpoint sleeps and what time it is there, where that is not by its doorbell and the steady clock: tests/schedule.
class ReaderClock : NoCopy {
 public:
  virtual ~ReaderClock() = default;
  // True when `ready` is, false at the deadline.
  virtual bool sleep(const std::function<bool()>& ready, road::Deadline deadline) = 0;
  [[nodiscard]] virtual road::Clock::time_point now() const = 0;
};

struct Surroundings {
  const ProcessFacts& self;
  const std::optional<control::NamedHome>& named;  // of an object with a name
  Pool& pool;
  StatusBoard& board;
  OwnRow& row;  // this process's, of the board
  const road::Doorbell& bell;
  LinkTable& links;
  AgentClient& agent;
  const std::shared_ptr<LockClient>& locks;
  const std::atomic<bool>& asked_to_passivate;  // the agent wants the object saved and ended
  ReaderClock* clock = nullptr;
  [[nodiscard]] road::Clock::time_point now() const { return clock != nullptr ? clock->now() : road::Clock::now(); }
  // Until `ready`; false at the deadline.
  template <class Ready>
  bool sleep(const Ready& ready, road::Deadline deadline) const {
    return clock != nullptr ? clock->sleep(ready, deadline) : bell.wait(ready, deadline);
  }
};

}  // namespace octavo::detail
