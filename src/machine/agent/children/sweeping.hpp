// SPDX-License-Identifier: Apache-2.0
// What an agent has of its sweeper (machine/sweeper), which ends what objects have started, when they end and when this process does in whichever way.
//
//   Sweeping sweeping;
//   started.mark = sweeping.mark_for(command.front());        // the first mark begins the sweeper
//   sweeping.ended(mark);                       // it has ended, and was reaped
//   sweeping.end_all();                         // the agent ends: returns when nothing is left
//
// Threading: the agent's. Failure: where there can be no sweeper, a log line says so, and there are no marks.
#pragma once

#include <string>

#include "machine/spawn.hpp"
#include "machine/sweeper/mark.hpp"

namespace octavo::agent {

class Sweeping {
 public:
  Sweeping() = default;
  Sweeping(const Sweeping&) = delete;
  Sweeping& operator=(const Sweeping&) = delete;
  ~Sweeping() { end_all(); }

  // Of a process that this program serves. octavo-server's own classes start nothing: `none`.
  [[nodiscard]] sweeper::Mark mark_for(const std::string& program);
  void ended(sweeper::Mark mark) noexcept;
  void end_all() noexcept;

 private:
  void begin() noexcept;
  void tell(sweeper::Mark ended) noexcept;
  void end() noexcept;

  const std::string harmless_ = spawn::server_program();
  const sweeper::Mark agent_ = sweeper::random_agent();
  std::uint32_t last_ = 0;
  spawn::Started run_;
};

}  // namespace octavo::agent
