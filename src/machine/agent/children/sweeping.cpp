// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/sweeping.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

#include "machine/agent/common/attempt.hpp"

namespace octavo::agent {

sweeper::Mark Sweeping::mark_for(const std::string& program) {
  if (program == harmless_) return sweeper::none;
  if (run_.pidfd) {
    pollfd has_ended{run_.pidfd.get(), POLLIN, 0};
    if (::poll(&has_ended, 1, 0) > 0) end();  // somebody has killed it
  }
  if (!run_.control) begin();
  return run_.control ? agent_ | ++last_ : sweeper::none;
}

void Sweeping::begin() noexcept {
  attempt("starting what ends the processes that objects have started", [this] { run_ = spawn::start_sweeper(agent_); });
}

// The pipe has room for all marks of a full table of processes. One that was killed has a successor, which knows the processes by their marks as well.
void Sweeping::tell(sweeper::Mark ended) noexcept {
  if (!run_.control || ::write(run_.control.get(), &ended, sizeof ended) >= 0 || errno != EPIPE) return;
  end();
  begin();
  if (run_.control) (void)!::write(run_.control.get(), &ended, sizeof ended);
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
