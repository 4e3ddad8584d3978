// SPDX-License-Identifier: Apache-2.0
#include "road/shm/lent_bulk.hpp"

#include <algorithm>

namespace octavo::road {

namespace {

constexpr std::size_t at_once = 1 << 20;  // between two looks whether it still stands
constexpr std::uint32_t can = 1, cannot = 2;

constexpr std::uint64_t offer_of(std::uint64_t number, std::uint64_t taken) noexcept { return number << 48 | taken << 1 | 1; }
constexpr bool stands(std::uint64_t offer) noexcept { return (offer & 1) != 0; }
constexpr std::uint64_t number_of(std::uint64_t offer) noexcept { return offer >> 48; }
constexpr std::uint64_t bytes_taken_of(std::uint64_t offer) noexcept { return (offer & 0xffff'ffff'ffff) >> 1; }

}  // namespace

// --- the writer ---

void LentWriter::offer(std::uint64_t position, ByteView bulk) noexcept {
  bulk_ = bulk;
  number_ = (number_ + 1) & 0xffff;
  control_->position.store(position, std::memory_order_relaxed);
  control_->address.store(reinterpret_cast<std::uintptr_t>(bulk.data()), std::memory_order_relaxed);
  control_->bytes.store(bulk.size(), std::memory_order_relaxed);
  control_->offer.store(offer_of(number_, 0), std::memory_order_release);
  offers_.store(true, std::memory_order_release);
}

bool LentWriter::settled() const noexcept { return !stands(control_->offer.load(std::memory_order_acquire)) || !possible(); }

// What the reader says is never believed beyond what was offered.
std::size_t LentWriter::take_back() noexcept {
  offers_.store(false, std::memory_order_release);
  const auto was = control_->offer.exchange(number_ << 48, std::memory_order_acq_rel);
  return stands(was) ? static_cast<std::size_t>(std::min<std::uint64_t>(bytes_taken_of(was), bulk_.size())) : bulk_.size();
}

// --- the reader ---

LentReader::Standing LentReader::standing(std::uint64_t position) const noexcept {
  const auto offer = control_->offer.load(std::memory_order_acquire);
  if (!stands(offer) || control_->readable.load(std::memory_order_relaxed) != can || control_->position.load(std::memory_order_relaxed) != position) return {};
  const auto bytes = control_->bytes.load(std::memory_order_relaxed), taken = bytes_taken_of(offer);
  if (bytes <= taken) return {};
  return {offer, control_->address.load(std::memory_order_relaxed) + taken, bytes - taken};
}

std::size_t LentReader::read(std::uint64_t position, ByteSpan into) noexcept {
  auto what = standing(position);
  const auto part = into.first(static_cast<std::size_t>(std::min<std::uint64_t>({into.size(), what.left, at_once})));
  return !part.empty() && copy(what, part) ? part.size() : 0;
}

std::size_t LentReader::pass_over(std::uint64_t position, std::uint64_t most) noexcept {
  auto what = standing(position);
  const auto bytes = std::min(what.left, most);
  return bytes != 0 && took(what, bytes) ? static_cast<std::size_t>(bytes) : 0;
}

// Copies the next bytes of the offer. False: the writer has taken it back, and perhaps written over it; or it can be read no more.
bool LentReader::copy(Standing& what, ByteSpan into) noexcept {
  if (writer_.read(into, what.address)) return took(what, into.size());
  if (control_->offer.load(std::memory_order_acquire) == what.offer) control_->readable.store(cannot, std::memory_order_release);
  return false;
}

bool LentReader::took(Standing& what, std::uint64_t bytes) noexcept {
  auto offer = what.offer;
  const auto number = number_of(offer);
  what.address += bytes;
  what.left -= bytes;
  what.offer = what.left == 0 ? number << 48 : offer_of(number, bytes_taken_of(offer) + bytes);
  return control_->offer.compare_exchange_strong(offer, what.offer);
}

bool LentReader::release() noexcept {
  if (control_->wants_word.load(std::memory_order_seq_cst) == 0) return false;
  const bool stands_still = stands(control_->offer.load(std::memory_order_seq_cst)) && control_->readable.load(std::memory_order_relaxed) == can;
  return !stands_still && control_->wants_word.exchange(0, std::memory_order_seq_cst) != 0;
}

void LentReader::try_once() noexcept {
  if (tried_ || !writer_.is_proven()) return;
  tried_ = true;
  control_->readable.store(can, std::memory_order_release);
}

}  // namespace octavo::road
