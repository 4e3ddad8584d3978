// SPDX-License-Identifier: Apache-2.0
// Every road against the contract of octavo/road/connection.hpp; each test cites its clause. A new road adds one Both.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cstring>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/shm.hpp"
#include "octavo/road/thread.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;

struct Both {
  std::unique_ptr<octavo::kit::Relays> relays;  // of the net road
  road::Doorbell bell_a = road::Doorbell::make(), bell_b = road::Doorbell::make();
  std::shared_ptr<road::Connection> a, b;
};
struct Keeper final : wire::PageKeeper {
  void release(const wire::PageRef& page) noexcept override { released.push_back(page.offset); }
  void accept(const wire::PageRef& page, std::uint32_t way) override { accepted.emplace_back(page.offset, way); }
  void close_way(std::uint32_t way) noexcept override { closed.push_back(way); }
  std::vector<std::uint64_t> released;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> accepted;
  std::vector<std::uint32_t> closed;
};

using Maker = std::unique_ptr<Both> (*)(wire::PageKeeper*);

std::unique_ptr<Both> over_shm_that(bool lends, wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  auto ends = road::make_shm_ends();
  ends.first.lends = ends.second.lends = lends;
  ends.first.number = ends.second.number = 5;
  setup->a = road::open_shm(std::move(ends.first), setup->bell_b, keeper);
  setup->b = road::open_shm(std::move(ends.second), setup->bell_a, keeper);
  return setup;
}
std::unique_ptr<Both> over_shm(wire::PageKeeper* keeper) { return over_shm_that(true, keeper); }
std::unique_ptr<Both> over_shm_alone(wire::PageKeeper* keeper) { return over_shm_that(false, keeper); }
std::unique_ptr<Both> over_thread(wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  std::tie(setup->a, setup->b) = road::ThreadRoad(setup->bell_a, setup->bell_b, keeper, keeper).ends();
  return setup;
}

std::unique_ptr<Both> over_relays(octavo::kit::Links links, wire::PageKeeper* keeper) {
  auto setup = std::make_unique<Both>();
  setup->relays = std::make_unique<octavo::kit::Relays>(std::move(links));
  setup->a = setup->relays->open(0, 1, keeper, {setup->bell_a, nullptr}).connection;
  setup->b = setup->relays->open(1, 1, keeper, {setup->bell_b, nullptr}).connection;
  return setup;
}
std::unique_ptr<Both> over_net(wire::PageKeeper* keeper) { return over_relays(octavo::kit::over_unix_sockets(), keeper); }
std::unique_ptr<Both> over_net_in_crumbs(wire::PageKeeper* keeper) { return over_relays(octavo::kit::over_crumbs(), keeper); }

wire::Outgoing frame_of(std::uint64_t number, std::size_t body, std::size_t bulk, std::vector<std::byte>& store) {
  wire::Outgoing frame;
  frame.header.call = number;
  frame.header.object = 1;
  frame.body.assign(body, static_cast<std::byte>(number));
  store.assign(bulk, static_cast<std::byte>(number + 1));
  if (bulk != 0) frame.bulk.emplace_back(store);
  frame.header.body_bytes = body;
  frame.header.bulk_count = bulk != 0;
  return frame;
}

std::size_t bulk_of(std::uint64_t number) {
  if (number % 999 == 0) return 700'000;
  return number % 7 == 0 ? 5000 + number * 31 % 90'000 : 0;
}

class Road : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  octavo::kit::Watchdog watchdog{60};
  Keeper keeper;
  std::unique_ptr<Both> setup = GetParam().second(&keeper);

  wire::Message receive(road::Connection& from, const road::Doorbell& bell) {
    wire::Message message;
    while (!from.receive(message)) bell.wait([&] { return from.ready() || from.gone(); });
    return message;
  }
  // As an agent or watch thread would: polls the descriptor that tells of the end.
  void notice_end(road::Connection& at) {
    if (at.watch() >= 0) {
      pollfd poll{at.watch(), POLLIN | POLLRDHUP, 0};
      while (::poll(&poll, 1, -1) < 0) {}
      at.notice_gone();
    }
  }
};

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

TEST_P(Road, R9_TheShortWayKeepsTheOrder) {
  constexpr std::uint64_t frames = 3000;
  std::thread sender([&] {
    std::vector<std::byte> store;
    for (std::uint64_t i = 0; i < frames; ++i) {
      auto frame = frame_of(i, i % 200, i % 50 == 0 ? 5000 : 0, store);
      frame.header.kind = i % 3 == 0 ? wire::frame_kind::reply : wire::frame_kind::call;
      if (setup->a->send_now(frame) == road::sent_now::sent) continue;
      setup->a->send(frame, [] {
        std::this_thread::yield();
        return true;
      });
    }
  });
  std::uint64_t short_way = 0;
  for (std::uint64_t i = 0; i < frames; ++i) {
    wire::Message message;
    EXPECT_FALSE(setup->b->receive_answer(i + 1, message)) << "the next is not that one";
    if (i % 3 == 0 && setup->b->receive_answer(i, message)) ++short_way;
    else message = receive(*setup->b, setup->bell_b);
    ASSERT_EQ(message.header.call, i);
    ASSERT_EQ(message.body.size(), i % 200);
    for (auto byte : message.body.span()) ASSERT_EQ(byte, static_cast<std::byte>(i));
  }
  sender.join();
  if (setup->a->road() != "shm" && setup->a->road() != "thread") {
    EXPECT_EQ(short_way, 0u) << "it has none";
  }
}

