// SPDX-License-Identifier: Apache-2.0
// Runtime says so when threads or descriptors exist before it ("How it is made"). The program is this one, run again with a
// variable that makes it do the wrong thing before Runtime.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace early_threads {

class Nothing {
 public:
  int one() { return 1; }
};
OCTAVO_REMOTE(Nothing, one)

namespace {

// Before main: in the server too, which is what must be noticed.
[[maybe_unused]] const bool wrong = [] {
  const char* what = std::getenv("OCTAVO_TEST_EARLY");
  if (what == nullptr) return false;
  if (std::string_view(what) == "thread") std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  if (std::string_view(what) == "descriptor") [[maybe_unused]]
    int leaked = ::open("/dev/null", O_RDONLY);
  return true;
}();

std::string said_by_server(const char* early) {
  ::setenv("OCTAVO_TEST_EARLY", early, 1);
  testing::internal::CaptureStderr();
  {
    octavo::Runtime runtime;
    auto p = runtime.machine().make<Nothing>();
    EXPECT_EQ(p->one(), 1);
    octavo::destroy(p);
  }
  ::unsetenv("OCTAVO_TEST_EARLY");
  return testing::internal::GetCapturedStderr();
}

TEST(EarlyThreads, TheServerSaysSo) {
  octavo::kit::Watchdog watchdog(60);
  EXPECT_THAT(said_by_server("thread"), testing::HasSubstr("threads were running before octavo::Runtime"));
  EXPECT_THAT(said_by_server("descriptor"), testing::HasSubstr("descriptors were open before octavo::Runtime"));
  EXPECT_THAT(said_by_server("nothing"), testing::Not(testing::HasSubstr("before octavo::Runtime")));
}

}  // namespace
}  // namespace early_threads
