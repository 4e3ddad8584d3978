// SPDX-License-Identifier: Apache-2.0
// One thread that waits for descriptors and for work that other threads post to it (epoll).
//
//   EventLoop events;
//   events.watch(socket, [](std::uint32_t what) { ... });       // EPOLLIN, and EPOLLOUT where also_writable() was asked for
//   events.post([] { ... });                                    // any thread
//   events.run([] { return -1; }, [] { ... });                  // until stop(); the second is called after each round
//
// Threading: post() and stop() from any; the rest by the thread that runs it, or before it runs. What a handler throws is logged. A handler may unwatch
// its own descriptor or another's: an event that had come already for it is dropped.
// Failure: io_error.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "octavo/base/fd.hpp"

namespace octavo::agent {

class EventLoop {
 public:
  using Ready = std::function<void(std::uint32_t events)>;
  EventLoop();

  void watch(int descriptor, Ready ready);
  void also_writable(int descriptor, bool writable) const;
  // Before the descriptor is closed: a fork of this process may keep it open, and its events would still come.
  void unwatch(int descriptor);

  void post(std::function<void()> work);
  void stop() noexcept;
  // `most_ms`: how long one round waits at most; -1: as long as it takes.
  void run(const std::function<int()>& most_ms, const std::function<void()>& after_round);

 private:
  void run_posted();

  Fd epoll_, stop_, wake_;
  std::map<int, std::uint64_t> keys_;  // by descriptor; a number that is used again has another key
  std::map<std::uint64_t, std::shared_ptr<const Ready>> handlers_;
  std::uint64_t next_key_ = 1;  // 0: stop
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;
};

}  // namespace octavo::agent
