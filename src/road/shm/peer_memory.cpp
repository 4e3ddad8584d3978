// SPDX-License-Identifier: Apache-2.0
#include "road/shm/peer_memory.hpp"

#include <poll.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>

namespace octavo::road {

MemoryProof::MemoryProof(MemoryProofControl& control) {
  std::array<std::uint64_t, 2> number{};
  if (::getrandom(number.data(), sizeof number, 0) != sizeof number) return;  // then nothing is ever proven
  number_ = std::make_unique<std::array<std::uint64_t, 2>>(number);
  for (std::size_t i = 0; i < number.size(); ++i) control.number.at(i).store(number.at(i), std::memory_order_relaxed);
  control.at.store(reinterpret_cast<std::uintptr_t>(number_.get()), std::memory_order_relaxed);
  control.process.store(::getpid(), std::memory_order_release);
}

bool PeerMemory::is_proven() noexcept {
  if (tried_ || control_->process.load(std::memory_order_acquire) == 0) return proven_;
  tried_ = true;
  number_of_process_ = control_->process.load(std::memory_order_relaxed);
  proof_at_ = control_->at.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < proof_.size(); ++i) proof_.at(i) = control_->number.at(i).load(std::memory_order_relaxed);
  process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, number_of_process_, 0)));  // before it is proven that it is this one
  return proven_ = look({}, 0) == found::proof;
}

bool PeerMemory::read(ByteSpan into, std::uint64_t from) const noexcept { return look(into, from) == found::proof; }

PeerMemory::found PeerMemory::look(ByteSpan into, std::uint64_t from) const noexcept {
  std::array<std::uint64_t, 2> number{};
  std::array<iovec, 2> here{{{number.data(), sizeof number}, {into.data(), into.size()}}};
  std::array<iovec, 2> there{{{reinterpret_cast<void*>(proof_at_), sizeof number}, {reinterpret_cast<void*>(from), into.size()}}};
  const auto got = ::process_vm_readv(number_of_process_, here.data(), here.size(), there.data(), there.size(), 0);
  if (got < 0) return errno == EFAULT ? found::another : found::nothing;
  if (number != proof_) return found::another;
  return got == static_cast<ssize_t>(sizeof number + into.size()) ? found::proof : found::nothing;
}

bool PeerMemory::write(ByteView from, std::uint64_t to) const noexcept {
  if (look({}, 0) != found::proof) return false;
  const iovec here{const_cast<std::byte*>(from.data()), from.size()}, there{reinterpret_cast<void*>(to), from.size()};  // NOLINT: it is only read
  return ::process_vm_writev(number_of_process_, &here, 1, &there, 1, 0) == static_cast<ssize_t>(from.size());
}

// Memory that is another's now belongs to a program that was begun in its place: its threads had ended before.
bool PeerMemory::is_over() const noexcept {
  if (look({}, 0) == found::another) return true;
  pollfd end{process_.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) == 1;
}

}  // namespace octavo::road
