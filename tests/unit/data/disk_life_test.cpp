// SPDX-License-Identifier: Apache-2.0
// Many requests at once, order and end: sync, abandon, destruction, the bounded queue and the open files.
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "scratch.hpp"

namespace octavo {
namespace {

using test::read_now;
using test::Scratch;
using test::write_now;

StoredBlock ints(const std::string& file, std::int64_t count, std::int64_t offset = 0) { return {file, offset, {count}, dtype::int32, byte_order::little, 0}; }

Tile tile_of(std::vector<std::int32_t>& values) { return Tile::whole(reinterpret_cast<std::byte*>(values.data()), {static_cast<std::int64_t>(values.size())}); }

std::int64_t open_descriptors() {
  auto list = std::filesystem::directory_iterator("/proc/self/fd");
  return std::distance(begin(list), end(list));
}

// A gate at which the transfers of a disk wait.
class Gate {
 public:
  Fault fault() {
    return [this](const Transfer&, std::int64_t) -> std::optional<std::int64_t> {
      std::unique_lock lock(mutex_);
      ++arrived_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return open_; });
      return std::nullopt;
    };
  }
  void wait_for_first() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return arrived_ > 0; });
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

TEST(DiskLife, ManyRequestsFromManyThreads) {
  Scratch scratch;
  Disk disk({.depth = 4, .buffer_bytes = 64 * KiB, .open_files = 4, .max_waiting = 16});
  constexpr int threads = 4, blocks = 200, count = 1009;
  std::int64_t before = open_descriptors();
  std::atomic<int> done{0}, failed{0};
  std::vector<std::thread> callers;
  std::vector<std::vector<std::int32_t>> data(threads * blocks);
  for (int t = 0; t < threads; ++t)
    callers.emplace_back([&, t] {
      for (int i = 0; i < blocks; ++i) {
        int index = t * blocks + i;
        auto& values = data[static_cast<std::size_t>(index)];
        values.assign(count, index);
        // Neighbours in one file share disk blocks: none may damage the other.
        disk.write(ints(scratch / std::to_string(i % 10), count, index / 10 * count * 4), {{0}, {count}}, dtype::int32, tile_of(values),
                   [&](std::exception_ptr error) { ++done, failed += error != nullptr; });
      }
    });
  for (auto& caller : callers) caller.join();
  disk.sync();
  EXPECT_EQ(failed, 0);
  EXPECT_LE(open_descriptors() - before, 4 * 2) << "open_files bounds the descriptors";
  for (int i = 0; i < threads * blocks; ++i) {
    std::vector<std::int32_t> values(count);
    read_now(disk, ints(scratch / std::to_string(i % blocks % 10), count, i / 10 * count * 4), {{0}, {count}}, dtype::int32, tile_of(values));
    ASSERT_EQ(values, std::vector<std::int32_t>(count, i));
  }
  EXPECT_EQ(done, threads * blocks);
  EXPECT_EQ(disk.counters().requests, 2 * threads * blocks);
  EXPECT_EQ(disk.counters().bytes_written, std::int64_t{4} * threads * blocks * count);
}

// Long rows whose ends share disk blocks with their neighbours: buffered ends and direct middles at work on one file at once, and again.
TEST(DiskLife, NeighboursMayBeRewrittenAtOnce) {
  Scratch scratch;
  Disk disk;
  constexpr int rows = 100, count = 40009;
  std::atomic<int> failed{0};
  std::vector<std::vector<std::int32_t>> data(rows);
  for (int pass = 0; pass < 3; ++pass) {
    for (int i = 0; i < rows; ++i) {
      auto& values = data[static_cast<std::size_t>(i)];
      values.assign(count, pass * rows + i);
      disk.write(ints(scratch / "a", count, 13 + std::int64_t{4} * count * i), {{0}, {count}}, dtype::int32, tile_of(values),
                 [&](std::exception_ptr error) { failed += error != nullptr; });
    }
    disk.sync();
  }
  EXPECT_EQ(failed, 0);
  std::vector<std::int32_t> all(rows * count);
  read_now(disk, ints(scratch / "a", rows * count, 13), {{0}, {rows * count}}, dtype::int32, tile_of(all));
  for (int i = 0; i < rows * count; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)], 2 * rows + i / count) << i;
}

