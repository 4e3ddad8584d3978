// SPDX-License-Identifier: Apache-2.0
// A large part of lent bulk is copied by both processes: while the reader takes piece after piece from its front, the writer, who only waits until all
// is taken, brings pieces from its back into the reader's memory. Two cores copy instead of one.
//
//   reader                                          writer
//   together.begin(offer, taken, into); bell.ring();
//   while (!(piece = together.next()).empty())      if (together.wanted()) together.bring(bulk);    // a piece
//     read(piece);
//   bytes = together.end();                         // so many lie at the end of `into`
//
// end() waits until nobody copies there any more: for a piece at most, and not for a process that has ended. (It does wait for one that was stopped in
// between, as all do who wait for a message of its.)
// What is not as it should be ends it for good, and then the reader reads alone.
// Threading: one writes, one reads; wanted(): any.
#pragma once

#include <atomic>
#include <cstdint>

#include "octavo/base/bytes.hpp"
#include "road/shm/peer_memory.hpp"

namespace octavo::road {

inline constexpr std::size_t least_together = 1 << 20;  // less is copied before the other one has looked

// In shared memory; zero bytes are valid.
struct TogetherControl {
  // | number of the offer, 16 bits | pieces taken, 24 | and without those brought, 24 |: the pieces between are nobody's.
  alignas(64) std::atomic<std::uint64_t> pieces{0};
  std::atomic<std::uint64_t> begin{0}, bytes{0}, to{0};  // the reader's: which of the bytes offered, and where he wants them
  // | number of the offer, 16 bits | pieces brought, 47 | gave up for good, 1 |
  alignas(64) std::atomic<std::uint64_t> brought{0};  // the writer's
};

class TogetherReader {
 public:
  explicit TogetherReader(TogetherControl* control) : control_(control) {}

  // Once for an offer.
  [[nodiscard]] bool possible(std::uint64_t offer, std::size_t bytes, const PeerMemory& writer) const noexcept;
  // `into` is to become what was offered from `begin` on.
  void begin(std::uint64_t offer, std::uint64_t begin, ByteSpan into) noexcept;
  [[nodiscard]] ByteSpan next() noexcept;
  std::size_t end(const PeerMemory& writer) noexcept;

 private:
  [[nodiscard]] std::uint64_t brought(std::uint64_t pieces, const PeerMemory& writer) const noexcept;

  TogetherControl* control_;
  std::uint64_t offer_ = 0, taken_ = 0, all_ = 0;
  ByteSpan into_;
};

class TogetherWriter {
 public:
  TogetherWriter(TogetherControl* control, const MemoryProofControl& reader) : control_(control), reader_(reader) {}

  void offers(std::uint64_t offer) noexcept;
  [[nodiscard]] bool wanted() const noexcept;
  void bring(ByteView offered) noexcept;  // a piece, if it is still wanted

 private:
  [[nodiscard]] std::uint64_t wanted_pieces() const noexcept;  // the word that says so; 0: none
  void tell() noexcept;

  TogetherControl* control_;
  PeerMemory reader_;
  std::atomic<std::uint64_t> offer_{0};
  std::uint64_t brought_ = 0;  // pieces of it
  bool gave_up_ = false;
};

}  // namespace octavo::road
