// SPDX-License-Identifier: Apache-2.0
// What a device reads ahead, and what it does not (D-6 of octavo/data/page_device.hpp).
#include "data/device/read_ahead.hpp"

#include <gtest/gtest.h>

namespace octavo {
namespace {

const Box part{{0, 0}, {4, 4}}, meeting{{3, 3}, {8, 8}}, beside{{4, 0}, {8, 4}};

class ReadsAhead : public testing::Test {
 protected:
  void keep(const Box& place) {
    promise<ArrayPage> read;
    auto page = read.get_future();
    read.set_value(ArrayPage::make_private(dtype::float64, place.extents()));
    ahead.keep(place, dtype::float64, std::move(page));
  }
  ReadAhead ahead{3 * 16 * 8};
};

TEST_F(ReadsAhead, D6_NothingThatIsBeingWritten) {
  ahead.write_begins(meeting);
  ahead.write_begins(meeting);
  EXPECT_FALSE(ahead.wants(part, dtype::float64)) << "what it would read now may be old, and would be kept";
  EXPECT_TRUE(ahead.wants({{0, 0}, {3, 3}}, dtype::float64)) << "the write does not meet this";
  ahead.write_ended(meeting);
  EXPECT_FALSE(ahead.wants(part, dtype::float64)) << "one of the two goes on";
  ahead.write_ended(meeting);
  EXPECT_TRUE(ahead.wants(part, dtype::float64));
}

TEST_F(ReadsAhead, D6_AWriteDropsWhatWasReadAheadThere) {
  keep(part);
  keep(beside);
  ahead.write_begins({{3, 0}, {4, 1}});
  EXPECT_FALSE(ahead.take(part, dtype::float64));
  EXPECT_TRUE(ahead.take(beside, dtype::float64));
}

TEST_F(ReadsAhead, D6_NoMoreThanItsBytes) {
  for (const auto& place : {part, beside, Box{{0, 4}, {4, 8}}, Box{{4, 4}, {8, 8}}}) {
    ASSERT_TRUE(ahead.wants(place, dtype::float64));
    keep(place);
  }
  EXPECT_FALSE(ahead.take(part, dtype::float64)) << "the oldest made room";
  EXPECT_FALSE(ahead.wants(beside, dtype::float64)) << "it is here";
  EXPECT_FALSE(ahead.wants({{0, 0}, {8, 8}}, dtype::float64)) << "it would never fit";
}

}  // namespace
}  // namespace octavo
