// SPDX-License-Identifier: Apache-2.0
// The ends of an agent's processes, and of objects on threads: what each said last, how it ended, and which others ended with it.
//
//   Reaper reaper(children, board, Reaper::status_of, {.last_word = ..., .died = ...});
//   reaper.reap(child);               // its process ended: the child is taken out of the table, then died() is told
//   reaper.reap_thread(child);        // its control socket ended; if its process may have, reaper.waits(), and look_again() decides
//
// Threading: the agent's.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <optional>

#include "machine/agent/children/children.hpp"

namespace octavo::agent {

class Reaper {
 public:
  struct Events {
    std::function<void(Child& from, const control::Notice& notice)> last_word;
    std::function<void(Child& dead, const Obituary& obituary)> died;
  };
  // The status of a process that has ended; nothing of one that has not.
  using Status = std::function<std::optional<int>(const Fd& pidfd)>;
  static std::optional<int> status_of(const Fd& pidfd);

  Reaper(Children& children, StatusBoard& board, Status status, Events told);
  void reap(Child& child);
  void reap_thread(Child& child);
  void look_again();
  [[nodiscard]] bool waits() const noexcept { return !silent_threads_.empty(); }

 private:
  using Time = std::chrono::steady_clock::time_point;
  void hear_last_words(Child& child);
  [[nodiscard]] bool has_ended(std::uint64_t host) const;
  void reap_threads_of(std::uint64_t host, const Obituary& of_host);
  void enter(const Obituary& obituary);

  Children& children_;
  StatusBoard& board_;
  const Status status_;
  const Events told_;
  std::map<std::uint64_t, Time> silent_threads_;  // objects whose control socket ended, and since when
};

}  // namespace octavo::agent
