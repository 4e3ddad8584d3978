// SPDX-License-Identifier: Apache-2.0
// A bounded queue of many threads to one. A value is moved in and out; nothing is allocated after the constructor, and no lock is taken.
//
//   MpscRing<Order> orders(64);
//   bool put = orders.try_push(order);    // any thread; false, and `order` untouched: it is full
//   bool got = orders.try_pop(order);     // one thread
//
// A slot says itself that it is filled, in the cache line of its value (as in Vyukov's bounded queue), and the consumer never writes there; how far
// the consumer is, producers look once in a lap. So a small value that is waited for costs one line handed over, and small ones share lines.
// A producer that stops between taking its place and filling it holds up those behind it.
// Failure: moving a T must not throw.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace octavo::road {

template <class T>
class MpscRing {
  static_assert(std::is_nothrow_move_constructible_v<T> && std::is_nothrow_move_assignable_v<T>, "a place that was taken must be filled");

 public:
  explicit MpscRing(std::size_t capacity) : mask_(std::bit_ceil(capacity) - 1), slots_(std::make_unique<Slot[]>(mask_ + 1)) {
    if (capacity == 0) throw std::invalid_argument("a queue has room for at least one value");
  }
  ~MpscRing() {
    for (T* next = front(); next != nullptr; next = front()) pop_front();
  }
  [[nodiscard]] std::size_t capacity() const noexcept { return mask_ + 1; }

  bool try_push(T& value) noexcept {
    std::size_t place = tail_.load(std::memory_order_relaxed);
    do {
      if (!has_room(place, seen_head_.load(std::memory_order_acquire)) && !has_room(place, look_at_head())) return false;
    } while (!tail_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed));
    Slot& slot = slots_[place & mask_];
    new (slot.bytes) T(std::move(value));
    slot.filled.store(place + 1, std::memory_order_release);
    return true;
  }
  bool try_push(T&& value) noexcept { return try_push(value); }

  // Any thread: whether try_push would have failed just now.
  [[nodiscard]] bool full() const noexcept {
    const std::size_t head = head_.load(std::memory_order_acquire);
    return !has_room(tail_.load(std::memory_order_relaxed), head);
  }

  // Any thread: nothing lies there, nor is just being put there.
  [[nodiscard]] bool empty() const noexcept { return tail_.load(std::memory_order_acquire) == head_.load(std::memory_order_acquire); }

  bool try_pop(T& into) noexcept {
    T* next = front();
    if (next == nullptr) return false;
    into = std::move(*next);
    pop_front();
    return true;
  }
  // The consumer's: what comes next, where it lies; null: nothing is there.
  [[nodiscard]] T* front() noexcept {
    return has() ? std::launder(reinterpret_cast<T*>(slots_[head_.load(std::memory_order_relaxed) & mask_].bytes)) : nullptr;
  }
  void pop_front() noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    std::launder(reinterpret_cast<T*>(slots_[head & mask_].bytes))->~T();
    head_.store(head + 1, std::memory_order_release);
  }
  // Any thread: whether the consumer would have found something just now.
  [[nodiscard]] bool has() const noexcept {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    return slots_[head & mask_].filled.load(std::memory_order_acquire) == head + 1;
  }

 private:
  struct alignas(alignof(std::max_align_t)) Slot {
    std::atomic<std::size_t> filled{0};     // the place of its value, plus one
    alignas(T) std::byte bytes[sizeof(T)];  // NOLINT(modernize-avoid-c-arrays): room for one, uncleared
  };

  // A place that was read long ago may lie before the head: then another has it, and the tail says so.
  [[nodiscard]] bool has_room(std::size_t place, std::size_t head) const noexcept {
    return static_cast<std::ptrdiff_t>(place - head) <= static_cast<std::ptrdiff_t>(mask_);
  }
  // By producers, once in a lap: the consumer writes it with each value.
  std::size_t look_at_head() noexcept {
    const std::size_t head = head_.load(std::memory_order_acquire);
    seen_head_.store(head, std::memory_order_release);
    return head;
  }

  const std::size_t mask_;
  std::unique_ptr<Slot[]> slots_;  // NOLINT(modernize-avoid-c-arrays): of a size known at run time
  alignas(64) std::atomic<std::size_t> tail_{0};
  std::atomic<std::size_t> seen_head_{0};         // by a producer
  alignas(64) std::atomic<std::size_t> head_{0};  // of the consumer
};

}  // namespace octavo::road
