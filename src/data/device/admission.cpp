// SPDX-License-Identifier: Apache-2.0
#include "data/device/admission.hpp"

#include <optional>
#include <string>

#include "base/start_thread.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/endpoint.hpp"

namespace octavo {

namespace {
// A job's plan keeps its boxes within the pool, so room comes as soon as something is written. This long without any is a broken plan.
constexpr auto longest_wait = std::chrono::seconds(120);
constexpr auto poll_interval = std::chrono::milliseconds(200);  // how often an ending device is noticed
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
        // Under the lock: outside it the answer to a later request could overtake this one.
        then(std::move(*page), nullptr);
        return;
      }
    }
    if (!thread_.joinable())  // first: where no thread can be begun, no request may wait for it
      thread_ = start_thread("that waits for room in the pool", [this, home = detail::Endpoint::current()] { run(home); });
    waiting_.push_back({type, shape, std::move(then)});
    meter_->begin(phase::waiting);
  }
  changed_.notify_all();
}

// `home`: the endpoint whose pool the pages are of. It ends the device before itself, and so ends this thread.
void Admission::run(detail::Endpoint* home) {
  std::optional<detail::Endpoint::Use> use;
  if (home != nullptr) use.emplace(*home);
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    PageRequest& request = waiting_.front();  // a deque does not move its elements while others are added behind
    lock.unlock();
    serve(request);
    lock.lock();
    waiting_.pop_front();
  }
}

void Admission::serve(const PageRequest& request) noexcept {
  ArrayPage page;
  std::exception_ptr error;
  try {
    page = make_page(request);
  } catch (...) {
    error = std::current_exception();
  }
  meter_->end(phase::waiting);
  try {
    request.then(std::move(page), error);
  } catch (const std::exception& e) {  // the requests behind this one still wait
    log_line(std::string("a device could not use a page it had waited for: ") + e.what());
  } catch (...) {
    log_line("a device could not use a page it had waited for");
  }
}

ArrayPage Admission::make_page(const PageRequest& request) {
  const auto give_up = road::Clock::now() + longest_wait;
  for (;;) {
    if (is_ending()) throw gone_error("the device ended while a read waited for room in the pool");
    try {
      return ArrayPage::make_by(request.type, request.shape, road::Clock::now() + poll_interval);
    } catch (const timed_out&) {
      if (road::Clock::now() > give_up) throw;
    }
  }
}

bool Admission::is_ending() {
  std::lock_guard lock(mutex_);
  return ending_;
}

}  // namespace octavo
