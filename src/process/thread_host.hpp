// SPDX-License-Identifier: Apache-2.0
// The objects that live on threads of this process: each has an endpoint of its own, and serves as a process does.
#pragma once

#include <condition_variable>
#include <csignal>
#include <list>
#include <map>
#include <mutex>
#include <thread>

#include "octavo/road/thread.hpp"
#include "process/peers/object_threads.hpp"

namespace octavo::detail {

// Shared by the endpoints of one process that belong to one agent. Threading: any thread.
class ThreadHost final : public ObjectThreads, public std::enable_shared_from_this<ThreadHost> {
 public:
  ThreadHost();

  // Read from the environment by the thread that makes the Runtime: by another one, that would race with the user's setenv(3).
  [[nodiscard]] std::chrono::milliseconds patience() const noexcept override { return patience_; }
  void begin(Fd control) override;
  std::shared_ptr<road::Connection> meet(std::uint64_t meeting, int side, const road::Doorbell& mine, const road::Doorbell& peer,
                                         wire::PageKeeper* keeper) override;
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
  // What the thread that made the Runtime blocks: the object's methods begin programs, which inherit it from their thread.
  sigset_t signals_of_maker_{};
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
