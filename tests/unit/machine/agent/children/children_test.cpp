// SPDX-License-Identifier: Apache-2.0
// The table of an agent's processes and their ends, without an agent and without a process: the test has the other end of each control socket, and an eventfd
// is the pidfd.
#include "machine/agent/children/children.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <functional>

#include "kit/watchdog.hpp"
#include "machine/agent/children/reaper.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {
namespace {

class ChildrenTest : public testing::Test {
 protected:
  struct Made {
    Fd socket, pidfd;
    std::uint64_t object = 0;
  };
  Made make(std::uint64_t host = 0) {
    auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "testing");
    Made made{std::move(theirs), {}, 0};
    spawn::Started run;
    run.pid = 1 << 29;  // nobody's
    run.control = std::move(ours);
    if (host == 0) {
      run.pidfd = Fd(::eventfd(0, EFD_CLOEXEC));
      made.pidfd = Fd(::fcntl(run.pidfd.get(), F_DUPFD_CLOEXEC, 0));
    }
    made.object = children.adopt({{}, "Made", "here", 0, 0}, std::move(run), host, {}).facts.address.object;
    return made;
  }
  static void end(const Made& made) {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(made.pidfd.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  // What has come is handled.
  void run_until(const std::function<bool()>& done) {
    events.run([] { return 20; },
               [&] {
                 children.look_again();
                 reaper.look_again();
                 if (done()) events.stop();
               });
  }

  kit::Watchdog watchdog{20};
  const Identity self{17, 3, "here", false, 0};
  EventLoop events;
  Slots slots{2, [](unsigned) { return true; }};
  Fd memory = StatusBoard::make(agent_kind::program, self.facts());
  StatusBoard board{memory};
  std::vector<control::Notice> said, last_words;
  std::vector<std::uint64_t> silent;
  std::vector<Obituary> deaths;
  std::optional<int> status = 9;
  Children children{self,
                    1,
                    events,
                    slots,
                    board,
                    {memory.get(), memory.get(), memory.get()},
                    {.said = [this](Child&, control::Received& received) { said.push_back(received.notice); },
                     .silent =
                         [this](Child& child) {
                           silent.push_back(child.facts.address.object);
                           if (child.host != 0) reaper.reap_thread(child);
                         },
                     .ended = [this](Child& child) { reaper.reap(child); },
                     .slot_given = [](unsigned) {}}};
  Reaper reaper{children,
                board,
                [this](const Fd&) { return status; },
                {.last_word = [this](Child&, const control::Notice& notice) { last_words.push_back(notice); },
                 .died = [this](Child&, const Obituary& obituary) { deaths.push_back(obituary); }}};
};

TEST_F(ChildrenTest, AProcessIsWelcomedWithItsAddressAndItsMemory) {
  const Made made = make();
  auto received = control::receive(made.socket.get());
  ASSERT_TRUE(received);
  const auto* welcome = control::get_if<control::Welcome>(&received->notice);
  ASSERT_NE(welcome, nullptr);
  EXPECT_EQ(welcome->you.address, (Address{17, 3, 1}));
  EXPECT_EQ(received->descriptors.size(), 4U);
  EXPECT_NE(children.living(Address{17, 3, 1}), nullptr);
  EXPECT_EQ(children.living(Address{17, 2, 1}), nullptr) << "an earlier life of the agent";
}

TEST_F(ChildrenTest, WhereNoSlotIsFreeThereIsNoChild) {
  const Made first = make(), second = make();
  EXPECT_THROW(make(), refused);
  EXPECT_EQ(children.all().size(), 2U);
  slots.release(children.take(first.object).slot);
  EXPECT_NO_THROW(make());
}

TEST_F(ChildrenTest, WhatAProcessSaysIsHeardThenThatItIsSilent) {
  Made made = make();
  ASSERT_TRUE(control::receive(made.socket.get()));  // a socket that is closed with something unread takes what it sent with it
  control::send(made.socket.get(), control::List{4});
  made.socket.reset();
  run_until([&] { return !silent.empty(); });
  ASSERT_EQ(said.size(), 1U);
  EXPECT_EQ(control::get_if<control::List>(&said[0])->request, 4U);
  EXPECT_EQ(silent, std::vector{made.object});
}

TEST_F(ChildrenTest, AProcessThatDoesNotReadIsToldWhenItDoes) {
  const Made made = make();
  constexpr std::uint64_t many = 2000;
  for (std::uint64_t i = 1; i <= many; ++i) children.tell(*children.find(made.object), control::Done{i});
  std::uint64_t last = 0;
  run_until([&] {
    control::Received received;
    while (control::receive_now(made.socket.get(), received) == control::heard::notice)
      if (const auto* done = control::get_if<control::Done>(&received.notice)) {
        EXPECT_EQ(done->request, last + 1);
        last = done->request;
      }
    return last == many;
  });
}

TEST_F(ChildrenTest, AnEndedProcessIsReapedAfterItsLastWords) {
  const Made made = make();
  control::send(made.socket.get(), control::Bye{false});
  children.find(made.object)->said_bye = true;  // as whoever hears the Bye does
  end(made);
  run_until([&] { return !deaths.empty(); });
  EXPECT_EQ(said.size() + last_words.size(), 1U);
  EXPECT_EQ(deaths[0].status, 9);
  EXPECT_TRUE(deaths[0].destroyed);
  EXPECT_EQ(children.find(made.object), nullptr);
}

TEST_F(ChildrenTest, AProcessThatHasNotEndedIsLeft) {
  const Made made = make();
  status.reset();
  reaper.reap(*children.find(made.object));
  EXPECT_TRUE(deaths.empty());
  EXPECT_NE(children.find(made.object), nullptr);
}

TEST_F(ChildrenTest, AnObjectOnAThreadOfTheProgramDiesWithItsSocket) {
  const Made program = make();
  Made thread = make(program.object);
  thread.socket.reset();
  run_until([&] { return !deaths.empty(); });
  EXPECT_EQ(deaths[0].facts.address.object, thread.object);
  EXPECT_FALSE(deaths[0].destroyed);
}

TEST_F(ChildrenTest, ObjectsOnThreadsDieAsTheirProcess) {
  static_cast<void>(children.take(make().object));  // object 1 is the program
  const Made host = make();
  Made thread = make(host.object);
  thread.socket.reset();
  end(host);
  run_until([&] { return deaths.size() == 2; });
  EXPECT_EQ(deaths[0].facts.address.object, host.object);
  EXPECT_EQ(deaths[1].facts.address.object, thread.object);
  EXPECT_EQ(deaths[1].status, 9);
  run_until([&] { return !reaper.waits(); });
}

}  // namespace
}  // namespace octavo::agent
