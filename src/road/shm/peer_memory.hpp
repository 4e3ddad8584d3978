// SPDX-License-Identifier: Apache-2.0
// The memory of the process at the other end of a connection, for bulk that is copied from there (process_vm_readv(2)) without a stop on the way, where
// the kernel lets it: not under Yama's ptrace_scope, or a seccomp filter without it. It is only read, never written to.
//
//   MemoryProof proof(controls.mine);                     // each end has one
//   PeerMemory peer(controls.theirs, number_of_its_process);
//   if (peer.is_proven() && peer.read(into, from)) ...
//
// A number of a process may be another's by now. So each end says where a random number lies in its memory, which nobody else's memory holds:
// it is read there with each part, by the same call.
// Threading: one thread at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "octavo/base/bytes.hpp"

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
  // `process`: 0 where nobody knows but the other end itself.
  PeerMemory(const MemoryProofControl& control, std::int32_t process) : control_(&control), process_(process) {}

  // Tried once: the first time after the other end has said something.
  [[nodiscard]] bool is_proven() noexcept;
  // False: it cannot be read (any more), and what lies in `into` is of no use.
  bool read(ByteSpan into, std::uint64_t from) const noexcept;

 private:
  const MemoryProofControl* control_;
  std::int32_t process_;
  bool tried_ = false, proven_ = false;
  std::uint64_t proof_at_ = 0;
  std::array<std::uint64_t, 2> proof_{};
};

}  // namespace octavo::road
