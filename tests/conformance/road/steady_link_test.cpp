// SPDX-License-Identifier: Apache-2.0
// What a steady link promises besides being a link (SL-1 to SL-5 of octavo/road/steady_link.hpp); link_test.cpp has the rest, over carriers that break.
#include "octavo/road/steady_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "kit/link/link_bytes.hpp"
#include "kit/link/steady_pair.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::send;
using octavo::kit::stream;
using testing::HasSubstr;

std::size_t receive(road::Link& link, ByteSpan room) { return link.receive(std::span(&room, 1)); }

// Both ends by one thread, until so many bytes have come or both are lost.
std::vector<std::byte> receive_all(road::Link& from, road::Link& into, std::size_t size) {
  std::vector<std::byte> came(size), other(100);
  std::size_t n = 0;
  while (n < size && !(into.lost() && from.lost())) {
    receive(from, other);
    n += receive(into, ByteSpan(came).subspan(n));
    std::array<pollfd, 2> polls{pollfd{from.descriptor(), from.events(false), 0}, pollfd{into.descriptor(), into.events(false), 0}};
    ::poll(polls.data(), polls.size(), 1);
  }
  came.resize(n);
  return came;
}

// What a carrier's other side says and hears, byte by byte.
class Played {
 public:
  explicit Played(const road::Session& session) : link_(session) {}
  road::SteadyLink& link() { return link_; }
  std::unique_ptr<road::Link> carry(const road::SteadyGreeting& theirs) {
    octavo::kit::LinkPair pair;
    link_.carriers()->carry(pair.end(0), theirs);
    return pair.end(1);
  }

 private:
  road::SteadyLink link_;
};

class SteadyLinks : public testing::Test {
 protected:
  octavo::kit::Watchdog watchdog{60};
};

TEST_F(SteadyLinks, SL1_WithoutACarrierBytesWaitUpToTheBound) {
  octavo::kit::Switchboard board;
  board.hold(true);
  auto [calling, called] = board.links();
  auto bytes = stream(5U << 20);
  EXPECT_EQ(send(*calling, bytes), 4U << 20);
  EXPECT_EQ(send(*calling, bytes), 0U);
  board.hold(false);
  bytes.resize(4U << 20);
  EXPECT_TRUE(receive_all(*calling, *called, bytes.size()) == bytes);
  EXPECT_EQ(board.connections(), 1);
}

TEST_F(SteadyLinks, SL1_ACutInTheMiddleLosesNothingAndRepeatsNothing) {
  octavo::kit::Switchboard board;
  auto [calling, called] = board.links();
  auto bytes = stream(100000);
  for (int part = 0; part < 10; ++part) {
    std::size_t at = static_cast<std::size_t>(part) * 10000;
    EXPECT_EQ(send(*calling, ByteView(bytes).subspan(at, 10000)), 10000U);
    if (part % 2 == 0) board.cut();
    auto came = receive_all(*calling, *called, 10000);
    EXPECT_TRUE(std::equal(came.begin(), came.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at) + 10000));
  }
  EXPECT_GE(board.connections(), 5);
}

TEST_F(SteadyLinks, SL2_ANewCarrierTakesThePlaceOfOneThatSeemsWhole) {
  auto session = road::Session::make();
  Played played(session);
  road::SteadyGreeting greeting;
  greeting.session = session;
  auto first = played.carry(greeting);
  send(played.link(), stream(10));
  auto second = played.carry(greeting);
  send(played.link(), stream(1));
  std::array<std::byte, 32 + 16 + 11> said{};
  EXPECT_EQ(receive(*second, said), said.size()) << "from the first byte on: nothing of it was confirmed";
  std::array<std::byte, 100> old{};
  EXPECT_EQ(receive(*first, old), 32U + 16 + 10);
  EXPECT_EQ(receive(*first, old), 0U);
  EXPECT_TRUE(first->lost());
}

