// SPDX-License-Identifier: Apache-2.0
// What the two ends of a thread road share: a lane in each direction (road/lane), as between processes, and beside it the frames that are no small
// ones, whole: their bytes are moved, not written. The lane says where in the order each belongs.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <utility>

#include "octavo/base/spin_lock.hpp"
#include "octavo/road/doorbell.hpp"
#include "octavo/road/thread.hpp"
#include "road/lane/lane.hpp"

namespace octavo::road {

struct ThreadRoad::Pipe {
  Pipe(Doorbell first, Doorbell second, wire::PageKeeper* first_keeper, wire::PageKeeper* second_keeper)
      : bells{std::move(first), std::move(second)}, keepers{first_keeper, second_keeper} {}

  class Direction {  // towards one side
   public:
    LaneControl control;
    std::array<Line, lane_lines> lines;
    // False: its receiver is gone, and nothing was taken.
    bool put(wire::Message& message) {
      std::lock_guard lock(mutex_);
      if (!closed_) whole_.push_back(std::move(message));
      return !closed_;
    }
    // One that the lane has announced.
    wire::Message take() {
      std::lock_guard lock(mutex_);
      if (whole_.empty()) return {};  // closed meanwhile
      wire::Message first = std::move(whole_.front());
      whole_.pop_front();
      return first;
    }
    std::deque<wire::Message> close() {
      std::lock_guard lock(mutex_);
      closed_ = true;
      return std::exchange(whole_, {});
    }

   private:
    SpinLock mutex_;
    std::deque<wire::Message> whole_;
    bool closed_ = false;
  };

  std::array<Direction, 2> to;
  std::array<Doorbell, 2> bells;
  std::array<std::atomic<wire::PageKeeper*>, 2> keepers;  // by the side that receives
  std::array<std::atomic<bool>, 2> dead{};

  [[nodiscard]] bool any_dead() const noexcept { return dead[0].load(std::memory_order_acquire) || dead[1].load(std::memory_order_acquire); }
  void ring_both() const {
    for (const auto& bell : bells) bell.ring();
  }
};

}  // namespace octavo::road
