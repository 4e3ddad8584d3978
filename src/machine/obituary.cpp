// SPDX-License-Identifier: Apache-2.0
#include "machine/obituary.hpp"

#include <sys/wait.h>

#include <cstdio>
#include <cstring>

#include "octavo/machine/address.hpp"

namespace octavo {

std::string Obituary::text() const {
  std::string text =
      facts.class_name + " (process " + std::to_string(facts.address.object) + ", pid " + std::to_string(facts.pid) + " on " + facts.machine + ")";
  if (status == status_unreached) return text + ": " + machine_lost;
  if (!machine_lost.empty()) return text + ": its machine is lost: " + machine_lost;
  if (destroyed) return text + " was destroyed";
  if (resting) return text + " was saved and ended";
  if (status == status_taken) {
    text += " ended (how is not known: another part of this program waits for any child, or ignores SIGCHLD)";
  } else if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    text += std::string(" was killed by SIG") + (name ? name : "?");
  } else {
    text += " ended with exit status " + std::to_string(WEXITSTATUS(status));
  }
  char age[32];
  std::snprintf(age, sizeof age, "%.1f", died - facts.started);
  text += " " + std::string(age) + " s after it was made";
  if (last_lines.empty()) return text;
  text += "; its last lines:\n  | ";
  for (const char each : last_lines) text += each == '\n' ? std::string("\n  | ") : std::string(1, each);
  return text + "\n";  // what is said behind them is none of them
}

}  // namespace octavo
