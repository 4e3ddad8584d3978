// SPDX-License-Identifier: Apache-2.0
#include "process/sending/background_sender.hpp"

#include <pthread.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/blocked_signals.hpp"
#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

namespace {

// True: nothing of it is kept any more, or its reader is gone.
bool has_left(road::Connection& connection) {
  try {
    return connection.flush() || connection.lost();
  } catch (const error&) {
    return true;
  }
}

template <class Loads>
bool some_left(Loads& loads) {
  return std::erase_if(loads, [](const auto& load) { return has_left(*load.connection); }) != 0;
}

}  // namespace

void BackgroundSender::end() {
  stopping_.store(true);
  {
    std::lock_guard lock(mutex_);
    if (!thread_.joinable()) return;
  }
  changed_.notify_all();
  bell_.ring();
  thread_.join();
}

void BackgroundSender::take_over(const std::shared_ptr<road::Connection>& connection) {
  {
    std::lock_guard lock(mutex_);
    auto known = std::find_if(loads_.begin(), loads_.end(), [&](const Load& load) { return load.connection == connection; });
    if (known != loads_.end()) {
      known->sent = connection->bytes_sent();
      if (!thread_.joinable()) begin();
      return;
    }
    loads_.push_back({connection, connection->bytes_sent()});
    loads_left_.store(loads_.size(), std::memory_order_relaxed);
    begin();
  }
  changed_.notify_all();
  bell_.ring();  // it sees to others
}

void BackgroundSender::look_around_soon() {
  {
    std::lock_guard lock(mutex_);
    found_ = true;
    begin();
  }
  changed_.notify_all();
  bell_.ring();
}

void BackgroundSender::begin() {
  changes_.fetch_add(1);
  if (stopping_.load() || thread_.joinable()) return;
  try {
    const BlockedSignals blocked;
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& e) {  // it leaves when this process reads next
    log_line(std::string("what was posted waits until its poster reads: ") + e.what());
  }
}

bool BackgroundSender::is_stalled(const road::Connection& connection) const {
  if (loads_left_.load(std::memory_order_relaxed) == 0) return false;
  std::lock_guard lock(mutex_);
  return std::any_of(loads_.begin(), loads_.end(),
                     [&](const Load& load) { return load.connection.get() == &connection && load.sent == connection.bytes_sent(); });
}

void BackgroundSender::look_around() const noexcept {
  try {
    look_around_();
  } catch (const std::exception& e) {
    log_line(std::string("what waits at a mailbox cannot be sent: ") + e.what());
  }
}

void BackgroundSender::run() {
  pthread_setname_np(pthread_self(), "octavo-sender");
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_.load() || found_ || !loads_.empty(); });
    if (stopping_.load()) return;
    const bool found = std::exchange(found_, false);
    auto loads = loads_;
    const auto changes = changes_.load();
    lock.unlock();
    delay_point("background sender: has loads");
    if (found) look_around();
    if (!loads.empty()) bell_.wait_beside([&] { return stopping_.load() || changes_.load() != changes || some_left(loads); });
    delay_point("background sender: woke");
    lock.lock();
    if (some_left(loads_)) loads_left_.store(loads_.size(), std::memory_order_relaxed);
  }
}

}  // namespace octavo::detail
