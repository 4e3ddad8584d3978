// SPDX-License-Identifier: Apache-2.0
#include "base/delay_point.hpp"

#ifdef OCTAVO_DELAYS

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "base/delay_choices.hpp"

namespace octavo {

namespace {

std::uint64_t the_seed() noexcept {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("OCTAVO_DELAY_SEED");  // NOLINT(concurrency-mt-unsafe): nobody changes it
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
  }();
  return seed;
}

struct Ordinals {
  std::atomic<std::uint64_t> process{0}, threads{0};  // threads: that came by a point so far
};
Ordinals& ordinals() noexcept {
  static constinit Ordinals mine;
  return mine;
}

thread_local bool never = false;

}  // namespace

void delay_this_thread_never() noexcept { never = true; }

void set_delayed_process(std::uint64_t number) noexcept { ordinals().process.store(number, std::memory_order_relaxed); }

void delay_point(const char* name) noexcept {
  if (the_seed() == 0 || never) return;
  thread_local DelayChoices choices(the_seed(), ordinals().process.load(std::memory_order_relaxed), ordinals().threads.fetch_add(1, std::memory_order_relaxed));
  const auto choice = choices.next(name);
  const int error = errno;  // of what the caller has just done
  if (choice.to_do == DelayChoices::what::yield) std::this_thread::yield();
  if (choice.to_do == DelayChoices::what::sleep) std::this_thread::sleep_for(choice.time);
  errno = error;
}

}  // namespace octavo

#endif
