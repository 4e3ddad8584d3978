// SPDX-License-Identifier: Apache-2.0
// What a process's connection with its agent asks of whoever keeps the objects on its threads (thread_host.hpp).
// Threading: the watch thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "octavo/base/fd.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/road/connection.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::detail {

class ObjectThreads : NoCopy {
 public:
  virtual ~ObjectThreads() = default;

  // For how long a call is waited for before it is asked after (process/inquiry/inquiry.hpp).
  [[nodiscard]] virtual std::chrono::milliseconds patience() const noexcept = 0;
  // Begins a thread that serves the object whose agent speaks through `control`.
  virtual void begin(Fd control) = 0;
  // Both ends of a new connection come here with the number the agent gave it; each gets its end.
  virtual std::shared_ptr<road::Connection> meet(std::uint64_t meeting, int side, const road::Doorbell& mine, const road::Doorbell& peer,
                                                 wire::PageKeeper* keeper) = 0;
};

}  // namespace octavo::detail
