// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/common/memory_meter.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace octavo::agent {
namespace {

TEST(MemoryMeter, KeepsThePeaks) {
  MemoryMeter meter([](pid_t pid) { return std::int64_t{pid}; });
  meter.sample(1000, 10, {{true, 5, 2}, {false, 7, 1}, {false, 0, 1}});
  EXPECT_EQ(meter.peak(), 1000 + 5 + 20 + 7 + 10 + 10);
  EXPECT_EQ(meter.peak_program(), 5);
  meter.sample(10, 10, {{true, 6, 0}});
  EXPECT_EQ(meter.peak(), 1052);
  EXPECT_EQ(meter.peak_program(), 6);
}

TEST(MemoryMeter, AProcessHasAnonymousMemory) {
  EXPECT_GT(anonymous_bytes(::getpid()), 0);
  EXPECT_EQ(anonymous_bytes(1 << 29), 0);
}

}  // namespace
}  // namespace octavo::agent
