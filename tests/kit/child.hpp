// SPDX-License-Identifier: Apache-2.0
// Checks in a child of fork(2) of a test:
//
//   EXPECT_EQ(ov::kit::status_of_child(watchdog, [&] { return is_refused([&] { box.post(1); }) ? 0 : 20; }), 0);
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo::kit {

// As what belongs to the process that forked this one.
inline bool is_refused(const std::function<void()>& use) {
  try {
    use();
  } catch (const usage_error& e) {
    return std::string(e.what()).find("which forked this one") != std::string::npos;
  }
  return false;
}

// Runs `checks` in a forked child and gives its exit status: it must not return into the tests.
inline int status_of_child(Watchdog& watchdog, const std::function<int()>& checks) {
  const int pid = watchdog.fork();
  if (pid == 0) {
    ::alarm(30);  // ends a child that hangs
    int status = 13;
    try {
      status = checks();
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    std::_Exit(status);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  return WEXITSTATUS(status);
}

}  // namespace octavo::kit
