// SPDX-License-Identifier: Apache-2.0
#include "data/io/request.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

void RequestQueue::push(const std::shared_ptr<Request>& request) {
  {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() != engine_thread_) room_.wait(lock, [this] { return queue_.size() < capacity_; });
    request->number = next_number_++;
    queue_.push_back(request);
    if (request->writing) enter_write(request->number);
  }
  wake_();
}

// What cannot be entered is not asked for: sync() would not wait for it.
void RequestQueue::enter_write(std::uint64_t number) {
  try {
    writes_.insert(number);
  } catch (...) {
    queue_.pop_back();
    throw;
  }
}

std::shared_ptr<Request> RequestQueue::take() {
  std::shared_ptr<Request> first;
  {
    std::lock_guard lock(mutex_);
    if (queue_.empty()) return nullptr;
    first = std::move(queue_.front());
    queue_.pop_front();
  }
  room_.notify_one();
  return first;
}

void RequestQueue::finished(const Request& request) {
  if (!request.writing) return;
  std::lock_guard lock(mutex_);
  writes_.erase(request.number);
  written_.notify_all();
}

void RequestQueue::wait_for_writes() {
  if (std::this_thread::get_id() == engine_thread_)
    throw usage_error("sync() inside `done`: it waits for the thread it is called on", "Call it from another thread");
  std::unique_lock lock(mutex_);
  std::uint64_t before = next_number_;
  written_.wait(lock, [&] { return writes_.empty() || *writes_.begin() >= before; });
}

}  // namespace octavo
