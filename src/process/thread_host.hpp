// SPDX-License-Identifier: Apache-2.0
// The objects that live on threads of this process: each has an endpoint of its own, and serves as a process does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "octavo/base/fd.hpp"
#include "octavo/road/thread.hpp"

namespace octavo::detail {

// Shared by the endpoints of one process that belong to one agent. Threading: any thread.
class ThreadHost : public std::enable_shared_from_this<ThreadHost> {
 public:
  ThreadHost();
  ThreadHost(const ThreadHost&) = delete;
  ThreadHost& operator=(const ThreadHost&) = delete;

  // For how long a call is waited for before it is asked after (process/inquiry/inquiry.hpp). Read from the environment by the thread that makes the
  // Runtime: by another one, that would race with the user's setenv(3).
  [[nodiscard]] std::chrono::milliseconds patience() const noexcept { return patience_; }
  // Begins a thread that serves the object whose agent speaks through `control`.
  void begin(Fd control);
  // Both ends of a new connection come here with the number the agent gave it; each gets its end.
  std::shared_ptr<road::Connection> meet(std::uint64_t meeting, int side, const road::Doorbell& mine, const road::Doorbell& peer, wire::PageKeeper* keeper);
  // Waits until all threads have ended, which they do when the agent is gone; one whose method does not return is left behind, and named.
  void join_all();

 private:
  struct Served {
    std::thread thread;
    std::uint64_t object = 0;
    std::string class_name;
    bool over = false;
  };
  void serve(const std::shared_ptr<Served>& served, Fd control);

  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable over_;
  std::list<std::shared_ptr<Served>> served_;
  struct Meeting {
    road::ThreadRoad way;
    std::shared_ptr<road::Connection> other;
  };
  std::map<std::uint64_t, Meeting> meetings_;  // that one side came to
};

}  // namespace octavo::detail
