// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/belt.hpp"

namespace octavo::stream {

void BeltBase::close(std::uint64_t end) noexcept {
  auto before = end_.load(std::memory_order_relaxed);
  while (end < before && !end_.compare_exchange_weak(before, end, std::memory_order_seq_cst)) {}
  readers_.wake_all();
  writers_.wake_all();
}

void BeltBase::cancel() noexcept {
  if (cancelled_.exchange(true, std::memory_order_seq_cst)) return;
  readers_.wake_all();
  writers_.wake_all();
}

void BeltBase::poll_first(int polls) noexcept {
  readers_.poll_first(polls);
  writers_.poll_first(polls);
}

}  // namespace octavo::stream
