// SPDX-License-Identifier: Apache-2.0
#include "data/segments.hpp"

#include <atomic>
#include <mutex>
#include <octavo/message.hpp>
#include <span>
#include <vector>

#include "kit/clock.hpp"

namespace bench {

namespace {

using Word = std::uint64_t;
constexpr std::size_t stores = 4'000'000, locked_stores = 1'000'000;
constexpr std::size_t stride = 8 * 61;  // words from one to the next: a line of a page that prefetching does not expect

// Each is done: the compiler is told that somebody reads.
double storing(std::span<Word> memory) {
  const std::size_t mask = memory.size() - 1;
  const auto begin = Clock::now();
  for (std::size_t i = 0, at = 0; i < stores; ++i, at = (at + stride) & mask) {
    memory[at] = i;
    asm volatile("" ::: "memory");
  }
  return seconds_since(begin) / static_cast<double>(stores);
}

template <class Locked>
double storing_locked(const Locked& store) {
  const auto begin = Clock::now();
  for (std::size_t i = 0; i < locked_stores; ++i) store(i);
  return seconds_since(begin) / static_cast<double>(locked_stores);
}

}  // namespace

double segment_store(std::size_t bytes) {
  const octavo::Segment<Word> segment("stored to " + std::to_string(bytes), bytes / sizeof(Word));
  return storing(std::span<Word>(segment.begin(), segment.end()));
}

double plain_store(std::size_t bytes) {
  std::vector<Word> memory(bytes / sizeof(Word));
  return storing(memory);
}

double locked_segment_store() {
  static_assert((near & (near - 1)) == 0 && (wide & (wide - 1)) == 0);
  const octavo::Segment<Word> segment("locked", 8);
  octavo::Mutex mutex("nobody else's");
  return storing_locked([&](std::size_t i) {
    const std::lock_guard lock(mutex);
    segment[0] = i;
  });
}

double locked_plain_store() {
  alignas(64) std::atomic<Word> word{0};
  alignas(64) volatile Word stored = 0;
  return storing_locked([&](std::size_t i) {
    Word free = 0, mine = 7;
    word.compare_exchange_strong(free, 7, std::memory_order_acquire);
    stored = i;
    word.compare_exchange_strong(mine, 0, std::memory_order_release);
  });
}

}  // namespace bench
