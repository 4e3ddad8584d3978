// SPDX-License-Identifier: Apache-2.0
// The memory of the process at the other end of a connection, for bulk that is copied from there or to there (process_vm_readv(2)) without a stop on
// the way, where the kernel lets it: not under Yama's ptrace_scope, or a seccomp filter without it.
//
//   MemoryProof proof(controls.mine);              // each end has one
//   PeerMemory peer(controls.theirs);
//   if (peer.is_proven() && peer.read(into, from)) ...
//
// A number of a process may be another's by now. So each end says where a random number lies in its memory, which nobody else's memory holds:
// it is read there with each part.
// Threading: one thread uses a PeerMemory.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "octavo/base/bytes.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::road {

// In shared memory; zero bytes are valid.
struct MemoryProofControl {
  std::atomic<std::int32_t> process{0};
  std::atomic<std::uint64_t> at{0};
  std::array<std::atomic<std::uint64_t>, 2> number{};
};

class MemoryProof {
 public:
  explicit MemoryProof(MemoryProofControl& control);

 private:
  std::unique_ptr<std::array<std::uint64_t, 2>> number_;
};

class PeerMemory {
 public:
  explicit PeerMemory(const MemoryProofControl& control) : control_(&control) {}

  // Tried once: the first time after the other end has said something.
  [[nodiscard]] bool is_proven() noexcept;
  // False: it cannot be read (any more), and what lies in `into` is of no use.
  bool read(ByteSpan into, std::uint64_t from) const noexcept;
  // Where it was proven just now; after what was written may lie there nothing, a part, or all of it if it is false.
  bool write(ByteView from, std::uint64_t to) const noexcept;
  // The process, or its program, has ended: nothing that it had begun to copy goes on.
  [[nodiscard]] bool is_over() const noexcept;
  [[nodiscard]] bool shows_its_end() const noexcept { return proven_ && process_; }  // else is_over() may never say so

 private:
  enum class found : std::uint8_t { proof, another, nothing };
  [[nodiscard]] found look(ByteSpan into, std::uint64_t from) const noexcept;

  const MemoryProofControl* control_;
  bool tried_ = false, proven_ = false;
  Fd process_;
  std::int32_t number_of_process_ = 0;
  std::uint64_t proof_at_ = 0;
  std::array<std::uint64_t, 2> proof_{};
};

}  // namespace octavo::road
