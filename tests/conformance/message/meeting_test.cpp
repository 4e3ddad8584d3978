// SPDX-License-Identifier: Apache-2.0
// Barriers and events between the program and objects on every place of its machine.
#include <unistd.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "conformance/process/every_place.hpp"
#include "octavo/message.hpp"

namespace meeting_tests {
namespace {

namespace ov = octavo;
using namespace std::chrono_literals;
using process_tests::until;
using testing::HasSubstr;
const auto places_here = testing::Values("thread", "process");

class Guest {
 public:
  std::size_t wait(const ov::Barrier& barrier) { return barrier.wait(); }
  std::string error_of_wait(const ov::Barrier& barrier) {
    try {
      return std::to_string(barrier.wait());
    } catch (const ov::broken_barrier& e) {
      return e.what();
    }
  }
  bool wait_for_event(const ov::Event& event) { return event.wait_for(1h); }
  bool is_set(const ov::Event& event) { return event.is_set(); }
  void set(const ov::Event& event) { event.set(); }
  void crash() { ::_exit(1); }
};
OCTAVO_REMOTE(Guest, wait, error_of_wait, wait_for_event, is_set, set, crash)

class Meetings : public process_tests::EveryPlace {};

TEST_P(Meetings, BR1_AllComeAndEachHasAPlace) {
  ov::Barrier barrier("rows", 3);
  auto one = here.make<Guest>(), two = here.make<Guest>();
  EXPECT_EQ(barrier.parties(), 3u);
  for (int round = 0; round < 3; ++round) {
    auto first = ov::start(one)->wait(barrier);
    until([&] { return barrier.n_waiting() == 1; });
    auto second = ov::start(two)->wait(ov::Barrier("rows", 3));
    until([&] { return barrier.n_waiting() == 2; });
    EXPECT_FALSE(first.ready());
    EXPECT_EQ(barrier.wait(), 2u);
    EXPECT_EQ(first.get(), 0u);
    EXPECT_EQ(second.get(), 1u);
    EXPECT_EQ(barrier.n_waiting(), 0u);
  }
}

TEST_P(Meetings, BR2_WhoIsOutOfTimeBreaksIt) {
  ov::Barrier barrier("rows", 3);
  auto one = here.make<Guest>();
  auto waits = ov::start(one)->error_of_wait(barrier);
  until([&] { return barrier.n_waiting() == 1; });
  EXPECT_THROW(barrier.wait_for(1ms), ov::broken_barrier);
  EXPECT_THAT(waits.get(), HasSubstr("out of time"));
  EXPECT_TRUE(barrier.broken());
  EXPECT_THAT(one->error_of_wait(barrier), HasSubstr("is broken"));
  barrier.reset();
  EXPECT_FALSE(barrier.broken());
  auto again = ov::start(one)->error_of_wait(barrier);
  until([&] { return barrier.n_waiting() == 1; });
  barrier.abort();
  EXPECT_THAT(again.get(), HasSubstr("abort()"));
}

TEST_P(Meetings, BR2_OneThatIsDestroyedBreaksIt) {
  ov::Barrier barrier("rows", 3);
  auto one = here.make<Guest>();
  auto waits = ov::start(one)->error_of_wait(barrier);
  until([&] { return barrier.n_waiting() == 1; });
  barrier.reset();
  EXPECT_THAT(waits.get(), HasSubstr("reset()"));
  EXPECT_FALSE(barrier.broken());
}

TEST_P(Meetings, BR3_ADeathBetweenTwoWaitsBreaksIt) {
  if (GetParam() != "process") GTEST_SKIP() << "a thread does not die alone";
  ov::Barrier barrier("rows", 2);
  auto guest = here.make<Guest>();
  auto waits = ov::start(guest)->wait(barrier);
  barrier.wait();
  waits.get();
  EXPECT_THROW(guest->crash(), ov::process_died);
  try {
    barrier.wait();
    FAIL() << "it was not told";
  } catch (const ov::broken_barrier& e) {
    EXPECT_THAT(e.what(), HasSubstr("Guest"));
  }
}

TEST_P(Meetings, BR4_AnActionIsDoneOnceARound) {
  int rounds = 0;
  bool fails = false;
  const ov::Barrier barrier("with an action", 3, [&] {
    if (fails) throw std::runtime_error("no more");
    ++rounds;
  });
  auto one = here.make<Guest>(), two = here.make<Guest>();
  for (int round = 1; round < 4; ++round) {
    auto first = ov::start(one)->wait(barrier), second = ov::start(two)->wait(barrier);
    std::set places{barrier.wait()};
    EXPECT_EQ(rounds, round);
    places.insert(first.get());
    places.insert(second.get());
    EXPECT_THAT(places, testing::ElementsAre(0u, 1u, 2u));
  }
  fails = true;
  auto first = ov::start(one)->error_of_wait(barrier), second = ov::start(two)->error_of_wait(barrier);
  EXPECT_THROW(barrier.wait(), std::runtime_error);
  EXPECT_THAT(first.get(), HasSubstr("action"));
  EXPECT_THAT(second.get(), HasSubstr("action"));
}

TEST_P(Meetings, EV1_WhoWaitsGoesOnOnceItIsSet) {
  ov::Event event("loaded");
  auto guest = here.make<Guest>();
  EXPECT_FALSE(event.is_set());
  EXPECT_FALSE(event.wait_for(1ms));
  auto waits = ov::start(guest)->wait_for_event(event);
  EXPECT_FALSE(waits.wait_for(20ms));
  event.set();
  EXPECT_TRUE(waits.get());
  EXPECT_TRUE(event.wait_for(1h)) << "at once";
  event.wait();
  event.clear();
  EXPECT_FALSE(event.wait_for(1ms));
}

TEST_P(Meetings, EV2_WhatIsSetIsSeenByAll) {
  ov::Event event("loaded");
  auto one = here.make<Guest>(), two = here.make<Guest>();
  for (int i = 0; i < 100; ++i) {
    one->set(event);
    ASSERT_TRUE(two->is_set(event));
    ASSERT_TRUE(event.is_set());
    event.clear();
    ASSERT_FALSE(one->is_set(event));
  }
}

TEST_P(Meetings, MistakesAreSaid) {
  ov::Barrier barrier("rows", 3);
  EXPECT_THROW((ov::Barrier("rows", 4)), ov::usage_error);
  EXPECT_THROW((ov::Barrier("none", 0)), ov::usage_error);
  EXPECT_THROW(ov::Barrier().wait(), ov::usage_error);
  EXPECT_THROW(ov::Event().set(), ov::usage_error);
}

INSTANTIATE_TEST_SUITE_P(, Meetings, places_here, process_tests::name_of_place);

}  // namespace
}  // namespace meeting_tests
