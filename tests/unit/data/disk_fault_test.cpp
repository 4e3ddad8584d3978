// SPDX-License-Identifier: Apache-2.0
// What a Disk says and does when files are missing or short, the disk is full, or a transfer fails.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <stdexcept>

#include "element.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using test::read_now;
using test::Scratch;
using test::text_of;
using test::write_now;

StoredBlock floats(const std::string& file, std::int64_t count) { return {file, 0, {count}, dtype::float32, byte_order::little, count * 4}; }

Disk faulty(Fault fault) {
  return Disk({.depth = 2, .buffer_bytes = 128 * KiB, .make_queue = [fault](int) { return make_thread_queue(2, fault); }});
}

std::vector<float> counted(std::int64_t count) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return values;
}

Tile tile_of(std::vector<float>& values) { return Tile::whole(reinterpret_cast<std::byte*>(values.data()), {static_cast<std::int64_t>(values.size())}); }

TEST(DiskFault, TruncatedFileNamesBothLengths) {
  Scratch scratch;
  Disk disk;
  for (std::size_t have : {0u, 100u, 4096u, 399999u}) {
    test::put_file(scratch / "short", std::string(have, 'x'));
    std::vector<float> values(100000);
    auto text = text_of<io_error>([&] { read_now(disk, floats(scratch / "short", 100000), {{0}, {100000}}, dtype::float32, tile_of(values)); });
    EXPECT_TEXT(text, scratch / "short");
    EXPECT_TEXT(text, "400000 bytes expected, " + std::to_string(have) + " found");
    EXPECT_TEXT(text, "write the file again");
  }
}

TEST(DiskFault, PartBeforeTheTruncationIsRead) {
  Scratch scratch;
  Disk disk;
  auto all = counted(100000);
  test::put_file(scratch / "short", std::string(reinterpret_cast<const char*>(all.data()), 5000));
  std::vector<float> values(1250);
  read_now(disk, floats(scratch / "short", 100000), {{0}, {1250}}, dtype::float32, tile_of(values));
  EXPECT_EQ(values, counted(1250));
}

TEST(DiskFault, MissingFileIsFilledOrAnError) {
  Scratch scratch;
  Disk disk;
  StoredBlock block{scratch / "no/such/chunk", 0, {4, 6}, dtype::int16, byte_order::big, 0};
  std::vector<std::complex<double>> tile(5 * 7, {1, 1});
  std::complex<double> fill{3, 0};
  Tile target{reinterpret_cast<std::byte*>(tile.data()), {5, 7}, {1, 2}};
  read_now(disk, block, {{0, 1}, {3, 5}}, dtype::complex128, target, std::as_bytes(std::span(&fill, 1)));
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) EXPECT_EQ(tile[static_cast<std::size_t>(i * 7 + j)], (i >= 1 && i < 4 && j >= 2 && j < 6 ? fill : std::complex<double>{1, 1}));
  auto text = text_of<io_error>([&] { read_now(disk, block, {{0, 1}, {3, 5}}, dtype::complex128, target); });
  EXPECT_TEXT(text, block.file);
  EXPECT_TEXT(text, "no such file");
}

