// SPDX-License-Identifier: Apache-2.0
// Large bulk beside a stream of bytes: the reader takes it from where it lies in the writer's process (road/shm/peer_memory.hpp), in one copy instead of
// two and without the writer's core. At one place of the stream at a time.
//
//   if (lent.possible()) lent.offer(ring.written(), bulk);           // until settled() it must stay; or take_back(), which says how much was taken
//   if (lent.left(ring.position()) != 0) n = lent.read(ring.position(), into);        // the reader's
//
// It is possible where the reader has once read the writer's memory. What was taken back meanwhile, or is no longer there, does not count as read.
// What can be read no longer is not lent any more: the writer takes it back, and sends it as bytes. A page of the writer's that must first be brought
// in (from a file, from swap) the reader waits for.
// Threading: one writes, one reads.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "octavo/base/bytes.hpp"
#include "road/shm/peer_memory.hpp"

namespace octavo::road {

inline constexpr std::size_t least_lent = 256 << 10;  // less goes as fast through the ring, or faster (measured)

// In shared memory; zero bytes are valid.
struct LentControl {
  // | number of the offer, 16 bits | bytes taken, 47 | it stands, 1 |
  alignas(64) std::atomic<std::uint64_t> offer{0};
  std::atomic<std::uint64_t> position{0}, address{0}, bytes{0};  // the writer's
  std::atomic<std::uint32_t> wants_word{0};                      // when it was taken
  alignas(64) std::atomic<std::uint32_t> readable{0};            // the reader's: 1: it can; 2: it cannot
};

// What both sides of a connection need for both directions.
struct LentControls {
  std::array<LentControl, 2> lent;          // by the side that writes
  std::array<MemoryProofControl, 2> proof;  // by the side whose memory it proves
};

class LentWriter {
 public:
  explicit LentWriter(LentControl* control) : control_(control) {}

  [[nodiscard]] bool possible() const noexcept { return control_->readable.load(std::memory_order_acquire) == 1; }
  void offer(std::uint64_t position, ByteView bulk) noexcept;
  [[nodiscard]] bool offers() const noexcept { return offers_; }
  // Of what was offered: all of it was taken, or it can be taken no more.
  [[nodiscard]] bool settled() const noexcept;
  // Nothing is offered any more. How many bytes were taken.
  std::size_t take_back() noexcept;
  // Asks the reader to ring then. Look at settled() again afterwards.
  void want_word() noexcept { control_->wants_word.store(1, std::memory_order_seq_cst); }

 private:
  LentControl* control_ = nullptr;
  ByteView bulk_;
  std::uint64_t number_ = 0;
  std::atomic<bool> offers_{false};
};

class LentReader {
 public:
  // `process`: the writer's.
  LentReader(LentControl* control, const MemoryProofControl& writer, std::int32_t process) : control_(control), writer_(writer, process) {}

  // How much stands at this place of the stream, and was not taken yet.
  [[nodiscard]] std::uint64_t left(std::uint64_t position) const noexcept { return standing(position).left; }
  // The next bytes of it, as many as were taken. 0: nothing stands there any more.
  std::size_t read(std::uint64_t position, ByteSpan into) noexcept;
  // The same, of bytes that are not wanted.
  std::size_t pass_over(std::uint64_t position, std::uint64_t most) noexcept;
  // Whether the writer is to be rung now.
  bool release() noexcept;
  // Much comes as bytes: perhaps it need not.
  void try_once() noexcept;

 private:
  // The offer at one moment. Whether address and size belong to it shows in took(): its compare-exchange changes only the same offer.
  struct Standing {
    std::uint64_t offer = 0, address = 0, left = 0;
  };
  [[nodiscard]] Standing standing(std::uint64_t position) const noexcept;
  bool took(Standing& what, std::uint64_t bytes) noexcept;
  bool copy(Standing& what, ByteSpan into) noexcept;

  LentControl* control_ = nullptr;
  PeerMemory writer_;
  bool tried_ = false;
};

}  // namespace octavo::road
