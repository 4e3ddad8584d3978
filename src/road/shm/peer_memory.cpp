// SPDX-License-Identifier: Apache-2.0
#include "road/shm/peer_memory.hpp"

#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

namespace octavo::road {

MemoryProof::MemoryProof(MemoryProofControl& control) {
  std::array<std::uint64_t, 2> number{};
  if (::getrandom(number.data(), sizeof number, 0) != sizeof number) return;  // then nothing is ever proven
  number_ = std::make_unique<std::array<std::uint64_t, 2>>(number);
  for (std::size_t i = 0; i < number.size(); ++i) control.number.at(i).store(number.at(i), std::memory_order_relaxed);
  control.at.store(reinterpret_cast<std::uintptr_t>(number_.get()), std::memory_order_relaxed);
  control.process.store(::getpid(), std::memory_order_release);
}

// The process that the other end names is believed only where the agent has named none: the other end could name any process, also this one.
bool PeerMemory::is_proven() noexcept {
  const auto named = control_->process.load(std::memory_order_acquire);
  if (tried_ || named == 0) return proven_;
  tried_ = true;
  if (process_ == 0) process_ = named;
  proof_at_ = control_->at.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < proof_.size(); ++i) proof_.at(i) = control_->number.at(i).load(std::memory_order_relaxed);
  return proven_ = process_ == named && read({}, 0);
}

bool PeerMemory::read(ByteSpan into, std::uint64_t from) const noexcept {
  std::array<std::uint64_t, 2> proof{};
  std::array<iovec, 2> here{{{proof.data(), sizeof proof}, {into.data(), into.size()}}};
  std::array<iovec, 2> there{{{reinterpret_cast<void*>(proof_at_), sizeof proof}, {reinterpret_cast<void*>(from), into.size()}}};
  const auto got = ::process_vm_readv(process_, here.data(), here.size(), there.data(), there.size(), 0);
  return got == static_cast<ssize_t>(sizeof proof + into.size()) && proof == proof_;
}

}  // namespace octavo::road