TEST_F(SteadyLinks, SL3_ACarrierOfAnotherSessionIsClosedAndTheOldOneGoesOn) {
  auto session = road::Session::make();
  Played played(session);
  road::SteadyGreeting right, wrong;
  right.session = session;
  wrong.session = road::Session::make();
  auto first = played.carry(right);
  auto stranger = played.carry(wrong);
  send(played.link(), stream(10));
  std::array<std::byte, 100> said{};
  EXPECT_EQ(receive(*stranger, said), 0U) << "it hears nothing";
  EXPECT_TRUE(stranger->lost());
  EXPECT_EQ(receive(*first, said), 32U + 16 + 10);
  EXPECT_FALSE(played.link().lost());
}

TEST_F(SteadyLinks, SL3_WhoWasGivenUpIsRefusedAndDoesNotTryAgain) {
  std::atomic<int> calls{0};
  std::vector<std::unique_ptr<road::Link>> there;
  std::mutex mutex;
  road::SteadyLink calling(road::Session::make(), [&] {
    ++calls;
    octavo::kit::LinkPair pair;
    road::SteadyGreeting no;  // of no session: what an engine says to one it does not know
    std::lock_guard lock(mutex);
    send(*there.emplace_back(pair.end(1)), std::as_bytes(std::span(&no, 1)));
    return pair.end(0);
  });
  std::array<std::byte, 1> room{};
  while (!calling.lost()) {
    EXPECT_EQ(receive(calling, room), 0U);
    pollfd poll{calling.descriptor(), calling.events(false), 0};
    ::poll(&poll, 1, -1);
    receive(calling, room);
  }
  EXPECT_THAT(calling.why(), HasSubstr("another session"));
  EXPECT_EQ(calls.load(), 1);
}

TEST_F(SteadyLinks, SL4_NonsenseEndsIt) {
  auto session = road::Session::make();
  struct Words {
    const char* what;
    std::array<std::uint32_t, 4> segment;
  };
  for (const auto& [what, segment] : {Words{"a segment that is too long", {1U << 20, 0, 0, 0}}, Words{"a flag that is none", {0, 2, 0, 0}},
                                      Words{"a confirmation of what was never sent", {0, 0, 5, 0}}}) {
    Played played(session);
    road::SteadyGreeting greeting;
    greeting.session = session;
    auto carrier = played.carry(greeting);
    send(*carrier, std::as_bytes(std::span(segment)));
    std::array<std::byte, 1> room{};
    EXPECT_EQ(receive(played.link(), room), 0U);
    EXPECT_TRUE(played.link().lost()) << what;
  }
  Played played(session);
  road::SteadyGreeting ahead;
  ahead.session = session;
  ahead.received = 1;
  auto carrier = played.carry(ahead);
  EXPECT_EQ(send(played.link(), stream(10)), 10U) << "a greeting that is nonsense is no carrier; the link waits for another";
  EXPECT_TRUE(played.link().awaited());
}

// Gives what it was told to, a piece a call, and writes ones behind that, as a link may that reads a file which is not whole.
class Scribbler final : public road::Link {
 public:
  explicit Scribbler(std::vector<std::vector<std::byte>> pieces) : pieces_(std::move(pieces)) {}
  std::size_t send(std::span<const ByteView> pieces) override {
    std::size_t taken = 0;
    for (auto piece : pieces) taken += piece.size();
    return taken;
  }
  std::size_t receive(std::span<const ByteSpan> into) override {
    std::vector<std::byte> piece;
    if (next_ < pieces_.size()) piece = pieces_[next_++];
    std::size_t given = 0;
    for (auto room : into)
      for (auto& byte : room) byte = given < piece.size() ? piece[given++] : static_cast<std::byte>(&byte - room.data() == 4 ? 1 : 0);
    EXPECT_EQ(given, piece.size());
    return given;
  }
  [[nodiscard]] int descriptor() const override { return pipe_.first.get(); }
  [[nodiscard]] short events(bool /*sending*/) const override { return POLLIN; }
  [[nodiscard]] bool lost() const override { return false; }
  [[nodiscard]] std::string why() const override { return {}; }
  void close() override {}
  [[nodiscard]] std::string_view kind() const override { return "scribbler"; }

