// SPDX-License-Identifier: Apache-2.0
// What a buffered array says and keeps when something is wrong, and what it forgets last (BA-4, BA-6, BA-7).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Line = ov::BufferedArray<std::int32_t, 1>;

class BufferedFailures : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::test::Scratch scratch;
};

TEST_F(BufferedFailures, BA6_AFullDiskKeepsWhatWasWrittenAndTheNextWritebackBringsIt) {
  const ov::test::Mounted disk("tmpfs", "size=4m");
  if (!disk.mounted()) GTEST_SKIP() << "no mount: " << disk.why();
  constexpr std::int64_t chunk = 64 * ov::KiB, count = 8 * chunk;  // 2 MiB
  {
    Line u(disk / "u.zarr", {count}, {.mode = "w", .memory = 16 * ov::MiB, .chunk = {chunk}});
    ov::test::put_file(disk / "filler", std::string(3 * ov::MiB, 'x'));
    for (std::int64_t i = 0; i < count; ++i) u[i] = static_cast<int>(i);
    EXPECT_THAT([&] { u.writeback(); }, ThrowsMessage<ov::io_error>(AllOf(HasSubstr("writing ["), HasSubstr("u.zarr"), HasSubstr("No space left"))));
    EXPECT_GT(u.dirty_elements(), 0);
    EXPECT_EQ(u[count - 1], count - 1);
    fs::remove(disk / "filler");
    u.writeback();
    EXPECT_EQ(u.dirty_elements(), 0);
  }
  const Line u(disk / "u.zarr");
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(u[i], i);
}

TEST_F(BufferedFailures, BA6_WhatIsLostAtTheEndIsSaid) {
  const ov::test::Mounted disk("tmpfs", "size=1m");
  if (!disk.mounted()) GTEST_SKIP() << "no mount: " << disk.why();
  testing::internal::CaptureStderr();
  {
    Line u(disk / "u.zarr", {1 << 20}, {.mode = "w", .memory = 16 * ov::MiB, .chunk = {1 << 16}});
    for (std::int64_t i = 0; i < 1 << 20; ++i) u[i] = 1;
  }
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("1048576 elements"), HasSubstr("lost"), HasSubstr("u.zarr")));
}

TEST_F(BufferedFailures, BA7_AScanThatIsLongerThanTheBuffersFindsAPartOfItThere) {
  constexpr std::int64_t block = 1024, blocks = 40, buffers = 20;
  Line u(scratch / "u.raw", {blocks * block}, {.mode = "w", .buffers = buffers, .elements = block});
  for (int pass = 0; pass < 5; ++pass)
    for (std::int64_t i = 0; i < blocks * block; ++i) ASSERT_EQ(u[i], 0);
  // Those used last would never be those wanted next: all 5 times 40 blocks would be read.
  EXPECT_LT(u.counters().read, 5 * blocks * 3 / 4);
}

TEST_F(BufferedFailures, BA7_WhatIsUsedNowIsFoundThoughAScanFilledTheBuffersBefore) {
  constexpr std::int64_t block = 1024, blocks = 100, buffers = 16;
  Line u(scratch / "u.raw", {blocks * block}, {.mode = "w", .buffers = buffers, .elements = block});
  for (std::int64_t i = 0; i < blocks * block; ++i) ASSERT_EQ(u[i], 0);
  const auto before = u.counters().read;
  for (int pass = 0; pass < 50; ++pass)
    for (std::int64_t b = 70; b < 80; ++b) ASSERT_EQ(u[b * block + pass], 0);
  EXPECT_LT(u.counters().read - before, 100);  // of 500
}

TEST_F(BufferedFailures, BA7_AScanByBlocksFindsAPartOfItThereToo) {
  constexpr std::int64_t block = 1024, blocks = 40, buffers = 20;
  const Line u(scratch / "u.raw", {blocks * block}, {.mode = "w", .buffers = buffers, .elements = block});
  std::int64_t sum = 0;
  for (int pass = 0; pass < 5; ++pass) u.for_each_block([&](const ov::Block<const std::int32_t, 1>& part) { sum += part.row({0})[0]; });
  EXPECT_EQ(sum, 0);
  EXPECT_LT(u.counters().read, 5 * blocks * 3 / 4);
}

