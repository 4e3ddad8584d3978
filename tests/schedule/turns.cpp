// SPDX-License-Identifier: Apache-2.0
#include "schedule/turns.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace octavo::schedule {

void Turns::run(const std::vector<std::function<void()>>& bodies) {
  threads_.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) threads_.emplace_back();
  std::vector<std::thread> running;
  std::unique_lock lock(mutex_);
  chosen_ = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    running.emplace_back([this, i, &body = bodies[i]] {
      {
        std::unique_lock begin(mutex_);
        threads_[i].turn.wait(begin, [&] { return chosen_ == i; });
      }
      body();
      threads_[i].ended = true;
      ++happened_;
      pass_on();
    });
  }
  lock.unlock();
  for (auto& each : running) each.join();
}

void Turns::step() {
  ++steps_;
  if (threads_[chosen_].looking == 0) {
    ++happened_;
    now_ += std::chrono::microseconds(1);
    if (on_step) on_step();
  }
  if (one_in(3) || threads_[chosen_].parked) pass_on();
}

bool Turns::sleep(const std::function<bool()>& ready, road::Deadline deadline) {
  auto& me = threads_[chosen_];
  if (me.looking == 0) ++happened_;  // what this thread did since its last step
  for (;;) {
    ++me.looking;
    const bool is_ready = ready();
    --me.looking;
    if (is_ready || now_ >= deadline) {
      ++happened_;
      return is_ready;
    }
    me.sleeps = true;
    me.deadline = deadline;
    me.looked_at = happened_;
    pass_on();
    me.sleeps = false;
  }
}

void Turns::release_all() {
  for (auto& each : threads_) each.parked = false;
  ++happened_;
}

bool Turns::may_run(const Thread& thread) const {
  if (thread.ended || thread.parked) return false;
  return !thread.sleeps || thread.looked_at != happened_ || now_ >= thread.deadline;
}

// Chooses a thread that may run. False: there is none.
bool Turns::choose() {
  const auto first = draw(threads_.size());
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const auto at = (first + i) % threads_.size();
    if (!may_run(threads_[at])) continue;
    chosen_ = at;
    return true;
  }
  return false;
}

bool Turns::let_time_pass() {
  auto next = road::never;
  for (const auto& each : threads_)
    if (!each.ended && !each.parked) next = std::min(next, each.deadline);
  if (next == road::never || ++jumps_ > most_jumps_in_time) return false;
  now_ = std::max(now_, next);
  return true;
}

void Turns::unstick() {
  if (std::exchange(was_stuck_, true)) {
    std::fprintf(stderr, "schedule: threads wait for each other, and nothing ends that\n");
    std::abort();
  }
  if (on_stuck) on_stuck();
  jumps_ = 0;
  ++happened_;
}

// Returns when this thread is chosen again, or has ended.
void Turns::pass_on() {
  std::unique_lock lock(mutex_);  // a thread that wakes by itself sees a choice that is made
  const auto me = chosen_;
  while (!choose()) {
    const bool all_ended = std::all_of(threads_.begin(), threads_.end(), [](const Thread& each) { return each.ended || each.parked; });
    if (all_ended) return;
    if (!let_time_pass()) unstick();
  }
  if (chosen_ == me && !threads_[me].ended) return;
  threads_[chosen_].turn.notify_one();
  if (!threads_[me].ended) threads_[me].turn.wait(lock, [&] { return chosen_ == me; });
}

}  // namespace octavo::schedule
