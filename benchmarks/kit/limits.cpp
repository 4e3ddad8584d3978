// SPDX-License-Identifier: Apache-2.0
#include "kit/limits.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <system_error>
#include <thread>
#include <vector>

#include "kit/beside.hpp"
#include "kit/clock.hpp"
#include "kit/pinned.hpp"

namespace bench {

namespace {

struct alignas(64) Line {
  std::atomic<std::uint32_t> turn{0};
};

void spin_until(Line& line, std::uint32_t turn) {
  while (line.turn.load(std::memory_order_acquire) != turn) {}
}
void sleep_until(Line& line, std::uint32_t turn) {
  for (std::uint32_t now = line.turn.load(std::memory_order_acquire); now != turn; now = line.turn.load(std::memory_order_acquire))
    ::syscall(SYS_futex, &line.turn, FUTEX_WAIT, now, nullptr, nullptr, 0);
}
void wake(Line& line) { ::syscall(SYS_futex, &line.turn, FUTEX_WAKE, 1, nullptr, nullptr, 0); }

template <bool asleep>
void hand_over(Line& line, std::uint32_t turn, std::uint32_t back) {
  line.turn.store(turn, std::memory_order_release);
  if constexpr (asleep) wake(line);
  if constexpr (asleep) sleep_until(line, back);
  else spin_until(line, back);
}
template <bool asleep>
void answer(Line& line, std::uint32_t turns) {
  for (std::uint32_t i = 0; i < turns; ++i) {
    if constexpr (asleep) sleep_until(line, 2 * i + 1);
    else spin_until(line, 2 * i + 1);
    line.turn.store(2 * i + 2, std::memory_order_release);
    if constexpr (asleep) wake(line);
  }
}
template <bool asleep>
double half_trip(Line& line, std::uint32_t turns) {
  hand_over<asleep>(line, 1, 2);  // the other is there
  auto begin = Clock::now();
  for (std::uint32_t i = 1; i < turns; ++i) hand_over<asleep>(line, 2 * i + 1, 2 * i + 2);
  return seconds_since(begin) / (turns - 1) / 2;
}

// Each turn begins when the other has gone to sleep, and its core with it.
double half_trip_after_rest(Line& line, std::uint32_t turns) {
  hand_over<true>(line, 1, 2);
  double sum = 0;
  for (std::uint32_t i = 1; i < turns; ++i) {
    std::this_thread::sleep_for(rest);
    auto begin = Clock::now();
    hand_over<true>(line, 2 * i + 1, 2 * i + 2);
    sum += seconds_since(begin);
  }
  return sum / (turns - 1) / 2;
}

template <bool asleep>
double between_processes(std::uint32_t turns) {
  void* got = ::mmap(nullptr, sizeof(Line), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping a cache line");
  auto& line = *new (got) Line;
  const double seconds = beside([&] { answer<asleep>(line, turns); },  // it touches nothing but the line
                                [&] { return asleep ? half_trip_after_rest(line, turns) : half_trip<asleep>(line, turns); }, "hands the line back");
  ::munmap(got, sizeof(Line));
  return seconds;
}

}  // namespace

double line_between_processes() { return between_processes<false>(50'000); }
double wake_between_processes() { return between_processes<true>(50); }

double line_between_threads() {
  constexpr std::uint32_t turns = 50'000;
  Line line;
  const PinnedHere pinned;
  std::thread other([&] {
    pin_there();
    answer<false>(line, turns);
  });
  double seconds = half_trip<false>(line, turns);
  other.join();
  return seconds;
}

double copying(std::size_t bytes) {
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes, std::byte{2});
  const int times = static_cast<int>(std::max<std::size_t>(3, (std::size_t{256} << 20) / bytes));
  auto begin = Clock::now();
  for (int i = 0; i < times; ++i) {
    std::memcpy(to.data(), from.data(), bytes);
    asm volatile("" : : "r"(to.data()) : "memory");
  }
  return static_cast<double>(bytes) * times / seconds_since(begin);
}

double reading(std::size_t bytes) {
  std::vector<std::uint64_t> from(bytes / sizeof(std::uint64_t), 1);
  const int times = static_cast<int>(std::max<std::size_t>(3, (std::size_t{256} << 20) / bytes));
  auto begin = Clock::now();
  for (int i = 0; i < times; ++i) {
    std::uint64_t sum = 0;
    for (auto word : from) sum += word;
    asm volatile("" : : "r"(sum) : "memory");
  }
  return static_cast<double>(bytes) * times / seconds_since(begin);
}

}  // namespace bench
