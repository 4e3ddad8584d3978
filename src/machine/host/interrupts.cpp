// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/detail/interrupts.hpp"

#include <csignal>

namespace octavo::detail {

namespace {
void do_nothing(int /*signal*/) {}

struct sigaction now() noexcept {
  struct sigaction action {};
  ::sigaction(SIGINT, nullptr, &action);
  return action;
}
}  // namespace

void leave_interrupts_to_program() noexcept {
  struct sigaction action = now();
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = do_nothing;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGINT, &action, nullptr);
}

void take_interrupts_again() noexcept {
  if (now().sa_handler == do_nothing) std::signal(SIGINT, SIG_DFL);
}

bool interrupts_are_left() noexcept {
  const auto handler = now().sa_handler;
  return handler == SIG_IGN || handler == do_nothing;
}

}  // namespace octavo::detail
