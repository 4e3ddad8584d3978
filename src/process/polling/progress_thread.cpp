// SPDX-License-Identifier: Apache-2.0
#include "process/polling/progress_thread.hpp"

#include <pthread.h>

#include <string>
#include <utility>

#include "octavo/base/log.hpp"

namespace octavo::detail {

void ProgressThread::need() {
  std::lock_guard lock(mutex_);
  if (thread_.joinable() || waiters_.watcher_ends()) return;
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), "octavo-progress");
}

void ProgressThread::end() noexcept {
  waiters_.end_watcher();
  if (thread_.joinable()) thread_.join();
}

void ProgressThread::run() {
  constexpr auto a_while = std::chrono::milliseconds(1);
  for (std::uint64_t seen = 0; !waiters_.watcher_ends();) {
    const bool at_once = waiters_.await_need(a_while);
    if (!at_once && std::exchange(seen, waiters_.reads()) != seen) continue;
    if (!at_once && !waiters_.nobody_reads()) {
      waiters_.await_end_of_reading();
      continue;
    }
    try {
      waiters_.read_for_nobody(read_);
    } catch (const std::exception& e) {  // the thread that waits next meets it, too
      log_once(std::string("reading what nobody waits for: ") + e.what());
    }
  }
}

}  // namespace octavo::detail
