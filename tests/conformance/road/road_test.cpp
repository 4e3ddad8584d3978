// SPDX-License-Identifier: Apache-2.0
// Every road against the contract of octavo/road/connection.hpp; each test cites its clause. (R-9: short_way_test.cpp)
#include <gmock/gmock.h>

#include <cstring>
#include <thread>

#include "conformance/road/roads.hpp"
#include "octavo/base/error.hpp"

namespace road_tests {
namespace {

std::size_t bulk_of(std::uint64_t number) {
  if (number % 999 == 0) return 700'000;
  return number % 7 == 0 ? 5000 + number * 31 % 90'000 : 0;
}

class Road : public OnRoads {};

TEST_P(Road, R1_FramesArriveInOrderWholeAndOnce) {
  std::thread sender([&] {
    std::vector<std::byte> store;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      auto frame = frame_of(i, i % 300, bulk_of(i), store);
      setup->a->send(frame, [] {
        std::this_thread::yield();
        return true;
      });
    }
  });
  for (std::uint64_t i = 0; i < 3000; ++i) {
    auto message = receive(*setup->b, setup->bell_b);
    ASSERT_EQ(message.header.call, i);
    ASSERT_EQ(message.body.size(), i % 300);
    for (auto byte : message.body.span()) ASSERT_EQ(byte, static_cast<std::byte>(i));
    ASSERT_EQ(message.bulk.size(), bulk_of(i) != 0 ? 1u : 0u);
    for (const auto& part : message.bulk) {
      ASSERT_EQ(part.size(), bulk_of(i));
      for (auto byte : part.span()) ASSERT_EQ(byte, static_cast<std::byte>(i + 1));
    }
  }
  sender.join();
  wire::Message none;
  EXPECT_FALSE(setup->b->receive(none));
}

TEST_P(Road, R2_WhatDoesNotFitIsKeptAndFlushed) {
  std::vector<std::byte> store;
  for (std::uint64_t i = 0; i < 40; ++i) setup->a->send(frame_of(i, 10, 20000, store), road::keep_rest);
  store.assign(20000, std::byte{0});  // borrowed bulk may be reused at once
  for (std::uint64_t i = 0; i < 40; ++i) {
    wire::Message message;
    while (!setup->b->receive(message)) setup->a->flush();
    ASSERT_EQ(message.header.call, i);
    for (auto byte : message.bulk.at(0).span()) ASSERT_EQ(byte, static_cast<std::byte>(i + 1));
  }
  EXPECT_TRUE(setup->a->flush());
}

TEST_P(Road, R2_WhatIsDoneWhileItIsFullMaySendAndFlushThere) {
  std::vector<std::byte> big, small;
  int nested = 0;
  std::vector<std::uint64_t> came;
  auto on_full = [&] {
    setup->a->flush();
    if (nested++ == 0) setup->a->send(frame_of(2, 10, 0, small), road::keep_rest);
    wire::Message message;
    while (setup->b->receive(message)) came.push_back(message.header.call);
    return true;
  };
  setup->a->send(frame_of(1, 10, 500000, big), on_full);
  wire::Message message;
  for (setup->a->flush(); came.size() < (nested != 0 ? 2U : 1U); setup->a->flush())
    if (setup->b->receive(message)) came.push_back(message.header.call);
  EXPECT_EQ(came.front(), 1U) << "R-1: whole, and before what was sent meanwhile";
}

TEST_P(Road, R3_ReceiveNeverWaits) {
  wire::Message message;
  EXPECT_FALSE(setup->a->receive(message));
  EXPECT_FALSE(setup->a->ready());
}

TEST_P(Road, R4_WhatWasSentBeforeTheEndIsReceivedThenGone) {
  std::vector<std::byte> store;
  setup->a->send(frame_of(1, 10, 0, store), road::keep_rest);
  setup->a->send(frame_of(2, 10, 0, store), road::keep_rest);
  setup->a->close();
  notice_end(*setup->b);
  EXPECT_FALSE(setup->b->gone());
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 1u);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 2u);
  EXPECT_TRUE(setup->b->gone());
  EXPECT_THROW(setup->b->send(frame_of(3, 10, 0, store), road::keep_rest), octavo::gone_error);
}

// nobody reads, so the road is full before 100 MB are sent; only then does on_full run, and close the other end.
TEST_P(Road, R4_ASenderThatWaitsForRoomLearnsOfTheEnd) {
  std::vector<std::byte> store;
  bool told = false;
  auto on_full = [&] {
    if (!told) {
      setup->b->close();
      notice_end(*setup->a);
      told = true;
    }
    return true;
  };
  EXPECT_THROW(for (std::uint64_t i = 0; i < 100000; ++i) setup->a->send(frame_of(i, 1000, 0, store), on_full), octavo::gone_error);
}

TEST_P(Road, R5_PagesTravelAsReferencesAndAreReleasedWhenNobodyTakesThem) {
  if (setup->a->road() == "net" || setup->pools[0]) GTEST_SKIP() << "there they go from pool to pool: relay_page_test.cpp, pool_to_pool_test.cpp";
  wire::Outgoing frame;
  frame.pages = {{4096, 100, 1, 0}, {8192, 200, 2, 0}};
  frame.header.page_count = 2;
  setup->a->send(frame, road::keep_rest);
  const auto way = road::way_of(5, 0);
  const bool ends_together = setup->a->road() == "thread";
  {
    auto message = receive(*setup->b, setup->bell_b);
    ASSERT_EQ(message.pages.size(), 2u);
    EXPECT_EQ(message.pages[1].bytes, 200u);
    EXPECT_TRUE(keeper.released.empty());
    if (!ends_together) {
      EXPECT_THAT(keeper.accepted, testing::ElementsAre(std::pair(4096, way), std::pair(8192, way)));
    }
    message.pages.erase(message.pages.begin());  // taken
  }
  EXPECT_EQ(keeper.released, std::vector<std::uint64_t>{8192});
  EXPECT_TRUE(keeper.closed.empty());
  setup->b.reset();
  EXPECT_THAT(keeper.closed, testing::ElementsAreArray(std::vector<std::uint32_t>(ends_together ? 0 : 1, way))) << "what is still on its way is nobody's now";
}

TEST_P(Road, R6_AFrameWakesTheSleeper) {
  for (int i = 0; i < 50; ++i) {
    std::thread sleeper([&] { EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 9u); });
    std::vector<std::byte> store;
    setup->a->send(frame_of(9, 10, 0, store), road::keep_rest);
    sleeper.join();
  }
}

TEST_P(Road, R8_ManyThreadsMaySend) {
  constexpr std::uint64_t each = 2000;
  std::vector<std::thread> senders;
  for (std::uint64_t t = 0; t < 4; ++t)
    senders.emplace_back([&, t] {
      std::vector<std::byte> store;
      for (std::uint64_t i = 0; i < each; ++i)
        setup->a->send(frame_of(t << 32 | i, 20, 0, store), [] {
          std::this_thread::yield();
          return true;
        });
    });
  std::array<std::uint64_t, 4> next{};
  for (std::uint64_t i = 0; i < 4 * each; ++i) {
    auto call = receive(*setup->b, setup->bell_b).header.call;
    ASSERT_EQ(call & 0xffffffff, next.at(call >> 32)++) << "R-1 for each sender";
  }
  for (auto& sender : senders) sender.join();
}

INSTANTIATE_TEST_SUITE_P(Roads, Road, all_roads(), name_of_road);

}  // namespace
}  // namespace road_tests
