// SPDX-License-Identifier: Apache-2.0
// What one end of a shm connection sends as bytes, in the order of its frames, and what of it has found no room. Pages go by reference within the frame, where
// both ends have one pool; beside the bytes, where a relay reads them; or by value, from where they lie.
// Threading: the caller's lock, but for keeping(), got_room(), bytes_sent().
#pragma once

#include <atomic>
#include <deque>
#include <optional>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/wire/frame.hpp"
#include "road/shm/rings.hpp"

namespace octavo::road {

class Outflow {
 public:
  // `pages`: null, where they go within the frame. `route`: where they are handed over, if they go beside.
  Outflow(ShmRings& rings, const Doorbell& peer, wire::SharedPages* pages, const std::optional<wire::PageRoute>& route)
      : rings_(rings), peer_(peer), pages_(pages), route_(route) {}
  ~Outflow() { drop(); }

  // Sends what there is room for, and keeps the rest, borrowed, as are the `tables` it fills: until keeps(the number it gives) is false, or own().
  std::uint64_t put(const wire::Outgoing& frame, std::vector<std::byte>& tables);
  void drain();  // the rest, as far as there is room
  [[nodiscard]] bool keeps(std::uint64_t frame) const { return !kept_.empty() && kept_.front().frame <= frame; }
  [[nodiscard]] bool empty() const { return kept_.empty(); }
  void own(std::uint64_t frame);
  void drop();
  // What was written is the peer's now.
  void hand_over();
  // So many bytes went another way.
  void count(std::uint64_t bytes) {
    sent_.store(sent_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
    moved_ = true;
  }

  [[nodiscard]] bool keeping() const noexcept { return keeping_.load(std::memory_order_acquire); }
  [[nodiscard]] bool got_room() const;
  [[nodiscard]] std::uint64_t bytes_sent() const { return sent_.load(std::memory_order_relaxed); }

 private:
  // Borrowed while its sender waits in send(), owned afterwards.
  struct Unsent {
    std::uint64_t frame;
    std::optional<wire::FrameHeader> announces = {};  // first, in the lane
    ByteView left = {};
    std::vector<std::byte> own = {};
    std::optional<wire::PageRef> page = {};  // beside the bytes, or what the bytes are of
    bool shared = false;                     // and we hold it
  };
  enum class full : std::uint8_t { nothing, lane, ring, page_queue };

  bool send(Unsent& piece);  // true: all of it
  bool announce(const wire::FrameHeader& header);
  bool write(ByteView& piece);
  bool send_page(Unsent& piece);
  bool room_soon();

  ShmRings& rings_;
  const Doorbell& peer_;
  wire::SharedPages* pages_;
  std::optional<wire::PageRoute> route_;
  std::deque<Unsent> kept_;
  std::uint64_t frames_ = 0, published_ = 0;
  bool moved_ = false;                     // something, since the peer was rung
  std::atomic<full> full_{full::nothing};  // what had no room
  std::atomic<bool> keeping_{false};
  std::atomic<std::uint64_t> sent_{0};
};

}  // namespace octavo::road
