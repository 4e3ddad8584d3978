// SPDX-License-Identifier: Apache-2.0
// R-9 of octavo/road/connection.hpp: small frames, with pages or without, may go a shorter way, on every road that has one.
#include <thread>

#include "conformance/road/roads.hpp"
#include "octavo/base/error.hpp"
#include "road/shm/outflow.hpp"

namespace road_tests {
namespace {

class ShortWay : public OnRoads {};

TEST_P(ShortWay, R9_TheShortWayKeepsTheOrder) {
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

TEST_P(ShortWay, R9_ASmallFrameIsOneOfTheOrder) {
  std::vector<std::byte> store;
  wire::SmallFrame small;
  small.kind = wire::frame_kind::call;
  EXPECT_EQ(setup->a->send_small(small), road::sent_now::unsuitable) << "none has gone before whose header it could share";
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

TEST_P(ShortWay, R9_ASmallFrameIsTakenByWhomItIsFor) {
  std::vector<std::byte> store;
  wire::SmallFrame small, got;
  small.kind = wire::frame_kind::call;
  small.method = 7;
  small.size = sizeof(std::uint64_t);
  EXPECT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::none_came);
  setup->a->send(frame_of(0, 8, 0, store), road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 0u);
  for (std::uint64_t i = 1; i <= 300; ++i) {
    small.call = i;
    small.body.fill(static_cast<std::byte>(i));
    const bool is_small = setup->a->send_small(small) == road::sent_now::sent;
    if (!is_small) setup->a->send(frame_of(i, 8, 0, store), [] { return true; });
    setup->bell_b.wait([&] { return setup->b->ready(); });
    EXPECT_EQ(setup->b->take_small(got, wire::frame_kind::reply, small.method), road::took_small::other_came);
    EXPECT_EQ(setup->b->take_small(got, small.kind, small.method + 1), road::took_small::other_came) << "it stays where it is";
    if (!is_small) {
      EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, i);
      continue;
    }
    ASSERT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::taken);
    EXPECT_EQ(got.call, i);
    EXPECT_EQ(got.size, small.size);
    for (std::size_t k = 0; k < got.size; ++k) ASSERT_EQ(got.body.at(k), static_cast<std::byte>(i));
    EXPECT_EQ(setup->b->take_small(got, small.kind, small.method), road::took_small::none_came);
  }
}

TEST_P(ShortWay, R9_PagesGoTheShortWay) {
  const bool has_one = setup->a->road().starts_with("shm");
  if (setup->a->road() == "net" || setup->pools[0]) GTEST_SKIP() << "they go from pool to pool: relay_page_test.cpp, pool_to_pool_test.cpp";
  std::vector<std::byte> store;
  setup->a->send(frame_of(0, 8, 0, store), road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 0u);
  auto answer = frame_of(0, 8, 0, store);
  answer.header.kind = wire::frame_kind::reply;
  setup->a->send(answer, road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.kind, wire::frame_kind::reply);
  std::uint64_t went_now = 0;
  constexpr std::uint64_t frames = 400;
  for (std::uint64_t i = 1; i <= frames; ++i) {
    auto frame = frame_of(i, i % 250, 0, store);
    frame.header.method = i;
    for (std::uint64_t k = 0; k < 1 + i % (road::most_pages_now + 1); ++k) frame.pages.push_back({(i * 10 + k) << 12, i + k, 3, 0});
    frame.seal();
    frame.header.kind = i % 3 == 0 ? wire::frame_kind::reply : wire::frame_kind::call;
    const bool now = setup->a->send_now(frame) == road::sent_now::sent;
    EXPECT_TRUE(!now || frame.pages.size() <= road::most_pages_now);
    if (now) ++went_now;
    else setup->a->send(frame, [] { return true; });
    wire::SmallFrame small;
    setup->bell_b.wait([&] { return setup->b->ready(); });
    EXPECT_FALSE(setup->b->next_small(small)) << "it has no place for pages";
    wire::Message message;
    EXPECT_FALSE(setup->b->receive_for(wire::frame_kind::post, i, message));
    EXPECT_FALSE(setup->b->receive_answer(i + 1, message));
    EXPECT_FALSE(setup->b->receive_for(wire::frame_kind::call, i + 1, message)) << "it stays where it is";
    const bool is_reply = frame.header.kind == wire::frame_kind::reply;
    if (is_reply) {
      EXPECT_EQ(setup->b->receive_answer(i, message), now);
    } else if (i % 2 == 1) {
      EXPECT_EQ(setup->b->receive_for(wire::frame_kind::call, i, message), now);
    }
    if (message.pages.empty()) message = receive(*setup->b, setup->bell_b);
    ASSERT_EQ(message.header.call, i);
    EXPECT_EQ(message.header.page_count, frame.pages.size());
    ASSERT_EQ(message.body.size(), i % 250);
    for (auto byte : message.body.span()) ASSERT_EQ(byte, static_cast<std::byte>(i));
    ASSERT_EQ(message.pages.size(), frame.pages.size());
    for (std::size_t k = 0; k < message.pages.size(); ++k) {
      EXPECT_EQ(message.pages[k].offset, frame.pages[k].offset);
      EXPECT_EQ(message.pages[k].bytes, frame.pages[k].bytes);
      EXPECT_EQ(message.pages[k].generation, 3u);
    }
    if (has_one) {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> accepted;
      for (const auto& page : frame.pages) accepted.emplace_back(page.offset, road::way_of(5, 0));
      EXPECT_EQ(keeper.accepted, accepted);
    }
    keeper.accepted.clear();
    keeper.released.clear();
    message = {};
    EXPECT_EQ(keeper.released.size(), frame.pages.size()) << "nobody took them";
  }
  EXPECT_EQ(went_now, has_one ? frames - frames / (road::most_pages_now + 1) : 0u);
}

TEST_P(ShortWay, R9_WhereItIsFullPagesGoTheOtherWayInTheirOrder) {
  if (setup->a->road() == "net" || setup->pools[0]) GTEST_SKIP() << "they go from pool to pool: relay_page_test.cpp, pool_to_pool_test.cpp";
  std::vector<std::byte> store;
  setup->a->send(frame_of(0, 8, 0, store), road::keep_rest);
  EXPECT_EQ(receive(*setup->b, setup->bell_b).header.call, 0u);
  constexpr std::uint64_t frames = 300;
  std::uint64_t full = 0;
  for (std::uint64_t i = 1; i <= frames; ++i) {
    auto frame = frame_of(i, 8, 0, store);
    frame.pages.push_back({i << 12, i, 3, 0});
    frame.seal();
    const auto went = setup->a->send_now(frame);
    if (went == road::sent_now::no_room) ++full;
    if (went != road::sent_now::sent) setup->a->send(frame, road::keep_rest);
  }
  EXPECT_EQ(full != 0, setup->a->road().starts_with("shm"));
  for (std::uint64_t i = 1; i <= frames; ++i) {
    wire::Message message;
    while (!setup->b->receive(message)) setup->a->flush();
    ASSERT_EQ(message.header.call, i);
    ASSERT_EQ(message.pages.size(), 1U);
    EXPECT_EQ(message.pages[0].offset, i << 12);
  }
  EXPECT_EQ(keeper.released.size(), frames);
  EXPECT_EQ(keeper.accepted.size(), setup->a->road() == "thread" ? 0U : frames);
}

// One who writes what he likes into the lane.
TEST(ShortWayFaults, APageThatIsNotInThePoolIsRefused) {
  Keeper keeper;
  auto ends = road::make_shm_ends();
  ends.first.number = ends.second.number = 5;
  const auto bell = road::Doorbell::make();
  auto mine = road::open_shm(std::move(ends.first), bell, &keeper);
  road::ShmRings others(std::move(ends.second));
  road::Outflow out(others, bell, nullptr, {});
  std::vector<std::byte> store, tables;
  auto frame = frame_of(1, 8, 0, store);
  out.put(frame, tables);
  wire::Message message;
  ASSERT_TRUE(mine->receive(message));
  frame.pages = {{4096, 100, 1, 0}, {8192, 100, 1, 1}};
  ASSERT_TRUE(others.lane_out.write(frame.header, frame.body, frame.pages));
  try {
    mine->receive_for(frame.header.kind, frame.header.method, message);
    ADD_FAILURE() << "it was taken";
  } catch (const octavo::io_error& e) {
    EXPECT_NE(std::string(e.what()).find("not in the pool"), std::string::npos);
  }
  message = {};
  EXPECT_EQ(keeper.accepted.size(), 1U);
  EXPECT_EQ(keeper.released, std::vector<std::uint64_t>{4096}) << "what had come of it";
}

INSTANTIATE_TEST_SUITE_P(Roads, ShortWay, all_roads(), name_of_road);

}  // namespace
}  // namespace road_tests
