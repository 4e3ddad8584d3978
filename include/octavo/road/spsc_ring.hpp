// SPDX-License-Identifier: Apache-2.0
// A bounded queue between two threads: one puts, one takes. A value is moved in and moved out, nothing is allocated after the constructor, and
// neither side waits for the other or takes a lock.
//
//   SpscRing<std::unique_ptr<Job>> jobs(1024);      // at least so many
//   bool put = jobs.try_push(job);                  // one thread; false, and `job` untouched: it is full
//   bool got = jobs.try_pop(job);                   // one other thread; false: it is empty
//
// Each side looks at the other's position only when its last look is used up (Lamport 1983, with cached positions): while both are busy most
// values cost no cache miss of their own. Threading: one producer and one consumer at a time. Failure: what moving a T throws.
// Nothing of the library uses it yet: it is kept for the streams to come, as the bounded queue between two stages on threads of one process.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

namespace octavo::road {

template <class T>
class SpscRing {
 public:
  explicit SpscRing(std::size_t capacity) : mask_(std::bit_ceil(capacity) - 1), slots_(std::make_unique_for_overwrite<Slot[]>(mask_ + 1)) {
    if (capacity == 0) throw std::invalid_argument("a queue has room for at least one value");
  }
  ~SpscRing() {
    for (T* next = front(); next != nullptr; next = front()) pop_front();
  }
  SpscRing(const SpscRing&) = delete;
  SpscRing& operator=(const SpscRing&) = delete;
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

  bool try_push(T& value) {
    const std::size_t tail = producer_.mine.load(std::memory_order_relaxed);
    if (tail - producer_.seen > mask_ && tail - (producer_.seen = consumer_.mine.load(std::memory_order_acquire)) > mask_) return false;
    new (slots_[tail & mask_].bytes) T(std::move(value));
    producer_.mine.store(tail + 1, std::memory_order_release);
    return true;
  }
  bool try_push(T&& value) { return try_push(value); }

  bool try_pop(T& into) {
    T* next = front();
    if (next == nullptr) return false;
    into = std::move(*next);
    pop_front();
    return true;
  }
  // The consumer's: what comes next, where it lies; null: nothing is there.
  [[nodiscard]] T* front() noexcept {
    const std::size_t head = consumer_.mine.load(std::memory_order_relaxed);
    if (head == consumer_.seen && head == (consumer_.seen = producer_.mine.load(std::memory_order_acquire))) return nullptr;
    return at(head);
  }
  void pop_front() noexcept {
    const std::size_t head = consumer_.mine.load(std::memory_order_relaxed);
    at(head)->~T();
    consumer_.mine.store(head + 1, std::memory_order_release);
  }

 private:
  struct Slot {
    alignas(T) std::byte bytes[sizeof(T)];  // NOLINT(modernize-avoid-c-arrays): room for one, uncleared
  };
  struct alignas(64) Side {
    std::atomic<std::size_t> mine{0};
    std::size_t seen = 0;  // of the other side's
  };
  T* at(std::size_t position) noexcept { return std::launder(reinterpret_cast<T*>(slots_[position & mask_].bytes)); }

  const std::size_t mask_;
  std::unique_ptr<Slot[]> slots_;  // NOLINT(modernize-avoid-c-arrays): of a size known at run time, uncleared
  Side producer_, consumer_;
};

}  // namespace octavo::road
