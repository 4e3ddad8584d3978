// SPDX-License-Identifier: Apache-2.0
// P-5: those that reserve room take turns where it does not do for all, and what a dead process had is free.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>

#include "kit/asleep.hpp"
#include "machine/pool/reservation.hpp"
#include "octavo/base/error.hpp"

namespace {

using octavo::Fd;
using octavo::Pool;
constexpr std::int64_t all_bytes = 1 << 20, most = all_bytes * 3 / 4;

struct Reservations : testing::Test {
  [[nodiscard]] std::shared_ptr<Pool> of_slot(unsigned slot) const { return std::make_shared<Pool>(Fd(::fcntl(memory.get(), F_DUPFD_CLOEXEC, 0)), slot); }
  Fd memory = Pool::make(all_bytes);
  std::shared_ptr<Pool> agent = of_slot(Pool::agent_slot), one = of_slot(1), other = of_slot(2);
  static auto at_once(const std::shared_ptr<Pool>& pool, std::int64_t bytes) { return Pool::Reservation::make(pool, bytes, octavo::road::Clock::now()); }

  // The other one sleeps until there is room.
  template <class Free>
  void expect_woken_by(Free free) {
    std::promise<int> its_number;
    auto reserved = std::async(std::launch::async, [&] {
      its_number.set_value(::gettid());
      return Pool::Reservation::make(other, most, octavo::road::never);
    });
    octavo::kit::until_asleep(its_number.get_future().get());
    EXPECT_EQ(reserved.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
    free();
    EXPECT_TRUE(reserved.get());
  }
};

TEST_F(Reservations, P5_WhatFitsTogetherIsReservedAtOnce) {
  auto first = at_once(one, most);
  EXPECT_TRUE(first);
  EXPECT_FALSE(at_once(other, most));
  const auto rest = at_once(other, all_bytes - most);
  EXPECT_TRUE(rest);
  EXPECT_FALSE(at_once(one, 1));
  first.reset();
  EXPECT_TRUE(at_once(one, most));
}

TEST_F(Reservations, P5_WaitsForTheOneBefore) {
  auto first = at_once(one, most);
  ASSERT_TRUE(first);
  expect_woken_by([&] { first.reset(); });
}

TEST_F(Reservations, P5_WhatADeadProcessReservedIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto some = at_once(one, most / 2), more = at_once(one, most / 2);
    ::_exit(some && more ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  expect_woken_by([&] { EXPECT_TRUE(agent->reclaim(1)); });
}

TEST_F(Reservations, P5_PagesAreNotAskedForIt) {
  const auto all = at_once(one, all_bytes);
  ASSERT_TRUE(all);
  const auto page = other->try_allocate(all_bytes);
  ASSERT_TRUE(page);
  other->release(*page);
}

TEST_F(Reservations, P5_MoreThanThePoolIsRefused) { EXPECT_THROW(static_cast<void>(at_once(one, all_bytes + 1)), octavo::refused); }

}  // namespace
