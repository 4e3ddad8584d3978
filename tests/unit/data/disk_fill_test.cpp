// SPDX-License-Identifier: Apache-2.0
// What lies beside the written part of a file that a write makes; files that are longer than their block, and what is no file.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <numeric>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/data/storage.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using test::read_now;
using test::Scratch;
using test::text_of;
using test::write_now;

template <class T>
std::vector<std::byte> element(T value) {
  auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

StoredBlock shorts(const std::string& file, const Shape& shape, std::int16_t fill) {
  return {file, 0, shape, dtype::int16, byte_order::big, shape.count() * 2, true, element(fill)};
}

std::vector<std::int16_t> all_of(const StoredBlock& block) {
  Disk disk;
  std::vector<std::int16_t> values(static_cast<std::size_t>(block.shape.count()));
  read_now(disk, block, Box::whole(block.shape), dtype::int16, Tile::whole(reinterpret_cast<std::byte*>(values.data()), block.shape));
  return values;
}

void write_values(Disk& disk, const StoredBlock& block, const Box& part, std::vector<std::int16_t> values) {
  write_now(disk, block, part, dtype::int16, ConstTile::whole(reinterpret_cast<const std::byte*>(values.data()), part.extents()));
}

TEST(DiskFill, PartOfAMissingFileIsWritten) {
  Scratch scratch;
  Disk disk;
  auto block = shorts(scratch / "c/0", {2, 3}, 7);
  write_values(disk, block, {{0, 1}, {1, 3}}, {100, 101});
  EXPECT_EQ(all_of(block), (std::vector<std::int16_t>{7, 100, 101, 7, 7, 7}));
  write_values(disk, block, {{1, 0}, {2, 1}}, {200});  // the file is there: its other elements stay
  EXPECT_EQ(all_of(block), (std::vector<std::int16_t>{7, 100, 101, 200, 7, 7}));
  auto zeros = shorts(scratch / "c/1", {4}, 0);
  write_values(disk, zeros, {{2}, {3}}, {5});
  EXPECT_EQ(all_of(zeros), (std::vector<std::int16_t>{0, 0, 5, 0}));
  std::size_t files = 0;
  for (const auto& each : std::filesystem::directory_iterator(scratch / "c")) files += each.is_regular_file();
  EXPECT_EQ(files, 2u) << "something was left beside the chunks";
}

TEST(DiskFill, FileOfManyBlocksIsFilledToItsEnd) {
  Scratch scratch;
  Disk disk;
  auto block = shorts(scratch / "big", {777, 211}, -3);
  write_values(disk, block, {{500, 100}, {501, 101}}, {9});
  std::vector<std::int16_t> expected(777 * 211, -3);
  expected[500 * 211 + 100] = 9;
  EXPECT_EQ(all_of(block), expected);
  EXPECT_EQ(std::filesystem::file_size(block.file), 777u * 211 * 2);
}

// Each makes the file if it comes first, and must not fill what the other has written.
TEST(DiskFill, TwoWritersOfOneMissingFile) {
  kit::Watchdog watchdog(60);
  Scratch scratch;
  constexpr std::int64_t count = 40000;
  std::vector<std::int16_t> ones(count / 2, 1), twos(count / 2, 2), expected = ones;
  expected.insert(expected.end(), twos.begin(), twos.end());
  Disk first, second;
  for (int round = 0; round < 200; ++round) {
    auto block = shorts(scratch / ("c/" + std::to_string(round)), {count}, 7);
    std::thread other([&] { write_values(second, block, {{count / 2}, {count}}, twos); });
    write_values(first, block, {{0}, {count / 2}}, ones);
    other.join();
    ASSERT_EQ(all_of(block), expected) << "round " << round;
  }
}

// As zarr-python has it: a later resize shows the fill value.
TEST(DiskFill, EdgeOfAZarrChunkBeyondTheArray) {
  Scratch scratch;
  CreateOptions options;
  options.fill = element(2.5f);
  auto storage = create_storage(storage_format::zarr, scratch / "a.zarr", {6}, {4}, dtype::float32, options);
  Disk disk;
  std::vector<float> values{1, 2}, back(4);
  auto block = block_of(storage, {1});
  write_now(disk, block, {{0}, {2}}, dtype::float32, ConstTile::whole(reinterpret_cast<const std::byte*>(values.data()), {2}));
  read_now(disk, block, {{0}, {4}}, dtype::float32, Tile::whole(reinterpret_cast<std::byte*>(back.data()), {4}));
  EXPECT_EQ(back, (std::vector<float>{1, 2, 2.5f, 2.5f}));
}

TEST(DiskFill, LongerFileThanItsChunkIsDamaged) {
  Scratch scratch;
  Disk disk;
  auto block = shorts(scratch / "long", {4}, 0);
  test::put_file(block.file, std::string(9, 'x'));
  auto text = text_of<io_error>([&] { all_of(block); });
  EXPECT_TEXT(text, block.file);
  EXPECT_TEXT(text, "has 8 bytes, the file 9");
  EXPECT_TEXT(text_of<io_error>([&] { write_values(disk, block, {{0}, {1}}, {1}); }), "has 8 bytes, the file 9");
  block.is_file = false;  // of a raw file more may follow
  EXPECT_EQ(all_of(block), (std::vector<std::int16_t>(4, 0x7878)));
}

TEST(DiskFill, PipeInPlaceOfAFile) {
  kit::Watchdog watchdog(20);
  Scratch scratch;
  auto block = shorts(scratch / "pipe", {4}, 0);
  ASSERT_EQ(::mkfifo(block.file.c_str(), 0600), 0);
  for (bool direct : {true, false}) {
    Disk disk({.direct = direct});
    std::vector<std::int16_t> values(4);
    auto text = text_of<io_error>([&] { read_now(disk, block, {{0}, {4}}, dtype::int16, Tile::whole(reinterpret_cast<std::byte*>(values.data()), {4})); });
    EXPECT_TEXT(text, "'" + block.file + "' is not a regular file");
    EXPECT_TEXT(text_of<io_error>([&] { write_values(disk, block, {{0}, {1}}, {1}); }), "is not a regular file");
  }
}

}  // namespace
}  // namespace octavo
