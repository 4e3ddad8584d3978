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
  explicit Turn(nanobind::handle lock);
  ~Turn();
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  const nanobind::handle lock_, before_;
};

// The turn that this thread has, if it has one, is given up while this lives.
class TurnGivenUp {
 public:
  TurnGivenUp();
  ~TurnGivenUp();
  TurnGivenUp(const TurnGivenUp&) = delete;
  TurnGivenUp& operator=(const TurnGivenUp&) = delete;

 private:
  nanobind::handle lock_;
};

// This thread runs the steps of this turn, whose lock outlives the thread; None: no more.
void run_steps_of(nanobind::handle lock);

}  // namespace octavo::bindings
