// SPDX-License-Identifier: Apache-2.0
// a message that is decoded where it lies, before its bulk has come. The thread road has none: the connections are the test's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "octavo/base/error.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class InPlaceRoad final : public road::Connection {
 public:
  void send(const wire::Outgoing& /*frame*/, const road::OnFull& /*on_full*/) override {}
  bool flush() override {
    if (on_flush) on_flush();
    return true;
  }
  using Connection::receive;
  bool receive(wire::Message& into, wire::InPlaceReceiver* in_place) override {
    if (calls.empty()) return false;
    into.header.call = calls.front();
    calls.pop_front();
    if (in_place->receives_in_place(into.header) && on_in_place) on_in_place(*in_place);
    return true;
  }
  [[nodiscard]] bool ready() const override { return !calls.empty(); }
  [[nodiscard]] bool got_room() const override { return true; }
  [[nodiscard]] bool gone() const override { return closed; }
  [[nodiscard]] bool lost() const override { return closed; }
  void notice_gone() override {}
  void close() override { closed = true; }
  [[nodiscard]] std::string_view road() const override { return "in_place"; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return 0; }

  std::deque<std::uint64_t> calls;
  std::function<void()> on_flush;
  std::function<void(wire::InPlaceReceiver&)> on_in_place;
  bool closed = false;
};

class InPlaceReadTest : public PartTest, protected FakeClient {
 protected:
  InPlaceReadTest() {
    for (std::uint64_t object = 2; object <= 3; ++object) {
      PeerLink link;
      link.facts.address = {1, 1, object};
      link.connection = object == 2 ? one : other;
      mine.links.enter(link);
    }
    poller.pump();
    told.clear();
  }
  void take(wire::Message& message, const PeerLink& from) override {
    FakeClient::take(message, from);
    if (message.header.call == in_place_call) in_place_call = 0;
  }
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& header) override { return header.call == in_place_call; }

  std::shared_ptr<InPlaceRoad> one = std::make_shared<InPlaceRoad>(), other = std::make_shared<InPlaceRoad>();
  std::uint64_t in_place_call = 0;
  Poller poller{mine.around(), *this};
};

TEST_F(InPlaceReadTest, WithoutOneAllThatCameIsRead) {
  one->calls = {1, 2};
  other->calls = {7};
  poller.pump();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "frame 7 of 3"));
}

// The thread that reads goes on with it: the next one, too, is to be received where that thread wants it.
TEST_F(InPlaceReadTest, BehindOneReadInPlaceNothingMoreIsReadInThatRound) {
  one->calls = {1, 2, 3};
  other->calls = {7};
  in_place_call = 2;
  poller.pump();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2"));
  poller.pump();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "frame 7 of 3", "frame 3 of 2")) << "the other connection has its turn";
}

TEST_F(InPlaceReadTest, WhileItsBulkComesWhatOthersSendGoesOn) {
  int flushes = 0;
  other->on_flush = [&] { ++flushes; };
  one->on_in_place = [&](wire::InPlaceReceiver& in_place) { in_place.await_bulk([&] { return flushes >= 3; }); };
  one->calls = {1};
  in_place_call = 1;
  poller.pump();
  EXPECT_GE(flushes, 3);
  EXPECT_THAT(told, ElementsAre("frame 1 of 2"));
}

TEST_F(InPlaceReadTest, AnEndOfAnotherConnectionDoesNotConcernIt) {
  int flushes = 0;
  other->on_flush = [&] {
    if (++flushes < 3) throw gone_error("the other end is gone");
  };
  one->on_in_place = [&](wire::InPlaceReceiver& in_place) { in_place.await_bulk([&] { return flushes >= 3; }); };
  one->calls = {1};
  in_place_call = 1;
  poller.pump();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2"));
  EXPECT_FALSE(other->closed);
}

TEST_F(InPlaceReadTest, A1_WithoutAnAgentNobodyWaitsForItsBulk) {
  mine.links.lose_agent();
  one->on_in_place = [](wire::InPlaceReceiver& in_place) { in_place.await_bulk([] { return false; }); };
  one->calls = {1};
  in_place_call = 1;
  poller.pump();
  ASSERT_FALSE(told.empty());
  EXPECT_THAT(told[0], HasSubstr("a message came only in part"));
  EXPECT_TRUE(one->closed);
}

}  // namespace
}  // namespace octavo::detail
