// SPDX-License-Identifier: Apache-2.0
// A steady pattern of small messages allocates nothing: neither at its poster nor at its reader. A mutex that nobody else wants makes no system call,
// either.
#include <gtest/gtest.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "kit/watchdog.hpp"
#include "octavo/message.hpp"

namespace {
std::atomic<std::uint64_t> allocations{0};
}

// Not inlined: the compiler would take them for a pair that does not match.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (void* got = std::malloc(bytes)) return got;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* at) noexcept { std::free(at); }
[[gnu::noinline]] void operator delete(void* at, std::size_t) noexcept { std::free(at); }

namespace allocations_tests {

namespace ov = octavo;

struct Sample {
  int channel = 0;
  double value = 0;
};

class Station {
 public:
  // How often this process has allocated between the first and the last of them.
  std::uint64_t echo(const ov::Mailbox<Sample>& in, const ov::Mailbox<Sample>& out, int warm, int count) {
    for (int i = 0; i < warm; ++i) out.post(in.retrieve());
    const auto before = allocations.load();
    for (int i = 0; i < count; ++i) out.post(in.retrieve());
    return allocations.load() - before;
  }
};
OCTAVO_REMOTE(Station, echo)

namespace {

constexpr int warm = 2000, count = 20'000;

// The list of what has arrived and is unread doubles when more lie there than ever before, which a busy machine may do after the warm exchange: for 20
// messages at most five times. What each message allocated would be counted `count` times.
constexpr std::uint64_t list_grows = 5;

// `at_once` are under way together: on a machine busier than its cores each switch of processes takes milliseconds.
std::uint64_t allocations_of_exchange(const ov::Mailbox<Sample>& there, const ov::Mailbox<Sample>& back) {
  constexpr int at_once = 20;
  static_assert(warm % at_once == 0 && count % at_once == 0);
  std::uint64_t before = 0;
  for (int i = 0; i < warm + count; i += at_once) {
    if (i == warm) before = allocations.load();
    for (int k = i; k < i + at_once; ++k) there.post({k, 0.5});
    for (int k = i; k < i + at_once; ++k)
      if (int channel = back.retrieve().channel; channel != k) ADD_FAILURE() << channel << " instead of " << k;
  }
  return allocations.load() - before;
}

TEST(Allocations, NoneForSmallMessages) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  auto station = ov::process.make<Station>();
  ov::Mailbox<Sample> there("there"), back("back");
  auto theirs = ov::start(station)->echo(there, back, warm, count);
  EXPECT_LE(allocations_of_exchange(there, back), list_grows) << "here";
  EXPECT_LE(theirs.get(), list_grows) << "there";
}

TEST(Allocations, NoneBetweenThreads) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  ov::Mailbox<Sample> there("there"), back("back");
  std::uint64_t theirs = 1;
  std::thread other([&] { theirs = Station().echo(there, back, warm, count); });
  allocations_of_exchange(there, back);
  other.join();
  EXPECT_LE(theirs, 2 * list_grows) << "both threads together";
}

// In a thread that the kernel ends at its first system call but its own exit.
TEST(Allocations, NoneForAMutexThatNobodyElseWants) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  ov::Mutex mutex("m");
  std::uint64_t allocated = 1;
  std::atomic<bool> done{false}, forbidden{false};
  std::thread other([&] {
    auto lock_once = [&] { std::lock_guard lock(mutex); };
    lock_once();
    const auto before = allocations.load();
    forbidden = ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0;
    if (!forbidden) return;
    for (int i = 0; i < count; ++i) lock_once();
    allocated = allocations.load() - before;
    done = true;
    ::syscall(SYS_exit, 0);
  });
  other.join();
  if (!forbidden) GTEST_SKIP() << "here no thread can forbid itself system calls";
  EXPECT_TRUE(done);
  EXPECT_EQ(allocated, 0u);
}

}  // namespace
}  // namespace allocations_tests
