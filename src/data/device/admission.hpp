// SPDX-License-Identifier: Apache-2.0
// Pages for what a device is about to read. While the pool has room a page is there at once; while it is full, requests wait their
// turn on a thread of their own, so that the device goes on writing, which is what makes room. That thread belongs to the endpoint under which it was
// begun, which is the device's: in a process with several, each has a pool. What still waits when the device ends is answered with gone_error.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "data/phases/phase_meter.hpp"
#include "octavo/data/page.hpp"

namespace octavo {

namespace detail {
class Endpoint;
}

class Admission {
 public:
  // Called once, with the page or with why there is none: now, or later from the waiting thread. In the order asked. It must not throw.
  using Admitted = std::function<void(ArrayPage page, std::exception_ptr error)>;

  // The requests that wait are what the process of this meter waits for.
  explicit Admission(std::shared_ptr<PhaseMeter> meter) : meter_(std::move(meter)) {}
  ~Admission();
  void ask(dtype type, const Shape& shape, Admitted then);

 private:
  struct PageRequest {
    dtype type;
    Shape shape;
    Admitted then;
  };
  void run(detail::Endpoint* home);
  void serve(const PageRequest& request) noexcept;
  ArrayPage make_page(const PageRequest& request);
  [[nodiscard]] bool is_ending();
  const std::shared_ptr<PhaseMeter> meter_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<PageRequest> waiting_;  // the first is being served
  bool ending_ = false;
  std::thread thread_;  // begun when the pool is full for the first time
};

}  // namespace octavo
