// SPDX-License-Identifier: Apache-2.0
#include "process/cycle/loop_waits.hpp"

#include <algorithm>

#include "base/start_thread.hpp"
#include "octavo/base/log.hpp"

namespace octavo::detail {

void LoopWaits::begin(std::shared_ptr<StateBase> state, const ServedCalls::Run& by) {
  std::lock_guard lock(mutex_);
  if (ends_) return;
  if (waits_.size() >= sweep_at_) {
    std::erase_if(waits_, [](const Wait& each) { return each.state->ready(); });
    sweep_at_ = std::max<std::size_t>(64, 2 * waits_.size());
  }
  if (!thread_.joinable()) {
    thread_ = start_thread("that reads what an event loop awaits", [this] { run(); });
    pthread_setname_np(thread_.native_handle(), "octavo-await");
  }
  waits_.push_back({std::move(state), by});
  changed_.notify_all();
}

void LoopWaits::leave(const StateBase& state) noexcept {
  std::vector<Wait> left;  // destroyed without the lock
  {
    std::lock_guard lock(mutex_);
    const auto from = std::partition(waits_.begin(), waits_.end(), [&](const Wait& each) { return each.state.get() != &state; });
    if (from == waits_.end()) return;
    left.assign(std::make_move_iterator(from), std::make_move_iterator(waits_.end()));
    waits_.erase(from, waits_.end());
  }
  waiters_.wake();
}

LoopWaits::Awaited LoopWaits::of(const ServedCalls::Run& method) {
  Awaited awaited;
  std::lock_guard lock(mutex_);
  for (const auto& each : waits_)
    if (each.by == method && !each.state->ready()) awaited.push_back(each.state);
  return awaited;
}

bool LoopWaits::is_over() {
  std::lock_guard lock(mutex_);
  return ends_ || std::all_of(waits_.begin(), waits_.end(), [](const Wait& each) { return each.state->ready(); });
}

void LoopWaits::run() {
  for (;;) {
    std::vector<Wait> over;  // destroyed without the lock
    {
      std::unique_lock lock(mutex_);
      over.swap(waits_);
      for (auto& each : over)
        if (!each.state->ready()) waits_.push_back(std::move(each));
      changed_.wait(lock, [this] { return ends_ || !waits_.empty(); });
      if (ends_) return;
    }
    over.clear();
    try {
      read_([this] { return is_over(); });
    } catch (const std::exception& e) {  // the thread that waits next meets it, too
      log_once(std::string("reading what an event loop awaits: ") + e.what());
    }
  }
}

void LoopWaits::end() noexcept {
  {
    std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  waiters_.wake();
  if (thread_.joinable()) thread_.join();
}

}  // namespace octavo::detail
