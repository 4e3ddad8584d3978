// SPDX-License-Identifier: Apache-2.0
// Gets a steady link its next carrier, on a thread of its own.
#pragma once

#include <thread>

#include "octavo/road/steady_link.hpp"

namespace octavo::road::steady {

class Dialer {
 public:
  Dialer(SteadyLink::Dial dial, std::shared_ptr<Carriers> carriers) : dial_(std::move(dial)), carriers_(std::move(carriers)) {}
  explicit operator bool() const noexcept { return static_cast<bool>(dial_); }
  // There is no carrier, and what was dialled before has been given.
  void dial();
  // From now on nothing is dialled but by try_once(), on the thread that calls it.
  void stop();
  bool try_once();  // true: there is nothing more to try

 private:
  void run(const std::stop_token& stop);
  SteadyLink::Dial dial_;
  std::shared_ptr<Carriers> carriers_;
  std::jthread thread_;
};

}  // namespace octavo::road::steady
