// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/sweeping.hpp"

#include <unistd.h>

#include <cerrno>

#include "machine/agent/common/attempt.hpp"

namespace octavo::agent {

sweeper::Mark Sweeping::mark_for(const std::string& program) {
  if (program == harmless_) return sweeper::none;
  if (!run_.control) attempt("starting what ends the processes that objects have started", [this] { run_ = spawn::start_sweeper(agent_); });
  return run_.control ? agent_ | ++last_ : sweeper::none;
}

// The pipe has room for all marks of a full table of processes.
void Sweeping::tell(sweeper::Mark ended) noexcept {
  if (!run_.control) return;
  if (::write(run_.control.get(), &ended, sizeof ended) < 0 && errno == EPIPE) end();  // somebody has ended it; the next object begins another
}

void Sweeping::ended(sweeper::Mark mark) noexcept {
  if (mark != sweeper::none) tell(mark);
}

void Sweeping::end_all() noexcept {
  tell(sweeper::none);
  end();
}

void Sweeping::end() noexcept {
  if (!run_.pidfd) return;
  run_.control.reset();
  spawn::reap_soon(run_.pid, run_.pidfd, run_.pid);
  run_.pidfd.reset();
}

}  // namespace octavo::agent
