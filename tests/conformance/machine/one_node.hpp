// SPDX-License-Identifier: Apache-2.0
// A program with one other machine, "node", whose agent a command runs; and what holds by whichever way its bytes go.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>

#include <array>
#include <csignal>
#include <functional>
#include <optional>

#include "conformance/process/every_place.hpp"
#include "kit/left_behind.hpp"

namespace process_tests {

class OneNode : public testing::Test {
 protected:
  [[nodiscard]] int agent() const {
    for (const auto& each : runtime->processes())
      if (each.machine == "node" && each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }

  // SSH-2, SSH-5: a command that is killed is the end of its machine, and another can begin.
  void kill_the_command() {
    auto there = node.make<Counter>();
    const int object = there->pid(), its_agent = agent();
    auto waiting = ov::start(there)->sleep_until_killed();
    for (int child : ov::kit::children())
      if (child != its_agent) ::kill(child, SIGKILL);
    try {
      waiting.get();
      FAIL();
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("the command 'sh' that ran its agent was ended by signal 9"));
    }
    until([&] { return !alive(object) && !alive(its_agent); });
    EXPECT_EQ(node.make<Counter>(3)->value(), 3);
  }

  // SSH-3: nothing is left there of a program that is killed. `begin`: in that program.
  void kill_the_program(const std::function<void()>& begin) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const int program = watchdog.fork();
    if (program == 0) {
      begin();
      auto there = node.make<Counter>();
      std::array<int, 2> pids{there->pid(), agent()};
      [[maybe_unused]] auto n = ::write(pipe[1], pids.data(), sizeof pids);
      for (;;) ::pause();
    }
    std::array<int, 2> pids{};
    ASSERT_EQ(::read(pipe[0], pids.data(), sizeof pids), static_cast<ssize_t>(sizeof pids));
    EXPECT_TRUE(alive(pids[0]) && alive(pids[1]));
    ::kill(program, SIGKILL);
    ::waitpid(program, nullptr, 0);
    until([&] { return !alive(pids[0]) && !alive(pids[1]); });
    for (int end : pipe) ::close(end);
  }

  ov::kit::Watchdog watchdog{100};
  std::optional<ov::Runtime> runtime;
  ov::Machine node{"node"};
};

}  // namespace process_tests
