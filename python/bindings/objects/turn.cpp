// SPDX-License-Identifier: Apache-2.0
#include "objects/turn.hpp"

#include <exception>

namespace nb = nanobind;

namespace octavo::bindings {

namespace {
thread_local Turn* turn_of_thread = nullptr;  // of the method that this thread runs
thread_local nb::handle steps_of_thread;      // the lock of the turn whose steps it runs
}  // namespace

Turn::Turn(const nb::object& lock) : lock_(lock), before_(turn_of_thread) {
  take();
  turn_of_thread = this;
}

Turn::~Turn() {
  turn_of_thread = before_;
  if (has_) lock_.attr("release")();
}

void Turn::take() {
  if (has_ || !lock_.is_valid()) return;
  lock_.attr("acquire")();
  has_ = true;
}

// A thread of an event loop has it in steps only.
TurnGivenUp::TurnGivenUp() : turn_(turn_of_thread), thrown_(std::uncaught_exceptions()) {
  const nb::handle lock = turn_ != nullptr ? nb::handle(turn_->lock_) : steps_of_thread;
  if (!lock.is_valid() || !nb::cast<bool>(lock.attr("_is_owned")())) return;
  lock.attr("release")();
  lock_ = lock;
}

// In a server's main thread handlers of signals run while it waits for the lock.
TurnGivenUp::~TurnGivenUp() noexcept(false) {
  std::exception_ptr raised;
  for (bool has = false; !has;) {
    try {
      take_again();
      has = true;
    } catch (nb::python_error& error) {
      if (raised || std::uncaught_exceptions() != thrown_) error.discard_as_unraisable("a signal, while a remote object waited for its turn");
      else raised = std::current_exception();
    }
  }
  if (raised) std::rethrow_exception(raised);
}

void TurnGivenUp::take_again() {
  if (lock_.is_valid()) lock_.attr("acquire")();
  else if (turn_ != nullptr) turn_->take();  // its first coroutine may have begun meanwhile
}

void run_steps_of(nb::handle lock) { steps_of_thread = lock.is_none() ? nb::handle() : lock; }

}  // namespace octavo::bindings
