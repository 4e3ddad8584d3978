// SPDX-License-Identifier: Apache-2.0
// when_n: so many of several futures, with those that were not ready yet still to be taken.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <stdexcept>
#include <vector>

#include "conformance/process/every_place.hpp"
#include "conformance/process/juggler.hpp"

namespace process_tests {

namespace {

using testing::UnorderedElementsAre;

class WhenN : public EveryPlace {};

TEST_P(WhenN, TellsWhichWereFirstAndTheOthersCanStillBeTaken) {
  auto slow = here.make<Juggler>();
  auto quick = here.make<Juggler>();
  auto held = ov::start(slow)->when_opened();
  auto one = ov::start(quick)->twice(1), next = ov::start(quick)->twice(2);
  auto two = ov::when_n(2, std::move(held), std::move(next), std::move(one)).get();
  EXPECT_THAT(two.ready, UnorderedElementsAre(1u, 2u));
  EXPECT_EQ(std::get<1>(two.futures).get(), 4);
  EXPECT_EQ(std::get<2>(two.futures).get(), 2);
  EXPECT_FALSE(std::get<0>(two.futures).ready());
  slow->open(5);
  EXPECT_EQ(std::get<0>(two.futures).get(), 5);
}

TEST_P(WhenN, ACallThatFailedIsReadyAsAnyOther) {
  auto p = here.make<Juggler>();
  std::vector<ov::future<void>> failing;
  failing.push_back(ov::start(p)->fail("one"));
  failing.push_back(ov::start(p)->fail("two"));
  auto both = ov::when_n(2, std::move(failing)).get();
  EXPECT_THAT(both.ready, UnorderedElementsAre(0u, 1u));
  EXPECT_THROW(both.futures[0].get(), std::out_of_range);
  EXPECT_THROW(both.futures[1].get(), std::out_of_range);
}

TEST_P(WhenN, AllAndNoneAreNumbersToo) {
  auto p = here.make<Juggler>();
  std::list<ov::future<int>> five;
  for (int i = 0; i < 5; ++i) five.push_back(ov::start(p)->twice(i));
  auto all = ov::when_n(5, five.begin(), five.end()).get();
  EXPECT_THAT(all.ready, UnorderedElementsAre(0u, 1u, 2u, 3u, 4u));
  EXPECT_EQ(all.futures[4].get(), 8);
  auto none = ov::when_n(0, std::vector<ov::future<int>>{});
  EXPECT_TRUE(none.ready());
  EXPECT_TRUE(none.get().ready.empty());
}

TEST_P(WhenN, OfMoreThanThereAreIsRefusedAtOnce) {
  auto p = here.make<Juggler>();
  try {
    (void)ov::when_n(3, ov::start(p)->twice(1), ov::start(p)->twice(2));
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_STREQ(e.what(), "when_n() was to wait for 3 futures of 2. Give it at least as many as are to be ready");
  }
  EXPECT_THROW((void)ov::when_n(1, ov::start(p)->twice(1), ov::future<int>()), ov::usage_error);
  EXPECT_EQ(p->twice(3), 6);
}

INSTANTIATE_TEST_SUITE_P(, WhenN, every_place, name_of_place);

}  // namespace

}  // namespace process_tests
