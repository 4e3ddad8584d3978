// SPDX-License-Identifier: Apache-2.0
// The turn of an object whose coroutines run in a thread of their own (octavo/objects/server/coroutines.py): who has it runs a method, or one step of a
// coroutine. A thread that waits for an answer gives it up meanwhile: what it waits for may be a coroutine of this object.
// Threading: each is used and ended by the thread that made it, with the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

// This thread has the turn. Without a lock it is nothing: no coroutine has begun yet.
class Turn {
 public:
  // The object's, which may get one while this waits: this then has the turn when it goes on.
  explicit Turn(const nanobind::object& lock);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  friend class TurnGivenUp;
  void take();
  const nanobind::object& lock_;
  Turn* const before_;
  bool has_ = false;
};

// The turn that this thread has, if it has one, is given up while this lives.
class TurnGivenUp {
 public:
  TurnGivenUp();
  // Has it again. Throws what a handler of a signal raised meanwhile, as any wait of Python's does.
  ~TurnGivenUp() noexcept(false);
  TurnGivenUp(const TurnGivenUp&) = delete;
  TurnGivenUp& operator=(const TurnGivenUp&) = delete;

 private:
  void take_again();
  Turn* const turn_;  // none in the thread of an event loop
  const int thrown_;  // what is on its way out already
  nanobind::handle lock_;
};

// This thread runs the steps of this turn, whose lock outlives the thread; None: no more.
void run_steps_of(nanobind::handle lock);

}  // namespace octavo::bindings
