// SPDX-License-Identifier: Apache-2.0
// One line for peers that were dropped, at most one a second, whatever they do.
#pragma once

#include <cstddef>
#include <string>

#include "octavo/base/log.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road::tls {

class DropLog {
 public:
  explicit DropLog(std::string listener) : listener_(std::move(listener)) {}
  void dropped(const std::string& peer, const std::string& why) {
    auto now = Clock::now();
    if (now < next_) {
      ++unsaid_;
      return;
    }
    auto more = unsaid_ == 0 ? "" : " (and " + std::to_string(unsaid_) + " others since the last such line)";
    log_line("the listener at " + listener_ + " dropped " + peer + ": " + why + more);
    next_ = now + std::chrono::seconds(1);
    unsaid_ = 0;
  }

 private:
  std::string listener_;
  Clock::time_point next_{};
  std::size_t unsaid_ = 0;
};

}  // namespace octavo::road::tls
