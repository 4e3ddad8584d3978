// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/belt.hpp"

namespace octavo::stream {

void BeltBase::close(std::uint64_t end) noexcept {
  auto before = end_.load(std::memory_order_relaxed);
  while (end < before && !end_.compare_exchange_weak(before, end, std::memory_order_seq_cst)) {}
  if (played_ != nullptr) played_->step();
  readers_.wake_all();
  writers_.wake_all();
}

void BeltBase::cancel() noexcept {
  if (cancelled_.exchange(true, std::memory_order_seq_cst)) return;
  if (played_ != nullptr) played_->step();
  readers_.wake_all();
  writers_.wake_all();
}

void BeltBase::play(Played* by) noexcept {
  played_ = by;
  readers_.play(by);
  writers_.play(by);
}

void BeltBase::poll_first(int polls) noexcept {
  readers_.poll_first(polls);
  writers_.poll_first(polls);
}

}  // namespace octavo::stream