TEST(DiskLife, SyncWaitsForEarlierWrites) {
  Scratch scratch;
  Gate gate;
  Disk disk({.make_queue = [&](int) { return make_thread_queue(2, gate.fault()); }});
  std::vector<std::int32_t> values(5000, 3);
  std::atomic<bool> written{false}, synced{false};
  disk.write(ints(scratch / "new/directory/file", 5000), {{0}, {5000}}, dtype::int32, tile_of(values), [&](std::exception_ptr error) { written = !error; });
  gate.wait_for_first();
  std::thread syncing([&] {
    disk.sync();
    synced = true;
    EXPECT_EQ(std::filesystem::file_size(scratch / "new/directory/file"), 20000u);
  });
  EXPECT_FALSE(synced);
  gate.open();
  syncing.join();
  Disk other;  // what done() has reported is there for everyone
  std::vector<std::int32_t> back(5000);
  read_now(other, ints(scratch / "new/directory/file", 5000), {{0}, {5000}}, dtype::int32, tile_of(back));
  EXPECT_EQ(back, values);
}

TEST(DiskLife, SyncInsideDoneIsRefused) {
  Scratch scratch;
  Disk disk;
  std::vector<std::int32_t> values(10);
  std::promise<std::string> text;
  disk.write(ints(scratch / "a", 10), {{0}, {10}}, dtype::int32, tile_of(values),
             [&](std::exception_ptr) { text.set_value(test::text_of<usage_error>([&] { disk.sync(); })); });
  EXPECT_TEXT(text.get_future().get(), "another thread");
}

TEST(DiskLife, DoneMayAskForMore) {
  Scratch scratch;
  std::atomic<int> done{0};
  std::promise<void> over;
  std::vector<std::int32_t> values(100, 1);
  Disk disk({.max_waiting = 1});
  Done again = [&](std::exception_ptr) {
    if (++done == 20) return over.set_value();
    if (done < 10)  // two each: more than may wait, and yet no deadlock
      for (int i = 0; i < 2; ++i) disk.write(ints(scratch / "a", 100), {{0}, {100}}, dtype::int32, tile_of(values), again);
  };
  for (int i = 0; i < 2; ++i) disk.write(ints(scratch / "a", 100), {{0}, {100}}, dtype::int32, tile_of(values), again);
  over.get_future().get();
}

TEST(DiskLife, DestructionFinishesWhatWasAsked) {
  Scratch scratch;
  std::atomic<int> done{0};
  std::vector<std::int32_t> values(50000, 5);
  {
    Disk disk({.depth = 2, .buffer_bytes = 16 * KiB});
    for (int i = 0; i < 100; ++i)
      disk.write(ints(scratch / std::to_string(i), 50000), {{0}, {50000}}, dtype::int32, tile_of(values),
                 [&](std::exception_ptr error) { done += error == nullptr; });
  }
  EXPECT_EQ(done, 100);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(std::filesystem::file_size(scratch / std::to_string(i)), 200000u);
}

TEST(DiskLife, FileReplacedBySomebodyIsOpenedAnew) {
  Scratch scratch;
  Disk disk;
  std::vector<std::int32_t> one(100, 1), two(100, 2), back(100);
  write_now(disk, ints(scratch / "a", 100), {{0}, {100}}, dtype::int32, tile_of(one));
  std::filesystem::remove(scratch / "a");
  write_now(disk, ints(scratch / "a", 100), {{0}, {100}}, dtype::int32, tile_of(two));
  Disk other;
  read_now(other, ints(scratch / "a", 100), {{0}, {100}}, dtype::int32, tile_of(back));
  EXPECT_EQ(back, two);
}

TEST(DiskLife, EmptyPartsAndNoDimensions) {
  Scratch scratch;
  Disk disk;
  std::vector<std::int32_t> value{7}, back{0};
  StoredBlock scalar{scratch / "s", 3, {}, dtype::int32, byte_order::big, 7};
  write_now(disk, scalar, {{}, {}}, dtype::int32, {reinterpret_cast<std::byte*>(value.data()), {}, {}});
  read_now(disk, scalar, {{}, {}}, dtype::int32, {reinterpret_cast<std::byte*>(back.data()), {}, {}});
  EXPECT_EQ(back, value);
  EXPECT_EQ(std::filesystem::file_size(scratch / "s"), 7u);
  read_now(disk, ints(scratch / "not there", 10), {{3}, {3}}, dtype::int32, tile_of(back));
}

TEST(DiskLife, LargeGapsAreNotRead) {
  Scratch scratch;
  Disk disk;
  test::put_file(scratch / "a", std::string(64 * MiB, 'x'));
  std::vector<std::byte> out(64 * 16);
  StoredBlock block{scratch / "a", 0, {64, MiB}, dtype::uint8, byte_order::little, 0};
  read_now(disk, block, {{0, 100}, {64, 116}}, dtype::uint8, Tile::whole(out.data(), {64, 16}));
  EXPECT_EQ(out, std::vector<std::byte>(64 * 16, std::byte{'x'}));
  EXPECT_EQ(disk.counters().bytes_read, 64 * 4096);
  EXPECT_EQ(disk.counters().transfers, 64);
}

}  // namespace
}  // namespace octavo