 private:
  std::vector<std::vector<std::byte>> pieces_;
  std::size_t next_ = 0;
  std::pair<octavo::Fd, octavo::Fd> pipe_ = octavo::kit::pipe();
};

TEST_F(SteadyLinks, L3_WhatACarrierWroteBehindWhatItGaveIsNotLookedAt) {
  const auto session = road::Session::make();
  road::SteadyLink link(session);
  road::SteadyGreeting greeting;
  greeting.session = session;
  const std::array<std::uint32_t, 4> head{20, 0, 0, 0};  // a segment of 20 bytes, which is not the last
  const auto bytes = [](const auto& value) {
    const auto view = std::as_bytes(std::span(value));
    return std::vector<std::byte>(view.begin(), view.end());
  };
  const auto first = bytes(stream(10));
  link.carriers()->carry(std::make_unique<Scribbler>(std::vector{bytes(head), first, std::vector<std::byte>{}, first, bytes(head), first, first}), greeting);
  std::size_t came = 0;
  std::array<std::byte, 20> room{};
  for (int call = 0; call < 10 && came < 40; ++call) came += receive(link, room);
  EXPECT_EQ(came, 40U) << link.why();
}

TEST_F(SteadyLinks, SL4_WithoutAnotherCarrierItEndsWithTheOneThereIs) {
  octavo::kit::Switchboard board;
  auto [calling, called] = board.links();
  EXPECT_EQ(send(*calling, stream(1000)), 1000U);
  EXPECT_EQ(receive_all(*calling, *called, 500).size(), 500U);
  called->carriers()->no_more("its machine burnt down");
  EXPECT_EQ(receive_all(*calling, *called, 500).size(), 500U);
  EXPECT_FALSE(called->lost()) << "its carrier is whole";
  board.hold(true);
  board.cut();
  std::array<std::byte, 1> room{};
  while (!called->lost()) receive(*called, room);
  EXPECT_EQ(called->why(), "its machine burnt down");
}

TEST_F(SteadyLinks, SL4_FailEndsItWhenWhatCameIsReceivedThoughItsCarrierIsWhole) {
  octavo::kit::Switchboard board;
  auto [calling, called] = board.links();
  EXPECT_EQ(send(*calling, stream(1000)), 1000U);
  EXPECT_EQ(receive_all(*calling, *called, 500).size(), 500U);
  called->carriers()->no_more("there is no other");
  called->carriers()->fail("its machine burnt down");
  EXPECT_EQ(send(*called, stream(10)), 10U) << "who sends meanwhile does not take the news from who receives";
  pollfd poll{called->descriptor(), called->events(false), 0};
  EXPECT_EQ(::poll(&poll, 1, 0), 1) << "L-4";
  std::array<std::byte, 500> room{};
  EXPECT_EQ(receive(*called, room), 500U) << "what has come is received";
  EXPECT_EQ(receive(*called, room), 0U);
  EXPECT_TRUE(called->lost());
  EXPECT_EQ(called->why(), "its machine burnt down");
}

// L-12: of all links this alone can be awaited.
TEST_F(SteadyLinks, SL5_IsAwaitedUntilItsFirstCarrier) {
  octavo::kit::Switchboard board;
  board.hold(true);
  auto [calling, called] = board.links();
  EXPECT_TRUE(called->awaited());
  board.hold(false);
  EXPECT_EQ(send(*calling, stream(1)), 1U);
  receive_all(*calling, *called, 1);
  EXPECT_FALSE(called->awaited() || calling->awaited());
}

}  // namespace
