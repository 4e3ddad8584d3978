// SPDX-License-Identifier: Apache-2.0
// G-17: the memory of a group, of which each process here is a pool of its own.
#include "group/board.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {
namespace {

constexpr std::int64_t KiB = 1024;

class Boards : public testing::Test {
 protected:
  static Fd copy(const Fd& of) { return Fd(::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)); }
  // Of `members`, in processes of their own.
  void found(std::uint32_t members) {
    const auto page = Board::make_page(*maker, members);
    ASSERT_TRUE(page);
    for (std::uint32_t i = 0; i < members; ++i) {
      pools.push_back(std::make_shared<Pool>(copy(memory), i + 1));
      maker->share(*page);
      maker->hand_over(*page, {i + 1, 0});
      boards.push_back(std::make_unique<Board>(pools.back(), *page, i, members));
    }
    maker->release(*page);
  }
  template <class V>
  void put(std::uint32_t member, std::uint64_t stamp, const V& value) {
    boards[member]->put(stamp, ByteView(reinterpret_cast<const std::byte*>(&value), sizeof value));
  }
  int given(std::uint32_t to, std::uint32_t by) {
    int value = 0;
    const auto bytes = boards[to]->given_by(by);
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  kit::Watchdog watchdog{50};
  Fd memory = Pool::make(1024 * KiB);
  std::shared_ptr<Pool> maker = std::make_shared<Pool>(copy(memory), Pool::agent_slot);
  const std::int64_t all_free = maker->free_bytes();
  std::vector<std::shared_ptr<Pool>> pools;
  std::vector<std::unique_ptr<Board>> boards;
};

TEST_F(Boards, G17_AllHaveComeWhenTheLastHasAndEachHasWhatAllGave) {
  found(3);
  for (std::uint64_t stamp = 1; stamp < 6; ++stamp) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      for (std::uint32_t each = 0; each < i; ++each) EXPECT_EQ(boards[each]->first_missing(), i);
      put(i, stamp, static_cast<int>(stamp * 10 + i));
    }
    for (std::uint32_t i = 0; i < 3; ++i) {
      EXPECT_EQ(boards[i]->first_missing(), 3U);
      EXPECT_TRUE(boards[i]->all_gave());
      for (std::uint32_t by = 0; by < 3; ++by) EXPECT_EQ(given(i, by), static_cast<int>(stamp * 10 + by));
      boards[i]->leave(true);
    }
  }
}

TEST_F(Boards, G17_OneThatGivesNothingIsSeenByAll) {
  found(2);
  put(0, 1, 5);
  boards[1]->put(1, std::nullopt);
  for (const auto& each : boards) {
    EXPECT_EQ(each->first_missing(), 2U);
    EXPECT_FALSE(each->all_gave());
  }
}

TEST_F(Boards, G17_AFastMemberDoesNotOverwriteWhatASlowOneIsToRead) {
  found(2);
  put(0, 1, 10), put(1, 1, 11);
  ASSERT_EQ(boards[0]->first_missing(), 2U);
  boards[0]->leave(true);
  EXPECT_EQ(boards[0]->awaits_room_of(), 2U);
  put(0, 2, 20);  // it is a collective ahead
  EXPECT_EQ(boards[1]->first_missing(), 2U);
  EXPECT_EQ(given(1, 0), 10);
  boards[0]->leave(false);  // it failed there
  EXPECT_EQ(boards[0]->awaits_room_of(), 1U) << "the slow one is still in the first";
  boards[1]->leave(true);
  EXPECT_EQ(boards[0]->awaits_room_of(), 2U);
}

TEST_F(Boards, G17_AnotherCollectiveIsNone) {
  found(2);
  put(0, 1, 10), put(1, 2, 11);
  EXPECT_EQ(boards[0]->first_missing(), 1U);
  EXPECT_EQ(boards[1]->first_missing(), 0U);
}

TEST_F(Boards, G17_WhoSleepsIsSeenAsLongAsItDoes) {
  found(2);
  EXPECT_FALSE(boards[1]->any_sleeps());
  {
    const Board::Asleep asleep(*boards[0]);
    EXPECT_TRUE(boards[1]->any_sleeps());
    EXPECT_TRUE(boards[1]->sleeps(0));
    EXPECT_FALSE(boards[1]->sleeps(1));
  }
  EXPECT_FALSE(boards[1]->any_sleeps());
}

TEST_F(Boards, G17_PollsUntilTheOtherHasCome) {
  found(2);
  constexpr std::uint64_t collectives = 20'000;
  const auto member = [&](std::uint32_t me) {
    auto& mine = *boards[me];
    for (std::uint64_t stamp = 1; stamp <= collectives; ++stamp) {
      put(me, stamp, static_cast<int>(stamp + me));
      while (!mine.poll()) std::this_thread::yield();
      ASSERT_EQ(given(me, 1 - me), static_cast<int>(stamp + 1 - me));
      mine.leave(true);
    }
  };
  std::thread other(member, 1);
  member(0);
  other.join();
}

TEST_F(Boards, G17_ThePageIsThePoolsAgainWhenNobodyHasIt) {
  found(3);
  EXPECT_LT(maker->free_bytes(), all_free);
  boards.clear();
  EXPECT_EQ(maker->free_bytes(), all_free);
}

TEST_F(Boards, G17_ThereIsNoneForOneForTooManyAndInAFullPool) {
  EXPECT_FALSE(Board::make_page(*maker, 1));
  EXPECT_FALSE(Board::make_page(*maker, Board::most_members + 1));
  const auto rest = maker->try_allocate(maker->free_bytes());
  ASSERT_TRUE(rest);
  EXPECT_FALSE(Board::make_page(*maker, 2));
  maker->release(*rest);
}

TEST_F(Boards, G17_TooSmallAPageIsRefusedAndReleased) {
  const auto page = maker->try_allocate(256);
  ASSERT_TRUE(page);
  EXPECT_THROW(Board(maker, *page, 0, 2), io_error);
  EXPECT_EQ(maker->free_bytes(), all_free);
}

}  // namespace
}  // namespace octavo::detail
