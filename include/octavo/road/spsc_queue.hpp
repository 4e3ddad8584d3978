// SPDX-License-Identifier: Apache-2.0
// A queue between two threads that never says it is full: a chain of rings. When one is full the producer goes on in the next; the consumer
// hands a ring that it has emptied back, so that a steady flow allocates nothing.
//
//   SpscQueue<Item> items;
//   items.push(std::move(item));           // one thread
//   bool got = items.try_pop(item);        // one other thread
//
// Threading: one producer and one consumer at a time. Failure: std::bad_alloc from push, and a value that was moved into it is lost.
// Nothing of the library uses it yet: it is kept for the streams to come, as the unbounded queue between two stages on threads of one process.
#pragma once

#include "octavo/road/spsc_ring.hpp"

namespace octavo::road {

template <class T>
class SpscQueue {
 public:
  explicit SpscQueue(std::size_t ring = 1024) : writing_(new Link(ring)), reading_(writing_) {}
  ~SpscQueue() {
    while (reading_ != nullptr) delete std::exchange(reading_, reading_->next.load());
    delete spare_.load();
  }
  SpscQueue(const SpscQueue&) = delete;
  SpscQueue& operator=(const SpscQueue&) = delete;

  void push(T value) {
    if (writing_->ring.try_push(value)) return;
    Link* next = spare_.exchange(nullptr, std::memory_order_acquire);
    if (next == nullptr) next = new Link(writing_->ring.capacity());
    next->ring.try_push(value);
    std::exchange(writing_, next)->next.store(next, std::memory_order_release);
  }

  bool try_pop(T& into) {
    while (!reading_->ring.try_pop(into)) {
      Link* next = reading_->next.load(std::memory_order_acquire);
      if (next == nullptr) return false;
      if (reading_->ring.try_pop(into)) return true;  // put there after we looked, and before it was full
      Link* emptied = std::exchange(reading_, next);
      emptied->next.store(nullptr, std::memory_order_relaxed);
      delete spare_.exchange(emptied, std::memory_order_release);
    }
    return true;
  }

 private:
  struct Link {
    explicit Link(std::size_t capacity) : ring(capacity) {}
    SpscRing<T> ring;
    std::atomic<Link*> next{nullptr};
  };
  alignas(64) Link* writing_;
  alignas(64) Link* reading_;
  alignas(64) std::atomic<Link*> spare_{nullptr};
};

}  // namespace octavo::road
