// SPDX-License-Identifier: Apache-2.0
// A listener's lines in the log: at most one a second, whatever its peers do.
#pragma once

#include <cstddef>
#include <string>

#include "octavo/base/log.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road::tls {

class ListenerLog {
 public:
  explicit ListenerLog(std::string listener) : listener_(std::move(listener)) {}
  void say(const std::string& what) {
    auto now = Clock::now();
    if (now < next_) {
      ++unsaid_;
      return;
    }
    auto more = unsaid_ == 0 ? "" : " (and " + std::to_string(unsaid_) + " more since the last such line)";
    log_line("the listener at " + listener_ + " " + what + more);
    next_ = now + std::chrono::seconds(1);
    unsaid_ = 0;
  }

 private:
  std::string listener_;
  Clock::time_point next_{};
  std::size_t unsaid_ = 0;
};

}  // namespace octavo::road::tls
