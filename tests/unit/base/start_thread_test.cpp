// SPDX-License-Identifier: Apache-2.0
#include "base/start_thread.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <vector>

namespace octavo {
namespace {

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // whose own memory has no bound
TEST(StartThread, SaysWhatForAndWhatToChange) {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
  rlimit little{static_cast<rlim_t>(pages) * 4096 + (64 << 20), before.rlim_max};
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::vector<std::thread> threads;
  std::string said;
  ASSERT_EQ(::setrlimit(RLIMIT_AS, &little), 0);
  try {
    while (threads.size() < 100)
      threads.push_back(start_thread("that only waits", [&] {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return over; });
      }));
  } catch (const io_error& e) {
    said = e.what();
  }
  EXPECT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
  {
    std::lock_guard lock(mutex);
    over = true;
  }
  changed.notify_all();
  for (auto& each : threads) each.join();
  EXPECT_THAT(said, testing::HasSubstr("starting a thread that only waits: Resource temporarily unavailable (EAGAIN). Raise the limits"));
}
#endif

TEST(StartThread, ALimitOfFilesIsNamedWhereItBoundsMemory) {
  EXPECT_THAT(io_error_from(EFBIG, "making a page pool of 44 MiB").what(), testing::HasSubstr("ulimit -f unlimited"));
}

}  // namespace
}  // namespace octavo