TEST_P(Road, R9_ASmallFrameIsOneOfTheOrder) {
  std::vector<std::byte> store;
  wire::SmallFrame small;
  small.kind = wire::frame_kind::call;
  EXPECT_EQ(setup->a->send_small(small), road::sent_now::no) << "none has gone before whose header it could share";
  setup->a->send(frame_of(0, 8, 0, store), road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 0u);
  std::uint64_t sent_small = 0;
  for (std::uint64_t i = 1; i <= 40; ++i) {
    small.call = i;
    small.root = i + 100;
    small.method = i + 200;
    small.size = static_cast<std::uint16_t>(i % (wire::SmallFrame::most + 1));
    small.body.fill(static_cast<std::byte>(i));
    if (i % 4 != 0 && setup->a->send_small(small) == road::sent_now::sent) ++sent_small;
    else setup->a->send(frame_of(i, i % 4 == 0 ? 20000 : small.size, 0, store), [] { return true; });
    wire::SmallFrame got;
    setup->bell_b.wait([&] { return setup->b->ready(); });
    if (!setup->b->next_small(got)) {
      EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, i);
      continue;
    }
    auto header = setup->b->header_of(got);
    setup->b->pop_small();
    ASSERT_EQ(got.call, i);
    EXPECT_EQ(header.call, i);
    EXPECT_EQ(header.object, 1u) << "as in the frame before";
    EXPECT_EQ(got.size, small.size);
    for (std::size_t k = 0; k < got.size; ++k) EXPECT_EQ(got.body.at(k), static_cast<std::byte>(i));
  }
  EXPECT_EQ(sent_small, setup->a->road().starts_with("shm") || setup->a->road() == "thread" ? 30u : 0u);
}

TEST_P(Road, R9_ASmallFrameIsTakenByWhomItIsFor) {
  std::vector<std::byte> store;
  wire::SmallFrame small, got;
  small.kind = wire::frame_kind::call;
  small.method = 7;
  small.size = sizeof(std::uint64_t);
  EXPECT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::nothing);
  setup->a->send(frame_of(0, 8, 0, store), road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 0u);
  for (std::uint64_t i = 1; i <= 300; ++i) {
    small.call = i;
    small.body.fill(static_cast<std::byte>(i));
    const bool is_small = setup->a->send_small(small) == road::sent_now::sent;
    if (!is_small) setup->a->send(frame_of(i, 8, 0, store), [] { return true; });
    setup->bell_b.wait([&] { return setup->b->ready(); });
    EXPECT_EQ(setup->b->take_small(got, wire::frame_kind::reply, small.method), road::took_small::other);
    EXPECT_EQ(setup->b->take_small(got, small.kind, small.method + 1), road::took_small::other) << "it stays where it is";
    if (!is_small) {
      EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, i);
      continue;
    }
    ASSERT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::taken);
    EXPECT_EQ(got.call, i);
    EXPECT_EQ(got.size, small.size);
    for (std::size_t k = 0; k < got.size; ++k) ASSERT_EQ(got.body.at(k), static_cast<std::byte>(i));
    EXPECT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::nothing);
  }
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
  if (setup->a->road() == "net") GTEST_SKIP() << "between machines they go from pool to pool: relay_page_test.cpp";
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

INSTANTIATE_TEST_SUITE_P(Roads, Road,
                         testing::Values(std::pair{"shm", Maker{over_shm}}, std::pair{"shm_that_lends_nothing", Maker{over_shm_alone}},
                                         std::pair{"thread", Maker{over_thread}}, std::pair{"net", Maker{over_net}},
                                         std::pair{"net_in_crumbs", Maker{over_net_in_crumbs}}),
                         [](const auto& which) { return which.param.first; });

TEST(ThreadRoadFaults, BlockDropAndKill) {
  auto bell = road::Doorbell::make();
  road::ThreadRoad way(bell, bell);
  auto [a, b] = way.ends();
  std::vector<std::byte> store;
  wire::Message message;
  way.block();
  a->send(frame_of(1, 1, 0, store), road::keep_rest);
  EXPECT_FALSE(b->receive(message));
  way.unblock();
  EXPECT_TRUE(b->receive(message));
  way.drop_next(1);
  a->send(frame_of(2, 1, 0, store), road::keep_rest);
  a->send(frame_of(3, 1, 0, store), road::keep_rest);
  EXPECT_TRUE(b->receive(message));
  EXPECT_EQ(message.header.call, 3u);
  way.kill(0);
  EXPECT_TRUE(b->gone());
}

}  // namespace
