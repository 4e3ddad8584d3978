// SPDX-License-Identifier: Apache-2.0
// The interpreter's lock, given up and taken: by these only, not by nanobind's.
//
//   const Unlocked unlocked;                               // others run Python meanwhile
//   with_lock([&] { return nb::cast<bool>(watch(what)); }) // from a thread that has given it up, or is none of Python's
//
// Up to Python 3.13 a thread that wants the lock of an interpreter that ends (a daemon thread does) is ended by pthread_exit(3): that unwinds what it is in,
// and the first destructor of C++ on the way ends the program by std::terminate. Here the thread stays where it is until the process has ended, as it does
// from Python 3.14 on. So nothing that ends the process may wait for a thread of Python.
// Threading: each is made and ended by one thread. Failure: none of its own.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

namespace octavo::bindings {

[[noreturn]] inline void stay() noexcept {
  for (;;) ::pause();
}

// Of a thread that has it, which has it again when this ends.
class Unlocked {
 public:
  Unlocked() noexcept : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    try {
      PyEval_RestoreThread(state_);
    } catch (...) {
      stay();
    }
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  PyThreadState* const state_;
};

// Of any thread, also of one that has it. What calls Python within is to be called by with_lock().
class Locked {
 public:
  Locked() noexcept : before_(taken()) {}
  ~Locked() { PyGILState_Release(before_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  static PyGILState_STATE taken() noexcept {
    try {
      return PyGILState_Ensure();
    } catch (...) {
      stay();
    }
  }
  const PyGILState_STATE before_;
};

// The interpreter may also end while `work` runs Python, which gives up the lock now and then.
template <class Work>
auto with_lock(Work&& work) {
  const Locked locked;
  try {
    return work();
  } catch (abi::__forced_unwind&) {
    stay();
  }
}

}  // namespace octavo::bindings
