// SPDX-License-Identifier: Apache-2.0
// A large part of lent bulk is copied by both processes: while the reader takes piece after piece from its front, the writer, which only waits until all
// is taken, brings pieces from its back into the reader's memory. Two cores copy instead of one.
//
//   reader                                          writer
//   together.begin(offer, taken, into); bell.ring();
//   while (!(piece = together.next()).empty())      if (together.wanted()) together.bring(bulk);    // a piece
//     read(piece);
//   together.close();
//   while (!together.settled(peer, lost)) wait();
//   bytes = together.brought();                     // so many lie at the end of `into`
//
// It is settled when the writer copies there no more: after a piece at most, or when its process has ended. (A writer that was stopped just then is waited
// for, as it is by every reader of the rest of its message: what it has begun goes on when it does.)
// What is not as it should be ends it for good, and then the reader reads alone.
// Threading: one writes, one reads; wanted(): any.
#pragma once

#include <atomic>
#include <cstdint>

#include "octavo/base/bytes.hpp"
#include "road/shm/peer_memory.hpp"

namespace octavo::road {

inline constexpr std::size_t least_cooperative = 1 << 20;  // less is copied before the other one has looked

// In shared memory; zero bytes are valid.
struct CooperativeCopyControl {
  // | number of the offer, 16 bits | pieces taken, 24 | and without those brought, 24 |: the pieces between are nobody's.
  alignas(64) std::atomic<std::uint64_t> pieces{0};
  std::atomic<std::uint64_t> begin{0}, bytes{0}, to{0};  // the reader's: which of the bytes offered, and where they are to go
  // | number of the offer, 16 bits | pieces brought, 47 | gave up for good, 1 |
  alignas(64) std::atomic<std::uint64_t> brought{0};  // the writer's
};

class CooperativeReader {
 public:
  explicit CooperativeReader(CooperativeCopyControl* control) : control_(control) {}

  // Once for an offer.
  [[nodiscard]] bool possible(std::uint64_t offer, std::size_t bytes, PeerMemory& writer) const noexcept;
  // `into` is to become what was offered from `begin` on.
  void begin(std::uint64_t offer, std::uint64_t begin, ByteSpan into) noexcept;
  [[nodiscard]] ByteSpan next() noexcept;
  void close() noexcept;
  // The writer has told of all that it had begun to bring.
  [[nodiscard]] bool told() const noexcept;
  // Or will tell no more. `hung_up`: the other end is closed.
  [[nodiscard]] bool settled(const PeerMemory& writer, bool hung_up) const noexcept;
  [[nodiscard]] std::size_t brought() const noexcept;

 private:
  [[nodiscard]] std::uint64_t pieces_brought() const noexcept;

  CooperativeCopyControl* control_;
  std::uint64_t offer_ = 0, taken_ = 0, all_ = 0, asked_ = 0;  // asked_: what the writer has begun to bring
  ByteSpan into_;
};

class CooperativeWriter {
 public:
  CooperativeWriter(CooperativeCopyControl* control, const MemoryProofControl& reader, std::int32_t process) : control_(control), reader_(reader, process) {}

  void offers(std::uint64_t offer) noexcept;
  [[nodiscard]] bool wanted() const noexcept;
  void bring(ByteView offered) noexcept;                                                // a piece, if it is still wanted
  [[nodiscard]] std::uint64_t pieces_brought() const noexcept { return all_brought_; }  // of all offers

 private:
  [[nodiscard]] std::uint64_t wanted_pieces() const noexcept;  // the word that says so; 0: none
  void tell() noexcept;

  CooperativeCopyControl* control_;
  PeerMemory reader_;
  std::atomic<std::uint64_t> offer_{0};
  std::uint64_t brought_ = 0, all_brought_ = 0;  // pieces: of it, of all
  bool gave_up_ = false;
};

}  // namespace octavo::road
