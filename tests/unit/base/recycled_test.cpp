// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/recycled.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>
#include <thread>
#include <vector>

namespace {

struct Small {
  long a = 1, b = 2;
};
struct Large {
  std::array<std::byte, 4096> bytes;
};

TEST(Recycled, MemoryIsUsedAgainAndByOneAtATime) {
  std::set<const void*> seen;
  for (int round = 0; round < 5; ++round) {
    std::vector<std::shared_ptr<Small>> all;
    std::set<const void*> now;
    for (int i = 0; i < 1000; ++i) {
      all.push_back(std::allocate_shared<Small>(octavo::Recycled<Small>()));
      EXPECT_TRUE(now.insert(all.back().get()).second) << "two live ones at one place";
      EXPECT_EQ(all.back()->a + all.back()->b, 3);
      all.back()->a = i;
    }
    seen.insert(now.begin(), now.end());
  }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_EQ(seen.size(), 1000U);
#endif
}

TEST(Recycled, WhatOneThreadMakesAnotherMayFree) {
  for (int round = 0; round < 20; ++round) {
    std::vector<std::shared_ptr<Small>> all;
    std::thread([&] {
      for (int i = 0; i < 3000; ++i) all.push_back(std::allocate_shared<Small>(octavo::Recycled<Small>()));
    }).join();
    std::thread([&] { all.resize(10); }).join();  // more than a thread keeps; what it keeps is freed with it (LeakSanitizer)
    EXPECT_EQ(all.front()->b, 2);
  }
}

TEST(Recycled, LargeOnesAreNotKept) {
  auto large = std::allocate_shared<Large>(octavo::Recycled<Large>());
  large->bytes.fill(std::byte{1});
  EXPECT_EQ(large.use_count(), 1);
}

}  // namespace
