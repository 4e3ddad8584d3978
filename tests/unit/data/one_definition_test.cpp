// SPDX-License-Identifier: Apache-2.0
// One library has one class of a name: these headers, of several layers, could not be included together.
#include <gtest/gtest.h>

#include <type_traits>

#include "data/io/part_walk.hpp"
#include "data/io/request.hpp"
#include "machine/registry/database.hpp"
#include "octavo/process/detail/exchange.hpp"

namespace octavo {
namespace {

TEST(OneDefinition, TheQueueOfADiskIsNotAWayToCall) {
  EXPECT_FALSE((std::is_same_v<RequestQueue, Waiting>));
  EXPECT_FALSE((std::is_same_v<RangeRows, Rows>));
}

}  // namespace
}  // namespace octavo
