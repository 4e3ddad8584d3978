// SPDX-License-Identifier: Apache-2.0
// Ctrl-C, in a thread that lives through it for others: while one of these lives, in the main thread of a program, KeyboardInterrupt is not raised; it is when
// that is over. A callback of another thread's Future, which the main thread runs because it is the one that reads, would be lost half done.
//
//   const DeferredInterrupt later;
//   callback();
//
// Threading: with the interpreter's lock. Failure: none; what Python says against it is told as unraisable.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

namespace octavo::bindings {

// This is the main thread, and Ctrl-C is not ignored. (Servers ignore it: the program decides.)
bool may_be_interrupted();

class DeferredInterrupt {
 public:
  DeferredInterrupt();
  ~DeferredInterrupt();
  DeferredInterrupt(const DeferredInterrupt&) = delete;
  DeferredInterrupt& operator=(const DeferredInterrupt&) = delete;

 private:
  // `_signal.signal` itself runs the handlers of what has come, and may raise what they raise.
  nanobind::object set_handler(const nanobind::object& handler);

  std::shared_ptr<bool> came_ = std::make_shared<bool>(false);
  nanobind::object before_;  // the program's own handler; invalid: nothing was changed
};

}  // namespace octavo::bindings
