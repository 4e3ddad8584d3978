// SPDX-License-Identifier: Apache-2.0
// Small rows that lie in the page cache are moved by the thread that asks for them: several threads in few buffers do not wait for the disk's thread.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>

#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
using Grid = ov::BufferedArray<std::int32_t, 2>;
constexpr std::int64_t rows = 64, columns = 96;
constexpr int threads = 4;

// Some file systems have no reads that do not wait.
bool is_read_at_once(const std::string& path) {
  const ov::Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char byte = 0;
  const iovec where{&byte, 1};
  return ::preadv2(file.get(), &where, 1, 0, RWF_NOWAIT) == 1;
}

TEST(BufferedNearRows, BA8_ThreadsInFewBuffersDoNotWaitForTheDisksThread) {
  const ov::kit::Watchdog watchdog{120};
  const ov::test::Scratch scratch;
  const std::string path = scratch / "u.raw";
  Grid u(path, {rows, columns}, {.mode = "w", .buffers = threads, .elements = 256, .threads = threads});
  for (auto element : u) element = 1;
  u.writeback();
  if (!is_read_at_once(path)) GTEST_SKIP() << "this file system reads nothing at once";
  const auto before = u.counters();
  {
    std::vector<std::jthread> all;
    for (int number = 0; number < threads; ++number)
      all.emplace_back([&u, number] {
        const auto mine = u.share();
        std::mt19937 random(static_cast<unsigned>(number));
        for (int step = 0; step < 300; ++step)
          mine[static_cast<std::int64_t>(random() % rows)][static_cast<std::int64_t>(random() % (columns / threads)) * threads + number] += number;
      });
  }
  const auto after = u.counters();
  EXPECT_GT(after.read, before.read + 300);
  EXPECT_EQ(after.waited, before.waited);
  u.writeback();
  u.invalidate();
  std::int64_t sum = 0;
  for (const auto& element : std::as_const(u)) sum += element;
  EXPECT_EQ(sum, rows * columns + 300 * (1 + 2 + 3));
}

}  // namespace
