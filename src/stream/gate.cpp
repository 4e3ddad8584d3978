// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/gate.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>

namespace octavo::stream {
namespace {

// The time costs as much as several items; a thread that sleeps lightly wakes up by itself.
constexpr std::uint32_t looks_a_time = 32;
constexpr std::uint64_t most_counted = 64;  // items from sleep to sleep
constexpr std::int64_t nanoseconds(std::chrono::microseconds time) { return std::chrono::nanoseconds(time).count(); }

std::int64_t now(const Played* played) { return (played != nullptr ? played->now() : Played::Clock::now()).time_since_epoch().count(); }

long futex(std::atomic<std::uint32_t>& word, int what, std::uint32_t value, const timespec* time) noexcept {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), what | FUTEX_PRIVATE_FLAG, value, time, nullptr, 0);
}

}  // namespace

void Gate::pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// How far a thread is from what it named says nothing; how much further that is than the last time does. Several threads may get this wrong together: a nap is
// too short or too long then.
void Gate::choose_nap(std::uint64_t wanted) noexcept {
  const auto last = last_wanted_.load(std::memory_order_relaxed);
  if (wanted <= last || wanted == ~std::uint64_t{0}) return;
  last_wanted_.store(wanted, std::memory_order_relaxed);
  const auto now_came = static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted - last, most_counted));
  const auto came = (3 * came_.load(std::memory_order_relaxed) + 16 * now_came) / 4;
  came_.store(came, std::memory_order_relaxed);
  const auto nap = nap_.load(std::memory_order_relaxed);
  if (came >= 2 * 16) nap_.store(std::min(2 * nap, nanoseconds(longest_nap)), std::memory_order_relaxed);
  else if (came < 16 + 8) nap_.store(std::max(nap / 2, nanoseconds(shortest_nap)), std::memory_order_relaxed);
}

std::uint32_t Gate::begin_to_sleep(std::uint64_t wanted, bool deep) noexcept {
  if (played_ != nullptr) played_->step();
  const auto told = told_.load(std::memory_order_relaxed);
  wanted_.store(wanted, std::memory_order_relaxed);
  looks_.store(0, std::memory_order_relaxed);
  if (deep) deep_.fetch_add(1, std::memory_order_seq_cst);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (deep && !fences_) RealSteps::barrier();
  if (played_ != nullptr) played_->step();
  return told;
}

bool Gate::sleep(std::uint32_t told, bool deep) noexcept {
  const auto nap = nap_.load(std::memory_order_relaxed);
  if (played_ != nullptr)
    return played_->sleep([&] { return told_.load(std::memory_order_relaxed) != told; },
                          deep ? std::chrono::microseconds::max() : std::chrono::microseconds(nap / 1000));
  const timespec time{0, nap};
  futex(told_, FUTEX_WAIT, told, deep ? nullptr : &time);
  return told_.load(std::memory_order_relaxed) != told;
}

void Gate::end_sleep(bool deep) noexcept {
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  if (deep) deep_.fetch_sub(1, std::memory_order_relaxed);
}

void Gate::look(std::uint64_t number) noexcept {
  const bool is_wanted = deep_.load(std::memory_order_seq_cst) != 0 || number >= wanted_.load(std::memory_order_relaxed);
  const auto looks = looks_.load(std::memory_order_relaxed);
  looks_.store(looks + 1, std::memory_order_relaxed);
  if (!is_wanted && looks % looks_a_time != 0) return;
  const auto time = now(played_);
  if (!is_wanted && time - last_woken_.load(std::memory_order_relaxed) <= nap_.load(std::memory_order_relaxed)) return;
  last_woken_.store(time, std::memory_order_relaxed);
  wake_all();
}

void Gate::wake_all() noexcept {
  told_.fetch_add(1, std::memory_order_seq_cst);
  if (sleepers_.load(std::memory_order_seq_cst) == 0) return;  // a thread that comes now sees the change
  futex(told_, FUTEX_WAKE, INT_MAX, nullptr);
}

}  // namespace octavo::stream
