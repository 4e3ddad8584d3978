// SPDX-License-Identifier: Apache-2.0
// The requests of a process to its agent; the test is the agent, at the other end of a socket.
#include "process/peers/agent_client.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <future>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/process/errors.hpp"

namespace {

namespace control = octavo::control;
using octavo::detail::AgentClient;

class AgentClientTest : public testing::Test {
 protected:
  template <class Request>
  Request next() {
    auto received = control::receive(sockets.agent.get());
    return *control::get_if<Request>(&received->notice);
  }
  struct Sockets {
    Sockets() {
      std::array<int, 2> ends{};
      EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
      process = octavo::Fd(ends[0]);
      agent = octavo::Fd(ends[1]);
    }
    octavo::Fd process, agent;
  } sockets;
  AgentClient client{sockets.process.get()};
  octavo::kit::Watchdog watchdog;
};

TEST_F(AgentClientTest, EachRequestGetsItsOwnAnswer) {
  auto names = std::async(std::launch::async, [&] { return client.ask<control::NameList>(control::Names{0, "here", "a"}); });
  const auto first = next<control::Names>();
  auto list = std::async(std::launch::async, [&] { return client.ask<control::Listing>(control::List{}); });
  const auto second = next<control::List>();
  EXPECT_TRUE(client.take(control::Listing{second.request, {octavo::ProcessFacts{}}}));
  EXPECT_TRUE(client.take(control::NameList{first.request, {}}));
  EXPECT_EQ(list.get().processes.size(), 1U);
  EXPECT_TRUE(names.get().names.empty());
}

TEST_F(AgentClientTest, WhatTheAgentCannotDoIsThrownAsItsKind) {
  auto done = std::async(std::launch::async, [&] { client.ask<control::Done>(control::Kill{}); });
  EXPECT_TRUE(client.take(control::Failed{next<control::Kill>().request, octavo::error_kind::refused, "no", "do", {}}));
  EXPECT_THROW(done.get(), octavo::refused);
}

TEST_F(AgentClientTest, ADeathIsThrownWithItsObituary) {
  auto link = std::async(std::launch::async, [&] { return client.ask<octavo::detail::PeerLink>(control::Connect{}); });
  EXPECT_TRUE(client.take(control::Failed{next<control::Connect>().request, octavo::error_kind::gone, "dead", {}, octavo::Obituary{}}));
  EXPECT_THROW(static_cast<void>(link.get()), octavo::process_died);
}

TEST_F(AgentClientTest, AnAnswerOfAnotherKindIsAnError) {
  auto list = std::async(std::launch::async, [&] { return client.ask<control::Listing>(control::List{}); });
  EXPECT_TRUE(client.take(control::Done{next<control::List>().request}));
  EXPECT_THROW(static_cast<void>(list.get()), octavo::io_error);
}

TEST_F(AgentClientTest, WhatIsNoAnswerIsLeftToOthers) {
  EXPECT_FALSE(client.take(control::Passivate{}));
  EXPECT_FALSE(client.take(control::Died{}));
}

TEST_F(AgentClientTest, LaterIsToldOnce) {
  int told = 0;
  octavo::Life reader;
  client.ask_later<control::MailboxAt>(control::MailboxRequest{}, [&](const control::MailboxAt* at, const std::exception_ptr& error) {
    ++told;
    if (at != nullptr && !error) reader = at->reader;
  });
  const control::MailboxAt answer{next<control::MailboxRequest>().request, octavo::Life(octavo::Address{1, 1, 5})};
  EXPECT_TRUE(client.take(answer));
  EXPECT_TRUE(client.take(answer)) << "an answer, though nobody waits for it any more";
  EXPECT_EQ(told, 1);
  EXPECT_EQ(reader.who.object, 5U);
}

TEST_F(AgentClientTest, WhenTheAgentEndsEveryRequestFails) {
  std::exception_ptr error;
  client.ask_later<control::LockAnswer>(control::LockRequest{}, [&](const control::LockAnswer*, const std::exception_ptr& why) { error = why; });
  static_cast<void>(next<control::LockRequest>());
  auto list = std::async(std::launch::async, [&] { return client.ask<control::Listing>(control::List{}); });
  static_cast<void>(next<control::List>());
  client.close();
  EXPECT_THROW(static_cast<void>(list.get()), octavo::gone_error);
  EXPECT_THROW(std::rethrow_exception(error), octavo::gone_error);
  EXPECT_THROW(client.ask<control::Done>(control::Kill{}), octavo::gone_error);
}

TEST_F(AgentClientTest, WhatCannotBeSentIsNotWaitedFor) {
  sockets.agent = octavo::Fd();
  EXPECT_THROW(client.ask<control::Done>(control::Kill{}), octavo::gone_error);
}

}  // namespace
