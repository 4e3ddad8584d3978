// SPDX-License-Identifier: Apache-2.0
// A thread that takes no signals; or, where the system gives none, an io_error that says what it was for, and what may be changed.
//
//   thread_ = start_thread("that watches a disk", [this] { run(); });
#pragma once

#include <pthread.h>

#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include "base/blocked_signals.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

template <class Thread = std::thread, class Work>
Thread start_thread(const char* what, Work&& work) {
  const BlockedSignals blocked;
  try {
    return Thread(std::forward<Work>(work));
  } catch (const std::system_error& e) {
    throw io_error_from(e.code().value(), std::string("starting a thread ") + what);
  }
}

// A thread that nobody joins, and that takes no signals. Where the system gives none, `work` is not done.
template <class Work>
void start_detached(const char* name, Work&& work) {
  const BlockedSignals blocked;
  try {
    std::thread started(std::forward<Work>(work));
    pthread_setname_np(started.native_handle(), name);
    started.detach();
  } catch (const std::system_error&) {}
}

}  // namespace octavo
