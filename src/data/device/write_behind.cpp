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

void WriteBehind::written(const Box& place, std::int64_t bytes, const std::exception_ptr& error, Program by) noexcept {
  std::deque<Waiting> now;
  {
    std::lock_guard lock(mutex_);
    under_way_.erase(std::ranges::find(under_way_, place));
    bytes_ -= bytes;
    if (bytes_ <= limit_) now.swap(waiting_);
    if (error)
      for (const Program each : {by, Program{0}}) errors_.emplace(each, error);
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

std::exception_ptr WriteBehind::take_error(Program by) {
  std::lock_guard lock(mutex_);
  auto found = errors_.find(by);
  if (found == errors_.end()) found = errors_.find(0);
  if (found == errors_.end()) return nullptr;
  auto error = found->second;
  std::erase_if(errors_, [&](const auto& each) { return is_heard(each, by, error); });
  return error;
}

// Another error than the one that is raised now is still for whoever flushes next.
bool WriteBehind::is_heard(const std::pair<const Program, std::exception_ptr>& each, Program by, const std::exception_ptr& error) {
  return each.first == by || (each.first == 0 && each.second == error);
}

std::vector<WriteBehind::Program> WriteBehind::still_to_hear(std::optional<Program> flushing) {
  std::lock_guard lock(mutex_);
  std::exception_ptr now;
  if (flushing) {
    const auto own = errors_.find(*flushing), all = errors_.find(0);
    now = own != errors_.end() ? own->second : all != errors_.end() ? all->second : nullptr;
  }
  std::vector<Program> programs;
  for (const auto& each : errors_)
    if (!flushing || !is_heard(each, *flushing, now)) programs.push_back(each.first);
  return programs;
}

void WriteBehind::keep_error(const std::exception_ptr& error, const std::vector<Program>& programs) {
  std::lock_guard lock(mutex_);
  for (const Program each : programs) errors_.emplace(each, error);
}

}  // namespace octavo
