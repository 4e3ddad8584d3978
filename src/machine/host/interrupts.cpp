// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/detail/interrupts.hpp"

#include <csignal>
#include <cstdlib>
#include <initializer_list>

namespace octavo::detail {

namespace {
void do_nothing(int /*signal*/) {}

struct sigaction now(int signal) noexcept {
  struct sigaction action {};
  ::sigaction(signal, nullptr, &action);
  return action;
}

void do_nothing_at(int signal) noexcept {
  struct sigaction action {};
  action.sa_handler = do_nothing;
  action.sa_flags = SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}
}  // namespace

void leave_interrupts_to_program() noexcept {
  if (now(SIGINT).sa_handler != SIG_IGN) do_nothing_at(SIGINT);
}

void leave_end_of_job_to_agent() noexcept {
  if (std::getenv("SLURM_JOB_ID") != nullptr) do_nothing_at(SIGTERM);
}

void take_interrupts_again() noexcept {
  for (const int signal : {SIGINT, SIGTERM})
    if (now(signal).sa_handler == do_nothing) std::signal(signal, SIG_DFL);
}

bool interrupts_are_left() noexcept {
  const auto handler = now(SIGINT).sa_handler;
  return handler == SIG_IGN || handler == do_nothing;
}

}  // namespace octavo::detail