TEST(DiskFault, FullDiskShowsWhenTheFileIsMade) {
  test::Mounted small("tmpfs", "size=1m");
  if (!small.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << small.why();
  Disk disk;
  auto values = counted(1 << 20);
  auto block = floats(small / "c/0", 1 << 20);
  auto text = text_of<io_error>([&] { write_now(disk, block, {{0}, {1 << 20}}, dtype::float32, tile_of(values)); });
  EXPECT_TEXT(text, "reserving 4 MiB");
  EXPECT_TEXT(text, block.file);
  EXPECT_TEXT(text, "ENOSPC");
  EXPECT_TEXT(text, "Free space on that disk");
  EXPECT_FALSE(std::filesystem::exists(block.file));
  block.file_bytes = 0;  // not reserved: the write itself must say it
  text = text_of<io_error>([&] { write_now(disk, block, {{0}, {1 << 20}}, dtype::float32, tile_of(values)); });
  EXPECT_TEXT(text, "writing ");
  EXPECT_TEXT(text, "ENOSPC");
  EXPECT_TEXT(text, block.file);
}

TEST(DiskFault, EachWriteMayFail) {
  Scratch scratch;
  auto values = counted(200000);  // 800000 bytes: 7 transfers
  for (std::int64_t failing = 0; failing < 7; ++failing) {
    std::atomic<int> calls{0};
    std::string text;
    {
      Disk disk = faulty([&](const Transfer&, std::int64_t n) { return n == failing ? std::optional<std::int64_t>(-EIO) : std::nullopt; });
      std::promise<void> over;
      disk.write(floats(scratch / std::to_string(failing), 200000), {{0}, {200000}}, dtype::float32, tile_of(values), [&](std::exception_ptr error) {
        ++calls;
        text = text_of<io_error>([&] {
          if (error) std::rethrow_exception(error);
        });
        over.set_value();
      });
      over.get_future().get();
    }
    EXPECT_EQ(calls, 1);
    EXPECT_TEXT(text, "writing ");
    EXPECT_TEXT(text, "EIO");
    EXPECT_TEXT(text, scratch / std::to_string(failing));
  }
}

// One of several that are under way for one buffer, or the first: its request is answered once, and the disk goes on.
TEST(DiskFault, EachTransferMayFailToBegin) {
  Scratch scratch;
  auto values = counted(200000);
  auto block = floats(scratch / "a", 200000);
  block.offset = 77;  // the ends of each write go by themselves
  for (std::int64_t failing = 0; failing < 9; ++failing) {
    std::int64_t begun = 0;
    Disk disk = faulty([&](const Transfer&, std::int64_t) -> std::optional<std::int64_t> {
      if (begun++ == failing) throw std::bad_alloc();
      return std::nullopt;
    });
    EXPECT_THROW(write_now(disk, block, {{0}, {200000}}, dtype::float32, tile_of(values)), std::bad_alloc) << failing;
    disk.sync();
    write_now(disk, block, {{0}, {200000}}, dtype::float32, tile_of(values));
    std::vector<float> back(200000);
    read_now(disk, block, {{0}, {200000}}, dtype::float32, tile_of(back));
    ASSERT_EQ(back, values) << failing;
  }
}

TEST(DiskFault, WhatDoneThrowsEndsNothing) {
  Scratch scratch;
  Disk disk;
  auto values = counted(1000);
  for (int way = 0; way < 2; ++way)
    disk.write(floats(scratch / "a", 1000), {{0}, {1000}}, dtype::float32, tile_of(values), [way](const std::exception_ptr&) {
      if (way == 0) throw std::runtime_error("not this");
      throw way;
    });
  disk.sync();
  std::vector<float> back(1000);
  read_now(disk, floats(scratch / "a", 1000), {{0}, {1000}}, dtype::float32, tile_of(back));
  EXPECT_EQ(back, values);
}

TEST(DiskFault, ShortTransfersAreContinued) {
  Scratch scratch;
  Disk disk = faulty([](const Transfer& transfer, std::int64_t n) -> std::optional<std::int64_t> {
    if (n % 3 == 0 || transfer.length <= 8192) return std::nullopt;
    return n % 3 == 1 ? 4096 : transfer.writing && !transfer.direct ? 5000 : 8192;
  });
  auto values = counted(300001);
  std::vector<float> back(300001);
  auto block = floats(scratch / "a", 300001);
  block.offset = 77;
  write_now(disk, block, {{0}, {300001}}, dtype::float32, tile_of(values));
  read_now(disk, block, {{0}, {300001}}, dtype::float32, tile_of(back));
  EXPECT_EQ(values, back);
}

TEST(DiskFault, WriteThatTakesNothingIsAnError) {
  Scratch scratch;
  Disk disk = faulty([](const Transfer&, std::int64_t) { return std::optional<std::int64_t>(0); });
  auto values = counted(100);
  auto text = text_of<io_error>([&] { write_now(disk, floats(scratch / "a", 100), {{0}, {100}}, dtype::float32, tile_of(values)); });
  EXPECT_TEXT(text, "took only 0 B");
}

TEST(DiskFault, RefusalOfTheFirstDirectTransferFallsBack) {
  Scratch scratch;
  std::atomic<int> direct{0};
  Disk disk = faulty([&](const Transfer& transfer, std::int64_t) -> std::optional<std::int64_t> {
    if (!transfer.direct) return std::nullopt;
    ++direct;
    return -EINVAL;
  });
  auto values = counted(300000);
  std::vector<float> back(300000);
  write_now(disk, floats(scratch / "a", 300000), {{0}, {300000}}, dtype::float32, tile_of(values));
  int refused_once = direct;
  EXPECT_GT(refused_once, 0);
  write_now(disk, floats(scratch / "b", 300000), {{0}, {300000}}, dtype::float32, tile_of(values));
  read_now(disk, floats(scratch / "b", 300000), {{0}, {300000}}, dtype::float32, tile_of(back));
  EXPECT_EQ(direct, refused_once) << "the file system is known by then";
  EXPECT_EQ(values, back);
}

TEST(DiskFault, WrongCallsAreTheCallersMistake) {
  Scratch scratch;
  Disk disk;
  std::vector<float> values(100);
  auto never = [](std::exception_ptr) { ADD_FAILURE() << "done() of a call that threw"; };
  auto block = floats(scratch / "a", 100);
  EXPECT_THROW(disk.read(block, {{0}, {101}}, dtype::float32, tile_of(values), {}, never), usage_error);
  EXPECT_THROW(disk.read(block, {{0, 0}, {1, 1}}, dtype::float32, tile_of(values), {}, never), usage_error);
  EXPECT_THROW(disk.read(block, {{0}, {100}}, dtype::float32, {tile_of(values).data, {100}, {1}}, {}, never), usage_error);
  EXPECT_THROW(disk.read(block, {{0}, {100}}, dtype::int8, tile_of(values), {}, never), not_supported);
  std::byte one{};
  EXPECT_THROW(disk.read(block, {{0}, {100}}, dtype::float32, tile_of(values), std::span(&one, 1), never), usage_error);
  EXPECT_THROW(Disk({.depth = 0}), usage_error);
  EXPECT_THROW(Disk({.buffer_bytes = 100}), usage_error);
}

TEST(DiskFault, DirectoryIsNotAFile) {
  Scratch scratch;
  Disk disk;
  std::vector<float> values(100);
  EXPECT_THROW(read_now(disk, floats(scratch.path(), 100), {{0}, {100}}, dtype::float32, tile_of(values)), io_error);
  EXPECT_THROW(write_now(disk, floats(scratch.path(), 100), {{0}, {100}}, dtype::float32, tile_of(values)), io_error);
}

}  // namespace
}  // namespace octavo
