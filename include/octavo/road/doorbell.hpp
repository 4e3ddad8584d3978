// SPDX-License-Identifier: Apache-2.0
// How one process waits for all its connections: whoever gives it something to do rings its doorbell. One cache line in
// shared memory; ringing costs a fence and a load unless the owner sleeps, then one futex call.
//
//   Doorbell mine = Doorbell::make();             // its descriptor can be handed to other processes
//   mine.wait([&] { return something_to_do(); }, deadline);   // the owner, one thread at a time
//   yours.ring();                                 // anybody, after making something to do visible
//
// D-1  If ring() follows a change that makes the condition true, wait() returns: no lost wake-up.
// D-2  wait() spins for a moment that adapts to whether spinning has paid, then sleeps without using the processor.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "octavo/base/fd.hpp"

namespace octavo::road {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
inline constexpr Deadline never = Deadline::max();

class Doorbell {
 public:
  static Doorbell make();
  // Another process's, from a descriptor it handed over. Throws io_error.
  static Doorbell open(Fd memory);

  void ring() const noexcept;
  // True when `ready` is, false at the deadline. `ready` is called often: keep it short.
  bool wait(const std::function<bool()>& ready, Deadline deadline = never) const;
  [[nodiscard]] int descriptor() const noexcept;

 private:
  struct Line;
  struct Mapping;
  explicit Doorbell(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  std::shared_ptr<Mapping> mapping_;
};

}  // namespace octavo::road
