// SPDX-License-Identifier: Apache-2.0
// How answers leave: the way their calls came, or another one to the same caller.
#include "process/serve/replies.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RepliesTest : public PartTest {
 protected:
  RepliesTest() { parts.poller.pump(); }
  void send(const Origin& to, std::uint64_t call) {
    auto out = frame_of(wire::frame_kind::reply, call);
    parts.replies.send(to, out);
  }
  [[nodiscard]] std::uint64_t round() const { return parts.poller.view().round(); }
  // Of a connection that is no more.
  Origin lost_origin() {
    auto [near, far] = machine.connect(mine, peer.around);
    const Origin from(near, 0);
    mine.links.forget(near);
    peer.around.links.forget(far);
    return from;
  }
  Serving parts{mine};
  Peer peer{machine, mine};
};

TEST_F(RepliesTest, AnAnswerGoesBackTheWayItsCallCame) {
  parts.poller.pump();
  const auto [second, far] = machine.connect(mine, peer.around);
  send(Origin(peer.link, round()), 1);
  send(Origin(second, round()), 2);
  EXPECT_THAT(peer.calls_heard(), ElementsAre(1));
  wire::Message message;
  ASSERT_TRUE(far.connection->receive(message));
  EXPECT_EQ(message.header.call, 2U);
}

TEST_F(RepliesTest, AnyThreadMaySendOne) {
  const Origin from(peer.link, round());
  std::thread([&] { send(from, 1); }).join();
  EXPECT_THAT(peer.calls_heard(), ElementsAre(1));
}

// C-6: an answer is not lost with one of several connections.
TEST_F(RepliesTest, WhereThatWayIsGoneItGoesByAnother) {
  send(lost_origin(), 1);
  EXPECT_THAT(peer.calls_heard(), ElementsAre(1));
}

TEST_F(RepliesTest, AnotherLifeOfTheCallerIsNotItsCaller) {
  const auto from = lost_origin();
  mine.links.forget(peer.link);
  peer.around.self.pid += 1;
  const auto [near, far] = machine.connect(mine, peer.around);
  testing::internal::CaptureStderr();
  send(from, 1);
  testing::internal::GetCapturedStderr();
  wire::Message message;
  EXPECT_FALSE(far.connection->receive(message));
}

TEST_F(RepliesTest, Q2_AnAnswerThatHasNoWayBackIsLogged) {
  const auto from = lost_origin();
  mine.links.forget(peer.link);
  testing::internal::CaptureStderr();
  send(from, 12);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("a reply to call 12 of process 2 could not be sent"));
}

TEST_F(RepliesTest, ThatACallerIsDeadIsNoNews) {
  const auto from = lost_origin();
  machine.kill(peer.around);
  while (parts.poller.incoming()) parts.poller.pump();
  testing::internal::CaptureStderr();
  send(from, 12);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST_F(RepliesTest, PagesOfAnAnswerThatCannotBeSentAreReleased) {
  const auto all = mine.pool.free_bytes();
  auto out = frame_of(wire::frame_kind::reply, 1);
  out.pages.push_back(mine.pool.allocate(5000));
  peer.back.connection->close();
  parts.replies.send(Origin(peer.link, round()), out);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(RepliesTest, PagesGoWithTheAnswer) {
  const auto all = mine.pool.free_bytes();
  auto out = frame_of(wire::frame_kind::reply, 1);
  out.pages.push_back(mine.pool.allocate(5000));
  parts.replies.send(Origin(peer.link, round()), out);
  {
    const auto came = peer.hear();
    ASSERT_EQ(came->pages.size(), 1U);
    EXPECT_EQ(peer.around.pool.references(came->pages[0]), 1U);
  }
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(RepliesTest, R2_AnAnswerNeverWaits) {
  constexpr std::uint64_t many = 300;  // more than a road takes that nobody reads
  for (std::uint64_t call = 1; call <= many; ++call) send(Origin(peer.link, round()), call);
  std::uint64_t came = 0;
  do came += peer.calls_heard().size();
  while (!peer.link.connection->flush());
  EXPECT_EQ(came + peer.calls_heard().size(), many);
}

}  // namespace
}  // namespace octavo::detail
