// SPDX-License-Identifier: Apache-2.0
#include "road/shm/lent_bulk.hpp"

#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo::road {

namespace {

constexpr std::size_t at_once = 1 << 20;  // between two looks whether it still stands
constexpr std::uint32_t can = 1, cannot = 2;

constexpr std::uint64_t offer_of(std::uint64_t number, std::uint64_t taken) noexcept { return number << 48 | taken << 1 | 1; }
constexpr bool stands(std::uint64_t offer) noexcept { return (offer & 1) != 0; }
constexpr std::uint64_t number_of(std::uint64_t offer) noexcept { return offer >> 48; }
constexpr std::uint64_t taken_of(std::uint64_t offer) noexcept { return (offer & 0xffff'ffff'ffff) >> 1; }

}  // namespace

// --- the writer ---

LentWriter::LentWriter(LentControl* control) : control_(control) {
  std::array<std::uint64_t, 2> proof{};
  if (::getrandom(proof.data(), sizeof proof, 0) != sizeof proof) return;  // then it is never possible
  proof_ = std::make_unique<std::array<std::uint64_t, 2>>(proof);
  for (std::size_t i = 0; i < proof.size(); ++i) control->proof.at(i).store(proof.at(i), std::memory_order_relaxed);
  control->proof_at.store(reinterpret_cast<std::uintptr_t>(proof_.get()), std::memory_order_relaxed);
  control->process.store(::getpid(), std::memory_order_release);
}

void LentWriter::offer(std::uint64_t position, ByteView bulk) noexcept {
  bytes_ = bulk.size();
  number_ = (number_ + 1) & 0xffff;
  control_->position.store(position, std::memory_order_relaxed);
  control_->address.store(reinterpret_cast<std::uintptr_t>(bulk.data()), std::memory_order_relaxed);
  control_->bytes.store(bytes_, std::memory_order_relaxed);
  control_->offer.store(offer_of(number_, 0), std::memory_order_release);
  offers_.store(true, std::memory_order_release);
}

bool LentWriter::settled() const noexcept { return !stands(control_->offer.load(std::memory_order_acquire)) || !possible(); }

// What the reader says is never believed beyond what was offered.
std::size_t LentWriter::take_back() noexcept {
  offers_.store(false, std::memory_order_release);
  const auto was = control_->offer.exchange(number_ << 48, std::memory_order_acq_rel);
  return static_cast<std::size_t>(std::min(stands(was) ? taken_of(was) : bytes_, bytes_));
}

// --- the reader ---

LentReader::Standing LentReader::standing(std::uint64_t position) const noexcept {
  const auto offer = control_->offer.load(std::memory_order_acquire);
  if (!stands(offer) || control_->readable.load(std::memory_order_relaxed) != can || control_->position.load(std::memory_order_relaxed) != position) return {};
  const auto bytes = control_->bytes.load(std::memory_order_relaxed), taken = taken_of(offer);
  if (bytes <= taken) return {};
  return {offer, control_->address.load(std::memory_order_relaxed) + taken, bytes - taken};
}

std::size_t LentReader::read(std::uint64_t position, ByteSpan into) noexcept {
  const auto what = standing(position);
  const auto part = into.first(static_cast<std::size_t>(std::min<std::uint64_t>({into.size(), what.left, at_once})));
  if (part.empty()) return 0;
  if (copy(part, what.address)) return took(what, part.size()) ? part.size() : 0;
  if (control_->offer.load(std::memory_order_acquire) == what.offer) control_->readable.store(cannot, std::memory_order_release);
  return 0;
}

std::size_t LentReader::pass_over(std::uint64_t position, std::uint64_t most) noexcept {
  const auto what = standing(position);
  const auto bytes = std::min(what.left, most);
  return bytes != 0 && took(what, bytes) ? static_cast<std::size_t>(bytes) : 0;
}

// False: it was taken back, and perhaps written over.
bool LentReader::took(const Standing& what, std::uint64_t bytes) noexcept {
  auto offer = what.offer;
  const auto number = number_of(offer);
  return control_->offer.compare_exchange_strong(offer, bytes == what.left ? number << 48 : offer_of(number, taken_of(offer) + bytes));
}

bool LentReader::release() noexcept {
  if (control_->wants_word.load(std::memory_order_seq_cst) == 0) return false;
  const bool stands_still = stands(control_->offer.load(std::memory_order_seq_cst)) && control_->readable.load(std::memory_order_relaxed) == can;
  return !stands_still && control_->wants_word.exchange(0, std::memory_order_seq_cst) != 0;
}

void LentReader::try_once() noexcept {
  if (tried_ || control_->process.load(std::memory_order_acquire) == 0) return;
  tried_ = true;
  process_ = control_->process.load(std::memory_order_relaxed);
  proof_at_ = control_->proof_at.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < proof_.size(); ++i) proof_.at(i) = control_->proof.at(i).load(std::memory_order_relaxed);
  if (copy({}, 0)) control_->readable.store(can, std::memory_order_release);
}

bool LentReader::copy(ByteSpan into, std::uint64_t from) const noexcept {
  std::array<std::uint64_t, 2> proof{};
  std::array<iovec, 2> here{{{proof.data(), sizeof proof}, {into.data(), into.size()}}};
  std::array<iovec, 2> there{{{reinterpret_cast<void*>(proof_at_), sizeof proof}, {reinterpret_cast<void*>(from), into.size()}}};
  const auto got = ::process_vm_readv(process_, here.data(), here.size(), there.data(), there.size(), 0);
  return got == static_cast<ssize_t>(sizeof proof + into.size()) && proof == proof_;
}

}  // namespace octavo::road
