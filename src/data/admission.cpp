// SPDX-License-Identifier: Apache-2.0
#include "data/admission.hpp"

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {
// A job's plan keeps its boxes within the pool, so room comes as soon as something is written. This long without any is a broken plan.
constexpr auto longest_wait = std::chrono::seconds(120);
constexpr auto look_up = std::chrono::milliseconds(200);  // how often an ending device is noticed
}  // namespace

Admission::~Admission() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Admission::ask(dtype type, const Shape& shape, Admitted then) {
  {
    std::lock_guard lock(mutex_);
    bool at_once = waiting_.empty();
    if (at_once) {
      if (auto page = ArrayPage::try_make(type, shape)) {
        // Outside the lock would be kinder, but then a later one could overtake.
        then(std::move(*page), nullptr);
        return;
      }
    }
    waiting_.push_back({type, shape, std::move(then)});
    if (!thread_.joinable()) thread_ = start_thread("that waits for room in the pool", [this] { run(); });
  }
  changed_.notify_all();
}

void Admission::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Wish& wish = waiting_.front();  // a deque keeps its place while others come behind
    lock.unlock();
    ArrayPage page;
    std::exception_ptr error;
    auto give_up = road::Clock::now() + longest_wait;
    for (bool there = false; !there && !error;) {
      try {
        page = ArrayPage::make_by(wish.type, wish.shape, road::Clock::now() + look_up);
        there = true;
      } catch (const timed_out&) {
        std::lock_guard again(mutex_);
        if (ending_ || road::Clock::now() > give_up) error = std::current_exception();
      } catch (...) {
        error = std::current_exception();
      }
    }
    wish.then(std::move(page), error);
    lock.lock();
    waiting_.pop_front();
  }
}

}  // namespace octavo
