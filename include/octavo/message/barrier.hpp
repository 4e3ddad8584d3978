// SPDX-License-Identifier: Apache-2.0
// A barrier between the processes, threads and objects of a program on one machine: each waits until all have come; as Python's threading.Barrier.
//
//   octavo::Barrier rows("rows", 4);              // in each of the four; the same name on the same machine is the same barrier
//   if (rows.wait() == 0) swap(tables);           // one of them has place 0
//   rows.wait();
//
// BR-1  wait() returns when `parties` threads wait, and gives each another place: 0, 1, ..., in the order in which they came. Then it begins anew.
// BR-2  It breaks when one that waits dies, is out of time, or is called away; or by abort(). All who wait, and all who come, get broken_barrier then, which
//       names the one that died. reset() mends it; who waits meanwhile gets broken_barrier.
// BR-3  So it does when a process or object that has it dies elsewhere: between two waits, or before its first. It has it when it has made one of this name,
//       or an argument brought it. One that is destroyed in order takes nothing from the others; the death of one that it has not reached is not noticed.
// BR-4  Where one gave an action, `Barrier rows("rows", 4, [] { ... })`, the last to come that has one calls its own before anybody goes on, once a round. The
//       barrier breaks when that throws, and wait() throws it there. A copy has the action, one that travels has not.
//
// Each operation asks the machine's agent: some ten microseconds. Waiting serves callbacks, as for a call (C-3). Names: as for a Mutex (mutex.hpp).
// `parties` is the same wherever the name is used, 1 to 4096. Members of a group have Self::barrier(), which is faster, and spans machines.
// Threading: any. Copies are the same barrier. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: broken_barrier, usage_error (other `parties`; made elsewhere), refused (bounds), gone_error (the program ends).
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "octavo/message/detail/named_lock.hpp"
#include "octavo/process/errors.hpp"

namespace octavo {

// Not all came to a barrier, and they will not any more.
class broken_barrier : public gone_error {
 public:
  using gone_error::gone_error;
};

class Barrier : public detail::NamedLock {
 public:
  Barrier() noexcept;
  explicit Barrier(std::string name, std::size_t parties, std::function<void()> action = {});

  std::size_t wait() const { return wait_by(detail::forever()); }  // NOLINT(modernize-use-nodiscard): the place need not matter
  // Throws broken_barrier after that time, as all others do: it is broken.
  template <class Rep, class Period>
  std::size_t wait_for(const std::chrono::duration<Rep, Period>& time) const {  // NOLINT(modernize-use-nodiscard)
    return wait_by(detail::deadline_after(time));
  }
  // For bindings to other languages: `look` is called ten times a second meanwhile, and what it throws breaks the barrier. Of one with an action nothing may
  // be given: this thread is to do it now, and then to call has_acted(), or abort().
  [[nodiscard]] std::optional<std::size_t> come(std::chrono::steady_clock::time_point deadline, bool has_action, void (*look)()) const;
  std::size_t has_acted() const;  // NOLINT(modernize-use-nodiscard)
  void reset() const;
  void abort() const;
  [[nodiscard]] std::size_t parties() const noexcept { return static_cast<std::size_t>(initial()); }
  // As they were a moment ago.
  [[nodiscard]] std::size_t n_waiting() const;
  [[nodiscard]] bool broken() const;

 private:
  std::size_t wait_by(std::chrono::steady_clock::time_point deadline) const;  // NOLINT(modernize-use-nodiscard)

  std::function<void()> action_;
};

}  // namespace octavo
