// SPDX-License-Identifier: Apache-2.0
// Sees to what was posted and could not leave at once, because there was no room on the road or its reader was still to be found: its poster goes on, and
// may have other things to do than to read. A thread of its own, which there is from the first such message on, and which sleeps until it can leave.
//
//   bool wait = !background.is_stalled(*connection);      // else what is sent now is kept, too
//   connection->send(frame, keep_or_wait);
//   if (!connection->flush()) background.take_over(connection);
//
// Threading: any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "octavo/base/no_copy.hpp"
#include "octavo/road/connection.hpp"

namespace octavo::detail {

class BackgroundSender : NoCopy {
 public:
  // `look_around`: sends what waits for its reader to be found.
  BackgroundSender(const road::Doorbell& bell, std::function<void()> look_around) : bell_(bell), look_around_(std::move(look_around)) {}
  ~BackgroundSender() { end(); }

  // Something is kept there.
  void take_over(const std::shared_ptr<road::Connection>& connection);
  // Something was kept there last, and nothing has moved since: its reader has other things to do.
  [[nodiscard]] bool is_stalled(const road::Connection& connection) const;
  // Some readers were found.
  void look_around_soon();
  void end();  // what has not left by then stays

 private:
  struct Load {
    std::shared_ptr<road::Connection> connection;
    std::uint64_t sent = 0;  // by it, when something was kept there last
  };
  void begin();
  void run();
  void look_around() const noexcept;

  const road::Doorbell bell_;
  const std::function<void()> look_around_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Load> loads_;
  std::atomic<std::size_t> loads_left_{0};
  std::atomic<std::uint64_t> changes_{0};
  bool found_ = false;  // some readers
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace octavo::detail
