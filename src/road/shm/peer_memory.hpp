// SPDX-License-Identifier: Apache-2.0
// The memory of the process at the other end of a connection, for bulk that is copied from there or to there (process_vm_readv(2)) without a stop on
// the way, where the kernel lets it: not under Yama's ptrace_scope, or a seccomp filter without it.
//
//   MemoryProof proof(controls.mine);                     // each end has one
//   PeerMemory peer(controls.theirs, number_of_its_process);
//   if (peer.is_proven() && peer.read(into, from)) ...
//
// A number of a process may be another's by now. So each end says where a random number lies in its memory, which nobody else's memory holds:
// it is read there with each part, and before each that is written. (Between these two a process may still end and its number be given to another one,
// or begin another program: a microsecond, if this thread is not stopped just there. Writing to /proc/PID/mem would close it, and is mostly slower.)
// Threading: one thread at a time.
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
  // `process`: 0 where nobody knows but the other end itself.
  PeerMemory(const MemoryProofControl& control, std::int32_t process) : control_(&control), process_(process) {}

  // Tried once: the first time after the other end has said something.
  [[nodiscard]] bool is_proven() noexcept;
  // False: it cannot be read (any more), and what lies in `into` is of no use.
  bool read(ByteSpan into, std::uint64_t from) const noexcept;
  // False: nothing of it, a part or all may lie there.
  bool write(ByteView from, std::uint64_t to) const noexcept;

  // Whether is_over() will say so one day.
  [[nodiscard]] bool shows_its_end() noexcept;
  // The process, or its program, has ended: nothing goes on that it had begun to copy. `hung_up`: it has closed its end, which alone says little.
  [[nodiscard]] bool is_over(bool hung_up) const noexcept;

 private:
  const MemoryProofControl* control_;
  std::int32_t process_;
  bool tried_ = false, proven_ = false;
  Fd end_;
  std::uint64_t proof_at_ = 0;
  std::array<std::uint64_t, 2> proof_{};
};

}  // namespace octavo::road
