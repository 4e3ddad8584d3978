// SPDX-License-Identifier: Apache-2.0
#include "road/shm/peer_memory.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/syscall.h>
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

bool PeerMemory::write(ByteView from, std::uint64_t to) const noexcept {
  if (!read({}, 0)) return false;
  const iovec here{const_cast<std::byte*>(from.data()), from.size()}, there{reinterpret_cast<void*>(to), from.size()};  // NOLINT: it is only read
  return ::process_vm_writev(process_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(from.size());
}

// First the descriptor, then the proof: so it is of this process.
bool PeerMemory::shows_its_end() noexcept {
  if (end_ || !proven_) return static_cast<bool>(end_);
  end_.reset(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0)));
  if (end_ && !read({}, 0)) end_.reset();
  return static_cast<bool>(end_);
}

// A process that has replaced its program (execve) has closed its end by that, and ended its threads before; what lies at the proof's address now is not the
// proof.
bool PeerMemory::is_over(bool hung_up) const noexcept {
  pollfd end{end_.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) == 1 || (hung_up && !read({}, 0));
}

}  // namespace octavo::road
