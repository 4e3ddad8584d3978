// SPDX-License-Identifier: Apache-2.0
// What is posted arrives the same by each way, and in its order.
#include <gtest/gtest.h>

#include <future>

#include "unit/process/sending/sending.hpp"

namespace octavo::detail {
namespace {

using when_full = Sender::when_full;
class Posting : public SenderTest {};

wire::SmallFrame post_of(std::uint64_t call) {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::post;
  frame.call = call;
  frame.root = 8;
  frame.method = 9;
  frame.size = 1;
  frame.body[0] = std::byte{42};
  return frame;
}

TEST_F(Posting, ASmallPostArrivesTheSameByEachWay) {
  look_at_links();
  sender.post_small(peer.address(), post_of(1), when_full::wait_for_room);  // whole: the first of a connection
  sender.post_small(peer.address(), post_of(2), when_full::wait_for_room);  // over the lane
  {
    const BriefReading reading(poller.waiters());
    std::async(std::launch::async, [&] { sender.post_small(peer.address(), post_of(3), when_full::wait_for_room); }).get();  // beside the reader
  }
  for (std::uint64_t call = 1; call <= 3; ++call) {
    const auto came = peer.hear();
    ASSERT_TRUE(came);
    EXPECT_EQ(came->header.kind, wire::frame_kind::post);
    EXPECT_EQ(came->header.call, call);
    EXPECT_EQ(came->header.root, 8U);
    EXPECT_EQ(came->header.method, 9U);
    EXPECT_EQ(came->header.caller, mine.self.address.object);
    EXPECT_EQ(came->header.object, peer.address().object);
    ASSERT_EQ(came->body.size(), 1U);
    EXPECT_EQ(came->body.span()[0], std::byte{42});
  }
}

TEST_F(Posting, R1_PostsKeepTheirOrderThoughSomeWereKept) {
  look_at_links();
  for (std::uint64_t call = 1; call <= many; ++call) {
    auto out = frame_of(wire::frame_kind::post, call);
    if (call % 2 == 0) sender.post(peer.address(), out, when_full::hand_over);
    else sender.post_small(peer.address(), post_of(call), when_full::hand_over);
  }
  expect_all(many);
}

}  // namespace
}  // namespace octavo::detail
