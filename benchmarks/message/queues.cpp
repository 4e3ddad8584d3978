// SPDX-License-Identifier: Apache-2.0
#include "message/queues.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <octavo/road/mpsc_ring.hpp>
#include <thread>
#include <vector>

#include "kit/clock.hpp"
#include "kit/pinned.hpp"

namespace bench {

namespace {

constexpr std::size_t pointers = 4'000'000, room = 2048;

template <class Push, class Pop>
double per_second(Push push, Pop pop) {
  std::atomic<int> there{0};
  auto begin = [&there] {
    ++there;
    while (there.load() != 2) {}
  };
  const PinnedHere pinned;
  std::thread producer([&] {
    pin_there();
    begin();
    int target = 0;
    for (std::size_t i = 0; i < pointers; ++i) push(&target);
  });
  begin();
  auto since = Clock::now();
  for (std::size_t i = 0; i < pointers; ++i) pop();
  double seconds = seconds_since(since);
  producer.join();
  return static_cast<double>(pointers) / seconds;
}

}  // namespace

double many_to_one_per_second() {
  octavo::road::MpscRing<int*> ring(room);
  return per_second(
      [&](int* value) {
        while (!ring.try_push(value)) {}
      },
      [&] {
        int* got = nullptr;
        while (!ring.try_pop(got)) {}
      });
}

double bare_ring_per_second() {
  constexpr std::size_t batch = 64;
  std::vector<int*> slots(room);
  struct alignas(64) Position {
    std::atomic<std::size_t> at{0};
  };
  auto head = std::make_unique<Position>(), tail = std::make_unique<Position>();
  return per_second(
      [&, pushed = std::size_t{0}, free_to = room](int* value) mutable {
        while (pushed == free_to) free_to = head->at.load(std::memory_order_acquire) + room;
        slots[pushed % room] = value;
        if (++pushed % batch == 0 || pushed == pointers) tail->at.store(pushed, std::memory_order_release);
      },
      [&, popped = std::size_t{0}, filled_to = std::size_t{0}]() mutable {
        while (popped == filled_to) filled_to = tail->at.load(std::memory_order_acquire);
        int* got = slots[popped % room];
        asm volatile("" : : "r"(got));
        if (++popped % batch == 0) head->at.store(popped, std::memory_order_release);
      });
}

}  // namespace bench
