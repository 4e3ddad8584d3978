// SPDX-License-Identifier: Apache-2.0
// The descriptors that tell of the ends of connections, in one epoll set with whatever else its thread waits for.
// Threading: wait() by one thread; the rest by any. Failure: io_error.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/road/connection.hpp"

namespace octavo::detail {

class EndWatch {
 public:
  EndWatch();
  void watch(int descriptor) const;  // another's: wait() only says that it is readable
  // Before anybody else has the connection: its end may not be heard before it is known.
  void watch(const std::shared_ptr<road::Connection>& connection);
  void forget(const road::Connection& connection) noexcept;
  // Those that are readable; none at the end of `time`.
  [[nodiscard]] std::vector<int> wait(std::chrono::milliseconds time) const;
  // Tells the connection that its end came. False: the descriptor is none of a connection, or its connection was closed and the number is another's by now.
  bool hear(int descriptor);

 private:
  Fd epoll_;
  std::mutex mutex_;
  std::map<int, std::weak_ptr<road::Connection>> watched_;
};

}  // namespace octavo::detail
