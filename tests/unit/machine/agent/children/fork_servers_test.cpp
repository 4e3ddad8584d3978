// SPDX-License-Identifier: Apache-2.0
// An agent's fork servers, without one: the test has the other end of each socket and answers as it likes, and an eventfd is the pidfd.
#include "machine/agent/children/fork_servers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <functional>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {
namespace {

constexpr pid_t nobody = 1 << 29;

class ForkServersTest : public testing::Test {
 protected:
  struct Begun {
    ForkServers::Command command;
    Fd socket, end;
  };
  spawn::Started begin(const ForkServers::Command& command) {
    if (none_begins) throw io_error("no such program");
    auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "testing");
    spawn::Started run{nobody, Fd(::eventfd(0, EFD_CLOEXEC)), std::move(ours), {}};
    begun.push_back({command, std::move(theirs), Fd(::fcntl(run.pidfd.get(), F_DUPFD_CLOEXEC, 0))});
    return run;
  }
  void ask(const std::string& title, const ForkServers::Command& command = {"forks"}) {
    forks->start(command, {"otherwise"}, title, [this, title](const ForkServers::Take& take) {
      try {
        made.push_back(title + (take().pidfd ? ": forked" : ": anew"));
      } catch (const io_error&) {
        made.push_back(title + ": none");
      }
    });
  }
  // The next request that a fork server has.
  std::string requested(std::size_t at = 0) {
    forking::Request request;
    return forking::receive(begun[at].socket.get(), request) ? request.title : "end";
  }
  void answer(std::int32_t error = 0, std::size_t at = 0) {
    ASSERT_TRUE(forking::send(begun[at].socket.get(), {nobody, error}, error == 0 ? Fd(::eventfd(0, EFD_CLOEXEC)) : Fd()));
  }
  void die(std::size_t at = 0) {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(begun[at].end.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  void run_until_made(std::size_t count) {
    events.run([] { return 5; },
               [&] {
                 forks->look_again();
                 if (made.size() >= count) events.stop();
               });
  }
  using Made = std::vector<std::string>;

  kit::Watchdog watchdog{20};
  EventLoop events;
  bool none_begins = false, nothing_starts = false;
  std::vector<Begun> begun;
  Made made;
  void build(ForkServers::Duration patience) {
    forks = std::make_unique<ForkServers>(
        events, [this](const ForkServers::Command& command) { return begin(command); },
        [this](const std::vector<std::string>&, const std::string&, const std::string&, const std::vector<std::string>&) {
          if (nothing_starts) throw io_error("no such program");
          return spawn::Started{};
        },
        patience);
  }
  std::unique_ptr<ForkServers> forks;
  void SetUp() override { build(std::chrono::hours(1)); }
  void TearDown() override {
    for (std::size_t at = 0; at < begun.size(); ++at) die(at);  // as the signal would
  }
};

TEST_F(ForkServersTest, OneServesAllOfACommandInTheirOrder) {
  ask("a");
  ask("b");
  ask("c", {"others"});
  ASSERT_EQ(begun.size(), 2U);
  EXPECT_EQ(requested(), "a");
  EXPECT_EQ(requested(), "b");
  EXPECT_EQ(requested(1), "c");
  EXPECT_TRUE(forks->waits());
  for (int i = 0; i < 2; ++i) answer();
  answer(0, 1);
  run_until_made(3);
  EXPECT_FALSE(forks->waits());
  EXPECT_EQ(Made(made.begin(), made.begin() + 2), (Made{"a: forked", "b: forked"}));
}

TEST_F(ForkServersTest, WhereNoneBeginsEachIsStartedAnew) {
  none_begins = true;
  ask("a");
  nothing_starts = true;
  ask("b");
  EXPECT_EQ(made, (Made{"a: anew", "b: none"}));
}

TEST_F(ForkServersTest, OneThatCannotForkIsNotAskedAgain) {
  ask("a");
  answer(EBUSY);
  run_until_made(1);
  ask("b");
  EXPECT_EQ(made, (Made{"a: anew", "b: anew"}));
  EXPECT_EQ(begun.size(), 1U);
}

TEST_F(ForkServersTest, WhatWaitsForOneThatDiesIsStartedAnewAndAnotherBegins) {
  for (const auto* each : {"a", "b", "c"}) ask(each);
  answer();
  answer();  // it died after it had forked for b
  die();
  run_until_made(3);
  EXPECT_EQ(made, (Made{"a: forked", "b: forked", "c: anew"}));
  ask("d");
  ASSERT_EQ(begun.size(), 2U);
  EXPECT_EQ(requested(1), "d");
}

TEST_F(ForkServersTest, OneWhoseSocketEndsIsGivenUp) {
  ask("a");
  begun[0].socket.reset();
  run_until_made(1);
  EXPECT_EQ(made, Made{"a: anew"});
}

TEST_F(ForkServersTest, OneThatSaysWhatIsNoReplyIsGivenUp) {
  ask("a");
  ASSERT_EQ(::send(begun[0].socket.get(), "what", 4, 0), 4);
  run_until_made(1);
  EXPECT_EQ(made, Made{"a: anew"});
}

TEST_F(ForkServersTest, AForkWhosePidfdWasLostIsEndedAndStartedAnew) {
  ask("a");
  ask("b");
  ASSERT_TRUE(forking::send(begun[0].socket.get(), {nobody, 0}, Fd()));
  answer();
  run_until_made(2);
  EXPECT_EQ(made, (Made{"a: anew", "b: forked"}));
}

TEST_F(ForkServersTest, OneThatDoesNotAnswerInTimeIsGivenUp) {
  build(std::chrono::milliseconds(10));
  ask("a");
  run_until_made(1);
  EXPECT_EQ(made, Made{"a: anew"});
}

TEST_F(ForkServersTest, AChangedEnvironmentNeedsAnother) {
  ask("a");
  ::setenv("OCTAVO_TEST_CHANGED", "1", 1);
  ask("b");
  ::unsetenv("OCTAVO_TEST_CHANGED");
  ASSERT_EQ(begun.size(), 2U);
  EXPECT_EQ(requested(0), "a") << "what it was asked for before is its affair";
  EXPECT_EQ(requested(1), "b");
  answer(0, 0);
  answer(0, 1);
  run_until_made(2);
}

TEST_F(ForkServersTest, AtTheEndWhatWasForkedIsWaitedFor) {
  ask("a");
  answer();
  begun[0].socket.reset();
  die();
  forks.reset();
  EXPECT_TRUE(made.empty()) << "nobody is told any more";
}

}  // namespace
}  // namespace octavo::agent
