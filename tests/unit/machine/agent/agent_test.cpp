// SPDX-License-Identifier: Apache-2.0
// An agent alone: the test plays its processes, and speaks to it by their control sockets. Nothing that one of them does, or leaves undone, keeps the
// agent from serving the others.
#include "octavo/machine/agent.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <functional>
#include <string>

#include "kit/watchdog.hpp"
#include "machine/control.hpp"

namespace octavo {
namespace {

using std::chrono::milliseconds;
constexpr milliseconds patience{5000};

// One of the agent's processes.
struct Raw {
  Fd socket;
  Address who{};

  explicit Raw(Fd control) : socket(std::move(control)) {
    if (auto welcome = hear<control::Welcome>()) who = welcome->you.address;
  }
  void say(const control::Notice& notice) const { control::send(socket.get(), notice); }
  [[nodiscard]] bool is_readable(milliseconds within) const {
    pollfd one{socket.get(), POLLIN, 0};
    return ::poll(&one, 1, static_cast<int>(within.count())) == 1;
  }
  // The next notice of this kind; those before it are dropped.
  template <class Wanted>
  std::optional<Wanted> hear(std::vector<Fd>* descriptors = nullptr) const {
    while (is_readable(patience)) {
      auto received = control::receive(socket.get());
      if (!received) return std::nullopt;
      if (descriptors != nullptr) *descriptors = std::move(received->descriptors);
      if (const auto* notice = control::get_if<Wanted>(&received->notice)) return *notice;
    }
    return std::nullopt;
  }
  [[nodiscard]] bool is_served() const {
    say(control::List{4711});
    for (;;) {
      auto listing = hear<control::Listing>();
      if (!listing || listing->request == 4711) return listing.has_value();
    }
  }
};

class Agents : public testing::Test {
 protected:
  // An object that this test is, on a thread as the agent believes.
  Raw another() const {
    control::Spawn request;
    request.request = 1;
    request.where.on_thread = true;
    request.class_name = "Another";
    program.say(request);
    std::vector<Fd> given;
    if (!program.hear<control::Host>(&given) || given.size() != 1) throw std::runtime_error("the agent made no object");
    return Raw(std::move(given[0]));
  }
  // A process that is a script: descriptor 3 is its control socket.
  Address run(const std::string& script) const {
    control::Spawn request;
    request.request = 2;
    request.command = {"/bin/bash", "-c", script};
    request.class_name = "Script";
    program.say(request);
    auto made = program.hear<control::Connected>();
    if (!made) throw std::runtime_error("the agent made no process");
    return made->peer.address;
  }

  kit::Watchdog watchdog{60};
  Agent agent{AgentOptions{.machine = {}, .pool_bytes = 1 << 20, .home = {}}};
  Raw program{agent.join()};
};

// Thousands of answers that nobody reads: more than a socket holds.
TEST_F(Agents, AProcessThatDoesNotReadHoldsUpNobody) {
  constexpr std::uint64_t asked = 3000;
  Raw busy = another();
  for (std::uint64_t i = 1; i <= asked; ++i) busy.say(control::Kill{i, {1, 1, 999}, SIGTERM});
  EXPECT_TRUE(program.is_served());
  for (std::uint64_t i = 1; i <= asked; ++i) {  // in their order, when it reads again
    auto no = busy.hear<control::Failed>();
    ASSERT_TRUE(no);
    ASSERT_EQ(no->request, i);
  }
}

TEST_F(Agents, WhatIsNoNoticeIsDroppedAndTheNextIsHeard) {
  Raw other = another();
  for (std::size_t size : {1, 4, 40}) {
    std::vector<char> junk(size, '\7');
    ASSERT_EQ(::send(other.socket.get(), junk.data(), size, 0), static_cast<ssize_t>(size));
  }
  ASSERT_EQ(::send(other.socket.get(), nullptr, 0, 0), 0);
  EXPECT_TRUE(other.is_served());
  EXPECT_TRUE(program.is_served());
}

// The fork has descriptor 3 as long as it lives.
TEST_F(Agents, AProcessThatForkedIsReapedWhenItDies) {
  auto made = run("sleep 60 >/dev/null & kill -9 $$");
  auto died = program.hear<control::Died>();
  ASSERT_TRUE(died);
  EXPECT_EQ(died->obituary.facts.address, made);
  EXPECT_TRUE(WIFSIGNALED(died->obituary.status));
  EXPECT_TRUE(program.is_served());
}

TEST_F(Agents, AProcessThatDiesBehindBadNoticesIsReaped) {
  auto made = run("for i in {1..300}; do echo junk >&3; done; kill -9 $$");
  auto died = program.hear<control::Died>();
  ASSERT_TRUE(died);
  EXPECT_EQ(died->obituary.facts.address, made);
  EXPECT_TRUE(program.is_served());
}

// The program reaps every child it has: how this one ended nobody can say, but that it did.
TEST_F(Agents, TheDeathOfAProcessThatSomebodyElseReapedIsTold) {
  auto before = std::signal(SIGCHLD, SIG_IGN);
  auto made = run("head -c 1 <&3 >/dev/null; exit 3");  // it was welcomed: the agent knows it
  auto died = program.hear<control::Died>();
  std::signal(SIGCHLD, before);
  ASSERT_TRUE(died);
  EXPECT_EQ(died->obituary.facts.address, made);
  EXPECT_THAT(died->obituary.text(), testing::HasSubstr("how is not known"));
}

// Its lines are passed on to our standard error, which nobody reads.
TEST_F(Agents, StandardErrorThatNobodyReadsHoldsUpNobody) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  Fd reads(ends[0]), writes(ends[1]), before(::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0));
  ASSERT_GE(::dup2(writes.get(), STDERR_FILENO), 0);
  auto made = run("head -c 500000 /dev/zero | tr '\\0' '\\n' >&2; echo the end >&2");
  pollfd room{writes.get(), POLLOUT, 0};
  while (::poll(&room, 1, 0) == 1) ::usleep(1000);
  bool served = true;
  for (int i = 0; i < 50 && served; ++i, ::usleep(2000)) served = program.is_served();  // while more and more lines come
  std::string text;
  while (served && text.find("the end") == std::string::npos) {
    std::array<char, 4096> part{};
    auto n = ::read(reads.get(), part.data(), part.size());
    if (n <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  ::dup2(before.get(), STDERR_FILENO);
  ASSERT_TRUE(served);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 500001);
  auto died = program.hear<control::Died>();
  ASSERT_TRUE(died);
  EXPECT_EQ(died->obituary.facts.address, made);
}

}  // namespace
}  // namespace octavo
