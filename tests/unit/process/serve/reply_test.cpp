// SPDX-License-Identifier: Apache-2.0
// The answer of one call: at once, later, or never.
#include "process/serve/reply.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>
#include <tuple>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ReplyTest : public PartTest {
 protected:
  [[nodiscard]] OwedReplies& owed() const { return *parts.replies.owed(); }
  [[nodiscard]] bool owes() const { return owed().has(peer.address(), 5); }
  Serving parts{mine};
  Peer peer{machine, mine};
  ArrivedCall arrived = parts.arrived(peer, 5, 77, 2);
  Reply::Impl call{parts.replies, arrived, nullptr};
  Reply reply{call};
};

TEST_F(ReplyTest, CarriesTheHeaderOfItsCall) {
  parts.more_may_run = true;
  reply.value([](wire::Encoder& out) { out(42); });
  const auto came = peer.hear();
  ASSERT_TRUE(came);
  EXPECT_EQ(came->header.kind, wire::frame_kind::reply);
  EXPECT_EQ(came->header.call, 5U);
  EXPECT_EQ(came->header.root, 77U);
  EXPECT_EQ(came->header.flags, wire::flag_more_may_run) << "C-3: instead of the depth of the call";
  EXPECT_EQ(came->body.size(), sizeof(int));
}

TEST_F(ReplyTest, SaysThatNothingElseMayRun) {
  const int value = 42;
  reply.plain(&value, sizeof value);
  EXPECT_EQ(peer.hear()->header.flags, 0);
}

TEST_F(ReplyTest, C5_AnErrorCarriesItsTypeAndWhereItCameFrom) {
  refused refusal("not today", "Give more", 4096);
  refusal.path = "a.zarr";
  reply.fail(std::make_exception_ptr(refusal));
  auto came = peer.hear();
  ASSERT_TRUE(came);
  EXPECT_EQ(came->header.kind, wire::frame_kind::error);
  try {
    std::rethrow_exception(decode_error(*came));
  } catch (const refused& e) {
    EXPECT_EQ(std::tuple(std::string(e.what()), e.least, e.path), std::tuple("not today. Give more", 4096, "a.zarr"));
    ASSERT_NE(origin(e), nullptr);
    EXPECT_EQ(origin(e)->process.address, mine.self.address);
  }
}

TEST_F(ReplyTest, WhatMustBeDoneBeforeIsDoneBeforeAMethodsReply) {
  int before = 0;
  parts.on_before_reply = [&] {
    EXPECT_FALSE(peer.hear());
    ++before;
  };
  reply.value([](wire::Encoder&) {});
  EXPECT_EQ(before, 1);
  EXPECT_TRUE(peer.hear());
}

TEST_F(ReplyTest, WhatCannotBeDoneBeforeIsThrownAndNothingWasSent) {
  parts.on_before_reply = [] { throw io_error("no room to save it"); };
  EXPECT_THROW(reply.value([](wire::Encoder&) {}), io_error);
  EXPECT_FALSE(peer.hear());
}

TEST_F(ReplyTest, OnlyAMethodsReplyHasSomethingToBeDoneBefore) {
  auto other = parts.arrived(peer, 6);
  other.message.header.kind = wire::frame_kind::save;
  Reply::Impl saved(parts.replies, other, nullptr);
  parts.on_before_reply = [] { ADD_FAILURE() << "it changed nothing"; };
  Reply(saved).value([](wire::Encoder&) {});
  EXPECT_TRUE(peer.hear());
}

// --- later ---

TEST_F(ReplyTest, C12_OneThatIsKeptIsOwedUntilItWasSent) {
  EXPECT_FALSE(owes());
  const Reply later = reply.kept();
  EXPECT_TRUE(owes());
  EXPECT_EQ(owed().size(), 1U);
  EXPECT_FALSE(owed().has(peer.address(), 6));
  EXPECT_FALSE(owed().has(mine.self.address, 5));
  std::thread([&] { later.value([](wire::Encoder& out) { out(42); }); }).join();
  EXPECT_FALSE(owes());
  EXPECT_EQ(owed().size(), 0U);
  EXPECT_THAT(peer.calls_heard(), ElementsAre(5));
}

TEST_F(ReplyTest, ItIsKeptOnceHoweverOftenThatIsAsked) {
  const Reply one = reply.kept(), same = reply.kept();
  EXPECT_EQ(owed().size(), 1U);
  one.plain(nullptr, 0);
  EXPECT_EQ(owed().size(), 0U);
}

TEST_F(ReplyTest, ManyAreOwedAndAnsweredInAnyOrder) {
  std::vector<Reply> later;
  for (std::uint64_t number = 1; number <= 4; ++number) {
    auto from = parts.arrived(peer, number);
    Reply::Impl each(parts.replies, from, nullptr);
    later.push_back(Reply(each).kept());
  }
  for (const std::size_t at : {1U, 3U, 0U, 2U}) {
    EXPECT_TRUE(owed().has(peer.address(), at + 1));
    later[at].plain(nullptr, 0);
    EXPECT_FALSE(owed().has(peer.address(), at + 1));
  }
  EXPECT_EQ(owed().size(), 0U);
  EXPECT_THAT(peer.calls_heard(), ElementsAre(2, 4, 1, 3));
}

TEST_F(ReplyTest, Q2_OneThatIsDroppedIsLoggedAndOwedNoMore) {
  testing::internal::CaptureStderr();
  {
    auto from = parts.arrived(peer, 5);
    Reply::Impl dropped(parts.replies, from, nullptr);
    (void)Reply(dropped).kept();
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("the answer to a call was dropped before it was sent"));
  EXPECT_FALSE(owes());
}

TEST_F(ReplyTest, AfterTheEndOfItsEndpointItIsSentNowhere) {
  const Reply later = reply.kept();
  owed().close();
  later.value([](wire::Encoder&) { ADD_FAILURE() << "nothing is encoded for nobody"; });
  later.plain(nullptr, 0);
  later.fail(std::make_exception_ptr(refused("no")));
  EXPECT_FALSE(peer.hear());
}

TEST_F(ReplyTest, C12_WhatComesLaterIsKnownUnlessItIsThere) {
  auto result = std::make_shared<LocalState<int>>();
  reply.later(result);
  EXPECT_THAT(parts.come_later, ElementsAre(5));
  result->set(42);
  reply.later(result);
  EXPECT_EQ(parts.come_later.size(), 1U);
}

TEST_F(ReplyTest, C3_ItIsRememberedWhetherMoreCouldRunWhenTheMethodReturned) {
  const Reply later = reply.kept();
  EXPECT_TRUE(call.kept->began_more) << "until the method has returned";
  call.method_is_over();
  EXPECT_FALSE(call.kept->began_more);
  later.plain(nullptr, 0);
}

}  // namespace
}  // namespace octavo::detail
