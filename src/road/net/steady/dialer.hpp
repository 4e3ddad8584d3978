// SPDX-License-Identifier: Apache-2.0
// Gets a steady link its next carrier, on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>

#include "octavo/base/fd.hpp"
#include "octavo/road/steady_link.hpp"

namespace octavo::road {

// What comes for a steady link from other threads; its event is readable until the link has looked.
struct Carriers::Waiting {
  Waiting();  // throws io_error
  struct Carrier {
    std::unique_ptr<Link> link;
    std::optional<SteadyGreeting> theirs;
  };
  void put(Carrier carrier);
  void fail(const std::string& why);

  std::mutex mutex;
  std::deque<Carrier> carriers;
  std::string no_more;  // why
  Fd event;
};

namespace steady {

class Dialer {
 public:
  Dialer(SteadyLink::Dial dial, std::shared_ptr<Carriers::Waiting> waiting) : dial_(std::move(dial)), waiting_(std::move(waiting)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(dial_); }
  // There is no carrier, and what was dialled before has been given.
  void dial();
  // From now on nothing is dialled but by try_once(), on the thread that calls it.
  void stop();
  bool try_once();  // true: there is nothing more to try

 private:
  void run(const std::stop_token& stop);
  SteadyLink::Dial dial_;
  std::shared_ptr<Carriers::Waiting> waiting_;
  std::jthread thread_;
};

}  // namespace steady
}  // namespace octavo::road
