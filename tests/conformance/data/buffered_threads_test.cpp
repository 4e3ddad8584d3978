// SPDX-License-Identifier: Apache-2.0
// Several threads at one buffered array (BA-8): by shares of their own, and by blocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Grid = ov::BufferedArray<std::int32_t, 2>;
constexpr std::int64_t rows = 64, columns = 96;
constexpr int threads = 3;

class BufferedThreads : public testing::Test {
 protected:
  // By so many threads at once, each with its number.
  template <class Work>
  static void together(const Work& work) {
    std::vector<std::jthread> all;
    for (int number = 0; number < threads; ++number) all.emplace_back([&work, number] { work(number); });
  }
  [[nodiscard]] Grid made(std::int64_t buffers) const {
    return Grid(scratch / "u.raw", {rows, columns}, {.mode = "w", .buffers = buffers, .elements = 256, .threads = threads});
  }
  ov::kit::Watchdog watchdog{120};
  ov::test::Scratch scratch;
};

TEST_F(BufferedThreads, BA8_SharesWriteTheirOwnElementsOfAllBlocksAndLoseNothing) {
  for (const std::int64_t buffers : {3, 4, 9, 40}) {
    Grid u = made(buffers);
    for (int round = 1; round <= 5; ++round) {
      together([&](int number) {
        const auto mine = u.share();
        std::mt19937 random(static_cast<unsigned>(number * 100 + round));
        for (int step = 0; step < 1000; ++step) {  // of one column in three
          const auto i = static_cast<std::int64_t>(random() % rows), j = static_cast<std::int64_t>(random() % (columns / threads)) * threads + number;
          mine[i][j] += number + 1;
        }
      });
      if (round == 3) u.writeback();
    }
    u.writeback();
    u.invalidate();
    std::int64_t sum = 0;
    for (const auto& element : std::as_const(u)) sum += element;
    EXPECT_EQ(sum, 5 * 1000 * (1 + 2 + 3)) << buffers << " buffers";
  }
}

TEST_F(BufferedThreads, BA8_WhatOneShareWroteAnotherReadsAfterwards) {
  Grid u = made(6);
  together([&](int number) {
    const auto mine = u.share();
    for (std::int64_t i = number; i < rows; i += threads)
      for (std::int64_t j = 0; j < columns; ++j) mine[i][j] = static_cast<int>(i * columns + j);
  });
  together([&](int number) {
    const auto mine = std::as_const(u).share();
    for (std::int64_t i = (number + 1) % threads; i < rows; i += threads)
      for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(mine[i][j], i * columns + j);
  });
}

TEST_F(BufferedThreads, BA8_BlocksOfSeveralThreadsWhileOneWritesBack) {
  Grid u = made(8);
  together([&](int number) {
    for (std::int64_t i = number; i < rows; i += threads) {
      u.overwrite_blocks({{i, 0}, {i + 1, columns}}, [&](const ov::Block<std::int32_t, 2>& block) {
        for (const auto row : block.rows()) std::ranges::fill(row, static_cast<int>(i));
      });
      if (i % 5 == 0) u.writeback();
    }
  });
  u.writeback();
  u.invalidate();
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(u[i][j], i);
}

TEST_F(BufferedThreads, BA8_WhileThereIsAShareTheArrayItselfIsRefusedAndSoIsOneMoreThanThereAreThreads) {
  Grid u = made(6);
  u[0][0] = 5;
  {
    const auto first = u.share(), second = u.share(), third = u.share();
    EXPECT_THAT([&] { u[0][0] = 1; }, ThrowsMessage<ov::usage_error>(HasSubstr("3 threads have shares")));
    EXPECT_THAT([&] { static_cast<void>(u.share()); }, ThrowsMessage<ov::usage_error>(HasSubstr("opened for 3 threads")));
    EXPECT_THAT([&] { u.close(); }, ThrowsMessage<ov::usage_error>(HasSubstr("closing")));
    EXPECT_EQ(first[0][0], 5);
    second[0][0] = 6;
    EXPECT_EQ(third[0][0], 6);
  }
  EXPECT_EQ(u[0][0], 6);
  EXPECT_EQ(u.dirty_elements(), 1);
  EXPECT_THAT(
      [&] {
        Grid(scratch / "u.raw", {rows, columns}, {.buffers = 2, .threads = 3});
      },
      ThrowsMessage<ov::usage_error>(HasSubstr("at least one for each thread")));
}

TEST_F(BufferedThreads, BA5_WhatIsOverwrittenWhileAnotherReadsItsBlockStays) {
  Grid u = made(6);
  u.overwrite_blocks({{0, 0}, {1, 10}}, [&](const ov::Block<std::int32_t, 2>& block) {
    for (std::int64_t j = 0; j < 10; ++j) block(0, j) = 7;
    u.writeback();
    for (std::int64_t j = 0; j < 10; ++j) block(0, j) = 8;
    EXPECT_EQ(u[1][0], 0);  // of the same block: the rest is read
  });
  EXPECT_EQ(u[0][9], 8);
  u.writeback();
  u.invalidate();
  EXPECT_EQ(u[0][9], 8);
}

}  // namespace
