// SPDX-License-Identifier: Apache-2.0
// A process that was forked off one with a Runtime: it has none of it, may let go of it, and makes its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "conformance/process/counter.hpp"
#include "kit/watchdog.hpp"

namespace process_tests {
namespace {

namespace ov = octavo;

ov::RuntimeOptions scope() {
  ov::RuntimeOptions options;
  options.reach = ov::runtime_reach::scope;
  return options;
}

bool is_refused(const std::function<void()>& use) {
  try {
    use();
  } catch (const ov::usage_error& e) {
    return std::string(e.what()).find("which forked this one") != std::string::npos;
  }
  return false;
}

// The child's checks, as its exit status: it must not return into the tests.
int in_the_child(std::unique_ptr<ov::Runtime>& inherited) {
  if (!is_refused([&] { (void)inherited->machine(); })) return 10;
  if (!is_refused([&] { (void)inherited->use(); })) return 11;
  inherited.reset();
  ov::Runtime own(scope());
  auto use = own.use();
  auto p = own.machine().make<Counter>(5);
  return p->value() == 5 ? 0 : 12;
}

TEST(Forked, HasNothingOfItsParentsRuntimeAndMayMakeOneOfItsOwn) {
  ov::kit::Watchdog watchdog(60);
  auto runtime = std::make_unique<ov::Runtime>(scope());
  auto use = runtime->use();
  auto p = runtime->machine().make<Counter>(7);
  int pid = watchdog.fork();
  if (pid == 0) {
    ::alarm(30);  // ends a child that hangs
    int status = 13;
    try {
      status = in_the_child(runtime);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
    }
    std::_Exit(status);
  }
  EXPECT_EQ(p->value(), 7) << "the parent goes on at the same time";
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(p->value(), 7);
}

}  // namespace
}  // namespace process_tests
