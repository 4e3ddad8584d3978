// SPDX-License-Identifier: Apache-2.0
// P-5: those that reserve room take turns where it does not do for all, and what a dead process had is free.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <future>

#include "kit/asleep.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/pool.hpp"

namespace {

using octavo::Fd;
using octavo::Pool;
constexpr std::int64_t all_bytes = 1 << 20, most = all_bytes * 3 / 4;

struct Reservations : testing::Test {
  static Fd copy(const Fd& of) { return Fd(::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)); }
  Fd memory = Pool::make(all_bytes);
  Pool agent{copy(memory), Pool::agent_slot}, one{copy(memory), 1}, other{copy(memory), 2};
  static bool at_once(Pool& pool, std::int64_t bytes) { return pool.reserve(bytes, octavo::road::Clock::now()); }

  // The other one sleeps until there is room.
  template <class Free>
  void expect_woken_by(Free free) {
    std::promise<int> its_number;
    auto reserved = std::async(std::launch::async, [&] {
      its_number.set_value(::gettid());
      return other.reserve(most, octavo::road::never);
    });
    octavo::kit::until_asleep(its_number.get_future().get());
    EXPECT_EQ(reserved.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    free();
    EXPECT_TRUE(reserved.get());
  }
};

TEST_F(Reservations, P5_WhatFitsTogetherIsReservedAtOnce) {
  EXPECT_TRUE(at_once(one, most));
  EXPECT_FALSE(at_once(other, most));
  EXPECT_TRUE(at_once(other, all_bytes - most));
  EXPECT_FALSE(at_once(one, 1));
  one.end_reservation(most);
  EXPECT_TRUE(at_once(one, most));
}

TEST_F(Reservations, P5_WaitsForTheOneBefore) {
  ASSERT_TRUE(at_once(one, most));
  expect_woken_by([&] { one.end_reservation(most); });
}

TEST_F(Reservations, P5_WhatADeadProcessReservedIsFree) {
  ASSERT_TRUE(at_once(one, most / 2));
  ASSERT_TRUE(at_once(one, most / 2));
  expect_woken_by([&] { EXPECT_TRUE(agent.reclaim(1)); });
}

TEST_F(Reservations, P5_PagesAreNotAskedForIt) {
  ASSERT_TRUE(at_once(one, all_bytes));
  const auto page = other.try_allocate(all_bytes);
  ASSERT_TRUE(page);
  other.release(*page);
}

TEST_F(Reservations, P5_MoreThanThePoolIsRefused) { EXPECT_THROW(static_cast<void>(at_once(one, all_bytes + 1)), octavo::refused); }

}  // namespace
