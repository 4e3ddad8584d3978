// SPDX-License-Identifier: Apache-2.0
// An agent's fork servers, without one: the test has the other end of each socket and answers as it likes, and an eventfd is the pidfd.
#include "machine/agent/children/fork_servers.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

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
    if (!forking::receive(begun[at].socket.get(), request)) return "end";
    forked.push_back(std::move(request.control));
    return task_of(forked.size() - 1);
  }
  // Of the fork that was asked for so many before.
  std::string task_of(std::size_t at) {
    forking::Task task;
    pollfd come{forked[at].get(), POLLIN, 0};
    if (::poll(&come, 1, 0) == 0) return "spare";
    return forking::receive(forked[at].get(), task) ? task.title : "end";
  }
  void answer(std::int32_t error = 0, std::size_t at = 0) {
    ASSERT_TRUE(forking::send(begun[at].socket.get(), {nobody, error}, error == 0 ? Fd(::eventfd(0, EFD_CLOEXEC)) : Fd()));
  }
  void die(std::size_t at = 0) {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(begun[at].end.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  void run_until_made(std::size_t count) {
    run_until([&] { return made.size() >= count; });
  }
  using Made = std::vector<std::string>;

  // Makes an object, and another, after which two spares are asked for: one for the next like that, and one more, as there was none for this.
  void want_spares() {
    for (std::size_t each = 0; each < 2; ++each) {
      ask("warm");
      ASSERT_EQ(requested(), "warm");
      answer();
      run_until_made(each + 1);
    }
    run_until([&] { return has_request(); });
    for (int each = 0; each < 2; ++each) ASSERT_EQ(requested(), "spare");
    made.clear();
  }
  bool has_request() {
    pollfd come{begun[0].socket.get(), POLLIN, 0};
    return ::poll(&come, 1, 0) > 0;
  }
  // They are there, and their pidfds.
  void make_spares() {
    want_spares();
    for (Fd& each : ends) {
      each.reset(::eventfd(0, EFD_CLOEXEC));
      ASSERT_TRUE(forking::send(begun[0].socket.get(), {nobody, 0}, each));
    }
    int rounds = 0;
    run_until([&] { return ++rounds == 3; });
  }
  // As the signal would.
  void end_spares() const {
    const std::uint64_t one = 1;
    for (const Fd& each : ends) ASSERT_EQ(::write(each.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  // Again and again: a loop that was stopped does not run again.
  void run_until(const std::function<bool()>& done) {
    struct Enough {};
    try {
      events.run([&] { return std::clamp(forks->most_ms(), 1, 5); },
                 [&] {
                   forks->look_again();
                   if (done()) throw Enough();
                 });
    } catch (const Enough&) {}
  }

  kit::Watchdog watchdog{20};
  EventLoop events;
  bool none_begins = false, nothing_starts = false;
  std::vector<Begun> begun;
  std::vector<Fd> forked;  // the control sockets that forks were given
  std::array<Fd, 2> ends;  // pidfds of spares
  Made made;
  void build(ForkServers::Times times) {
    forks = std::make_unique<ForkServers>(
        events, [this](const ForkServers::Command& command) { return begin(command); },
        [this](const std::vector<std::string>&, const std::string&, const std::string&, const std::vector<std::string>&) {
          if (nothing_starts) throw io_error("no such program");
          return spawn::Started{};
        },
        times);
  }
  std::unique_ptr<ForkServers> forks;
  void SetUp() override { build({std::chrono::hours(1), std::chrono::hours(1)}); }
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
  EXPECT_GT(forks->most_ms(), 0);
  for (int i = 0; i < 2; ++i) answer();
  answer(0, 1);
  run_until_made(3);
  EXPECT_EQ(forks->most_ms(), -1) << "nothing waits, and what came while it began asks for no spares";
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
  build({std::chrono::milliseconds(10), std::chrono::hours(1)});
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

TEST_F(ForkServersTest, AForkIsToldOfAChangedVariable) {
  ask("a");
  ASSERT_EQ(requested(), "a");
  ::setenv("TEST_CHANGED", "1", 1);
  ask("b");
  ::unsetenv("TEST_CHANGED");
  ASSERT_EQ(begun.size(), 1U);
  forking::Request request;
  ASSERT_TRUE(forking::receive(begun[0].socket.get(), request));
  forking::Task task;
  ASSERT_TRUE(forking::receive(request.control.get(), task));
  EXPECT_EQ(task.title, "b");
  EXPECT_EQ(task.changes, forking::Changes{"TEST_CHANGED=1"});
  for (int i = 0; i < 2; ++i) answer();
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

TEST_F(ForkServersTest, ASpareIsGivenTheTaskOfTheNextObject) {
  make_spares();
  ask("next");
  EXPECT_EQ(made, Made{"next: forked"});
  EXPECT_EQ(task_of(2), "next") << "it has waited longest";
  EXPECT_EQ(task_of(3), "spare");
  EXPECT_FALSE(has_request());
}

TEST_F(ForkServersTest, OneThatIsAskedForAlreadyIsTheNextObjects) {
  want_spares();
  ask("next");
  EXPECT_EQ(task_of(2), "next");
  EXPECT_FALSE(has_request());
  answer();
  answer();
  run_until_made(1);
  EXPECT_EQ(made, Made{"next: forked"});
}

TEST_F(ForkServersTest, ASpareThatIsGoneIsDoneWithout) {
  make_spares();
  forked[2].reset();
  ask("next");
  EXPECT_EQ(made, Made{"next: forked"});
  EXPECT_EQ(task_of(3), "next");
}

TEST_F(ForkServersTest, SparesThatEndByThemselvesAreNotMadeAgainUntilAnObjectIs) {
  make_spares();
  end_spares();
  run_until([&] { return forks->most_ms() == -1; });
  EXPECT_FALSE(has_request());
}

TEST_F(ForkServersTest, SparesThatNobodyWantsEnd) {
  build({std::chrono::hours(1), std::chrono::milliseconds(300)});
  make_spares();
  run_until([&] { return forks->most_ms() == -1; });
  end_spares();
  run_until([&] { return task_of(2) == "end" && task_of(3) == "end"; });
}

TEST_F(ForkServersTest, AChangedEnvironmentEndsTheSpares) {
  make_spares();
  ::setenv("OCTAVO_TEST_CHANGED", "1", 1);
  ask("next");
  ::unsetenv("OCTAVO_TEST_CHANGED");
  ASSERT_EQ(begun.size(), 2U);
  EXPECT_EQ(requested(1), "next");
  answer(0, 1);
  run_until_made(1);
  EXPECT_EQ(made, Made{"next: forked"});
  end_spares();
  run_until([&] { return task_of(2) == "end" && task_of(3) == "end"; });
}

}  // namespace
}  // namespace octavo::agent
