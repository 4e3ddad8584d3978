// SPDX-License-Identifier: Apache-2.0
// A process that was forked off one with a Runtime: it has none of it, may let go of it, and makes its own.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/process/counter.hpp"
#include "kit/child.hpp"
#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"

namespace process_tests {

// Its methods fork, and each gives the status with which the child ended that came to the method's end.
class Forker {
 public:
  int plain(bool fails) { return forked(fails); }
  std::string text(bool fails) { return std::to_string(forked(fails)); }

 private:
  static int forked(bool fails) {
    const pid_t child = ::fork();
    if (child == 0 && fails) throw std::runtime_error("of the child");
    if (child == 0) return -1;
    int status = 0;
    return ::waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -2;
  }
};
OCTAVO_REMOTE(Forker, plain, text)

namespace {

namespace ov = octavo;
using ov::kit::is_refused, ov::kit::status_of_child;

ov::RuntimeOptions scope() {
  ov::RuntimeOptions options;
  options.reach = ov::runtime_reach::scope;
  return options;
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

class ForkedCaller : public testing::TestWithParam<ov::runtime_reach> {};

// Nothing is sent: its parent's calls before and after are answered with what is theirs.
TEST_P(ForkedCaller, IsRefusedWhateverItAsksOfItsParentsObjects) {
  if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::forks_no_threads;
  ov::kit::Watchdog watchdog(60);
  ov::RuntimeOptions options;
  options.reach = GetParam();
  ov::Runtime runtime(options);
  auto use = runtime.use();
  auto p = runtime.machine().make<Counter>(7);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(p->value(), 7);  // the short way is open, and this thread is the bias owner
  auto asked = ov::start(p)->value();
  const int status = status_of_child(watchdog, [&] {
    if (!is_refused([&] { p->value(); })) return 20;
    if (!is_refused([&] { (void)ov::start(p)->value(); })) return 21;
    if (!is_refused([&] { ov::process.make<Counter>(1); })) return 22;
    if (!is_refused([&] { ov::thread.make<Counter>(1); })) return 23;
    if (!is_refused([&] { ov::destroy(p); })) return 24;
    if (!asked.ready() && !is_refused([&] { asked.get(); })) return 25;
    if (!is_refused([&] { (void)runtime.processes(); })) return 26;
    if (!is_refused([&] { runtime.kill(p.address(), 0); })) return 27;
    options.reach = ov::runtime_reach::program;
    ov::Runtime own(options);
    if (ov::process.make<Counter>(5)->value() != 5) return 28;
    { const auto inner = own.use(); }
    return ov::process.make<Counter>(6)->value() == 6 ? 0 : 29;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(asked.get(), 7);
  EXPECT_EQ(p->value(), 7);
  EXPECT_EQ(runtime.processes().size(), 2U) << "no object was made";
}
INSTANTIATE_TEST_SUITE_P(, ForkedCaller, testing::Values(ov::runtime_reach::program, ov::runtime_reach::scope),
                         [](const auto& each) { return each.param == ov::runtime_reach::program ? "Program" : "Scope"; });

TEST(Forked, HasNothingOfItsParentsRuntimeAndMayMakeOneOfItsOwn) {
  if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::forks_no_threads;
  ov::kit::Watchdog watchdog(60);
  auto runtime = std::make_unique<ov::Runtime>(scope());
  auto use = runtime->use();
  auto p = runtime->machine().make<Counter>(7);
  EXPECT_EQ(status_of_child(watchdog, [&] { return in_the_child(runtime); }), 0);
  EXPECT_EQ(p->value(), 7);
}

TEST(Forked, ChildOfAMethodAnswersNobody) {
  if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::forks_no_threads;
  const ov::kit::Watchdog watchdog(60);
  ov::Runtime runtime(scope());
  auto use = runtime.use();
  for (auto p : {runtime.machine().make<Forker>(), ov::thread.make<Forker>()})
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(p->plain(false), 0);
      EXPECT_EQ(p->plain(true), 1);
      EXPECT_EQ(p->text(false), "0");
      EXPECT_EQ(p->text(true), "1");
    }
}

}  // namespace
}  // namespace process_tests
