// SPDX-License-Identifier: Apache-2.0
// One end of a shm connection, before anybody makes frames of what comes: the mapped rings, lanes or page queues, and the socket.
#pragma once

#include <optional>

#include "octavo/road/shm.hpp"
#include "road/lane/lane.hpp"
#include "road/shm/page_queue.hpp"
#include "road/shm/ring.hpp"

namespace octavo::road {

class ShmRings {
 public:
  // Throws io_error, usage_error at a side that is neither 0 nor 1.
  explicit ShmRings(ShmEnd end);
  ~ShmRings();

  // The other side has closed its end, or has died: it reads no more. Not where our own was shut down.
  [[nodiscard]] bool others_end_is_closed() const noexcept;

  Fd socket;
  RingWriter out;
  RingReader in;
  bool lanes;  // small frames have a way of their own
  std::optional<SharedLineEnd> shared;
  LaneWriter lane_out;
  LaneReader lane_in;
  PageQueueWriter pages_out;  // where there are no lanes
  PageQueueReader pages_in;

 private:
  std::byte* base_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace octavo::road