TEST_F(BufferedFailures, ALoopAcrossTheBlocksIsTold) {
  const ov::BufferedArray<std::int32_t, 2> u(scratch / "u.raw", {64, 64}, {.mode = "w", .buffers = 4, .elements = 64});
  testing::internal::CaptureStderr();
  std::int64_t sum = 0;
  for (std::int64_t j = 0; j < 64; ++j)
    for (std::int64_t i = 0; i < 64; ++i) sum += u[i][j];
  EXPECT_EQ(sum, 0);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), AllOf(HasSubstr("u.raw' were read again 4 times each"), HasSubstr("Go along the blocks")));
}

TEST_F(BufferedFailures, BA4_TheLeastMemoryDoesAndLessIsRefused) {
  Line u(scratch / "u.raw", {1 << 20}, {.mode = "w", .memory = 64 * ov::KiB});
  for (std::int64_t i = 0; i < 1 << 20; i += 64) u[i] = 1;
  EXPECT_LE(u.counters().buffers * u.counters().block_bytes, 64 * ov::KiB);
  EXPECT_THAT([&] { Line(scratch / "u.raw", {1 << 20}, {.memory = 60 * ov::KiB}); }, ThrowsMessage<ov::refused>(HasSubstr("64 KiB")));
  EXPECT_THAT([&] { Line(scratch / "u.raw", {1 << 20}, {.memory = 64 * ov::KiB, .buffers = 100, .elements = 1024}); },
              ThrowsMessage<ov::refused>(HasSubstr("Give memory at least")));
}

TEST_F(BufferedFailures, WhatDoesNotFitIsSaidWhereItIsOpened) {
  Line(scratch / "u.npy", {100}, {.mode = "w"});
  EXPECT_THAT([&] { Line(scratch / "u.npy", {.mode = "a"}); }, ThrowsMessage<ov::usage_error>(HasSubstr("mode \"a\"")));
  EXPECT_THAT([&] { Line(scratch / "u.npy", {99}); }, ThrowsMessage<ov::usage_error>(HasSubstr("100 elements, not 99")));
  EXPECT_THAT([&] { (ov::BufferedArray<std::int32_t, 2>(scratch / "u.npy")); }, ThrowsMessage<ov::usage_error>(HasSubstr("1 axes")));
  EXPECT_THAT([&] { (ov::BufferedArray<double, 1>(scratch / "u.npy", {.mode = "r+"})); }, ThrowsMessage<ov::usage_error>(HasSubstr("int32, not of float64")));
  const ov::BufferedArray<double, 1> converted(scratch / "u.npy");
  EXPECT_EQ(converted[99], 0.0);
  Line read(scratch / "u.npy");
  EXPECT_THAT([&] { read[0] = 1; }, ThrowsMessage<ov::usage_error>(HasSubstr("opened for reading")));
  read.close();
  EXPECT_THAT([&] { static_cast<void>(static_cast<std::int32_t>(read[0])); }, ThrowsMessage<ov::usage_error>(HasSubstr("closed")));
}

TEST_F(BufferedFailures, AChildThatWasForkedMayNotUseItAndLosesNothingOfItsParent) {
  Line u(scratch / "u.raw", {1 << 16}, {.mode = "w", .memory = 64 * ov::KiB});
  u[1] = 5;
  const pid_t child = watchdog.fork();
  if (child == 0) {
    bool refused = false;
    try {
      u[1 << 15] = 1;
    } catch (const ov::usage_error& error) {
      refused = std::string(error.what()).find("forked") != std::string::npos;
    }
    {
      const Line ending = std::move(u);  // its destructor is to do nothing
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  u.writeback();
  u.invalidate();
  EXPECT_EQ(u[1], 5);
}

TEST_F(BufferedFailures, AScratchArrayLeavesNothing) {
  ::setenv("TMPDIR", scratch.path().c_str(), 1);
  auto u = ov::BufferedArray<double, 3>::scratch({20, 30, 40}, {.memory = 64 * ov::KiB});
  for (std::int64_t i = 0; i < 20; ++i)
    for (std::int64_t j = 0; j < 30; ++j)
      for (std::int64_t k = 0; k < 40; ++k) u[i][j][k] = static_cast<double>(i * 10000 + j * 100 + k);
  EXPECT_EQ(u[19][29][39], 192939.0);
  EXPECT_EQ(u[0][29][1], 2901.0);
  EXPECT_TRUE(fs::is_empty(scratch.path()));
  ::unsetenv("TMPDIR");
}

}  // namespace
