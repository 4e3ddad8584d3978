// SPDX-License-Identifier: Apache-2.0
#include "objects/turn.hpp"

#include <utility>

namespace nb = nanobind;

namespace octavo::bindings {

namespace {
thread_local nb::handle turn_of_thread;  // which this thread has, or whose steps it runs
}

Turn::Turn(nb::handle lock) : lock_(lock), before_(turn_of_thread) {
  if (!lock_.is_valid()) return;
  lock_.attr("acquire")();
  turn_of_thread = lock_;
}

Turn::~Turn() {
  if (!lock_.is_valid()) return;
  turn_of_thread = before_;
  lock_.attr("release")();
}

// A thread of an event loop has it in steps only.
TurnGivenUp::TurnGivenUp() {
  if (!turn_of_thread.is_valid() || !nb::cast<bool>(turn_of_thread.attr("_is_owned")())) return;
  lock_ = turn_of_thread;
  lock_.attr("release")();
}

TurnGivenUp::~TurnGivenUp() {
  if (lock_.is_valid()) lock_.attr("acquire")();
}

void run_steps_of(nb::handle lock) { turn_of_thread = lock.is_none() ? nb::handle() : lock; }

}  // namespace octavo::bindings
