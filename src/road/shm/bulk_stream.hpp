// SPDX-License-Identifier: Apache-2.0
// The bulk of a message that was given away before it had come: read from the ring of its connection into its place.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/wire/frame.hpp"
#include "road/shm/ring.hpp"

namespace octavo::road {

class BulkStream final : public wire::PendingBulk {
 public:
  // Of the connection, which is alive as long as `alive` is.
  struct Source {
    std::weak_ptr<void> alive;
    RingReader& in;
    const Doorbell& peer;
    const std::atomic<bool>& lost;
    bool& as_bytes;  // false again when all was read
  };
  BulkStream(Source source, std::vector<std::uint64_t> sizes, wire::InPlaceReceiver& in_place);

  void read(ByteSpan into) override;
  // All of it was taken off the ring.
  [[nodiscard]] bool over() const noexcept { return on_ring_ == 0; }
  // Takes what is there now off the ring: set_aside() for a later read(), pass_over() where there will be none. Neither waits.
  void set_aside();
  void pass_over();

 private:
  void took(std::size_t bytes);
  void fill(ByteSpan into);

  Source source_;
  wire::InPlaceReceiver& in_place_;
  std::uint64_t on_ring_;
  std::vector<wire::Buffer> aside_;  // the next parts
  std::size_t last_filled_ = 0;      // of the last of them
};

}  // namespace octavo::road
