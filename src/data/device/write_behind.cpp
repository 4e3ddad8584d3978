// SPDX-License-Identifier: Apache-2.0
#include "data/device/write_behind.hpp"

#include <algorithm>
#include <utility>

namespace octavo {

future<void> WriteBehind::begin(const Box& place, std::int64_t bytes) {
  promise<void> admitted;
  auto result = admitted.get_future();
  std::unique_lock lock(mutex_);
  under_way_.push_back(place);
  bytes_ += bytes;
  if (bytes_ <= limit_) {
    lock.unlock();
    admitted.set_value();
  } else {
    waiting_.push_back({bytes, std::move(admitted)});
  }
  return result;
}

void WriteBehind::written(const Box& place, std::int64_t bytes, std::exception_ptr error) noexcept {
  std::deque<Waiting> now;
  {
    std::lock_guard lock(mutex_);
    under_way_.erase(std::ranges::find(under_way_, place));
    bytes_ -= bytes;
    if (bytes_ <= limit_) now.swap(waiting_);
    if (!error_) error_ = std::move(error);
    ended_.notify_all();
  }
  for (auto& each : now) each.admitted.set_value();
}

bool WriteBehind::meets(const Box& place) const {
  return std::ranges::any_of(under_way_, [&](const Box& each) { return !each.intersect(place).empty(); });
}

void WriteBehind::wait_for(const Box& place) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return !meets(place); });
}

void WriteBehind::wait_for_all() {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [&] { return under_way_.empty(); });
}

std::exception_ptr WriteBehind::take_error() {
  std::lock_guard lock(mutex_);
  return std::exchange(error_, nullptr);
}

bool WriteBehind::has_error() {
  std::lock_guard lock(mutex_);
  return error_ != nullptr;
}

void WriteBehind::keep_error(std::exception_ptr error) {
  std::lock_guard lock(mutex_);
  if (!error_) error_ = std::move(error);
}

}  // namespace octavo
