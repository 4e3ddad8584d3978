// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/played_role.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"

namespace octavo::engine {
namespace {

TEST(PlayedRole, IsReadAsItWasWritten) {
  for (const std::string machine : {"box", "my box", "-1 2", "ä"})
    for (pid_t program : {0, 4711}) {
      const PlayedRole role{machine, {.pool_bytes = std::int64_t{1} << 40, .ring_bytes = 65536, .silence = std::chrono::milliseconds(1234)}, program};
      const auto read = played_role(text_of(role));
      EXPECT_EQ(read.machine, machine);
      EXPECT_EQ(read.program, program);
      EXPECT_EQ(read.terms.pool_bytes, role.terms.pool_bytes);
      EXPECT_EQ(read.terms.ring_bytes, role.terms.ring_bytes);
      EXPECT_EQ(read.terms.silence, role.terms.silence);
    }
}

TEST(PlayedRole, WhatNobodyWroteIsRefused) {
  for (const char* text : {"", "play", "play box", "play 1 2 3 4", "play 1 2 x 4 box", "stay 1 2 3 4 box"})
    EXPECT_THROW(played_role(text), usage_error) << text;
}

}  // namespace
}  // namespace octavo::engine
