// SPDX-License-Identifier: Apache-2.0
// Encoded Zarr arrays through an EncodedDisk: any box, written and read, against an array in memory; damaged files; shards.
#include "data/encoded/encoded_disk.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>
#include <random>

#include "kit/watchdog.hpp"
#include "octavo/data/storage.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

using test::Scratch;
using Values = std::vector<float>;

const Shape shape{37, 50, 23}, chunk{16, 8, 10}, shard{32, 16, 20};

struct Form {
  const char* name;
  const char* compressor;
  bool sharded;
  int version;
  byte_order order;
};

void PrintTo(const Form& of, std::ostream* out) { *out << of.name; }

bool has(const std::string& compressor) {
  const auto names = native_codecs();
  return compressor == "none" || std::ranges::find(names, compressor) != names.end();
}

std::vector<std::byte> fill_of(float value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

Storage make(const std::string& path, const Form& form) {
  CreateOptions options{.order = form.order, .fill = fill_of(1.5F), .zarr_version = form.version, .compressor = form.compressor};
  if (form.sharded) options.shard = shard;
  create_storage(storage_format::zarr, path, shape, chunk, dtype::float32, options);
  return open_storage(path);
}

// Over all blocks of the storage that a box meets, as devices do.
void move(BlockDisk& disk, const Storage& storage, const Box& box, float* values, bool writing) {
  kit::Watchdog watchdog;
  std::vector<std::future<void>> ends;
  for_each_tile(box, storage.block(), [&](const Shape& index, const Box& meet) {
    Shape corner = index;
    for (int i = 0; i < index.size(); ++i) corner[i] *= storage.block()[i];
    auto end = std::make_shared<std::promise<void>>();
    ends.push_back(end->get_future());
    const Done done = [end](const std::exception_ptr& error) { error ? end->set_exception(error) : end->set_value(); };
    const Tile tile{reinterpret_cast<std::byte*>(values), box.extents(), meet.shifted(box.lo, -1).lo};
    const auto block = block_of(storage, index);
    if (writing) disk.write(block, meet.shifted(corner, -1), dtype::float32, tile, done);
    else disk.read(block, meet.shifted(corner, -1), dtype::float32, tile, fill_as(storage, dtype::float32), done);
  });
  for (auto& each : ends) each.wait();
  for (auto& each : ends) each.get();
}

Values read(BlockDisk& disk, const Storage& storage, const Box& box) {
  Values values(static_cast<std::size_t>(box.count()), -7);
  move(disk, storage, box, values.data(), false);
  return values;
}

Box random_box(std::mt19937& random) {
  Box box{shape, shape};
  for (int axis = 0; axis < shape.size(); ++axis) {
    box.lo[axis] = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape[axis]));
    box.hi[axis] = box.lo[axis] + 1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(shape[axis] - box.lo[axis]));
  }
  return box;
}

// The array in memory that all is compared with.
struct Model {
  Values values = Values(static_cast<std::size_t>(shape.count()), 1.5F);

  template <class Visit>
  void each(const Box& box, Visit&& visit) {
    std::size_t at = 0;
    for_each_index(box.extents(), [&](const Shape& index) {
      Shape place = index;
      for (int axis = 0; axis < place.size(); ++axis) place[axis] += box.lo[axis];
      visit(values[static_cast<std::size_t>(flatten(place, shape))], at++);
    });
  }
};

EncodedDiskOptions few_threads(const Storage& storage) { return {.memory = encoding_memory(storage, true, 3, 64 * MiB), .threads = 3}; }

class EachForm : public testing::TestWithParam<Form> {
 protected:
  void SetUp() override {
    if (!has(GetParam().compressor)) GTEST_SKIP() << "this build has no " << GetParam().compressor;
  }
  Scratch scratch;
};

TEST_P(EachForm, AnyBoxIsWrittenAndReadAsInMemory) {
  const Storage storage = make(scratch / "a.zarr", GetParam());
  EXPECT_TRUE(storage.is_encoded());
  EncodedDisk disk(storage, few_threads(storage));
  Model model;
  std::mt19937 random(7);
  EXPECT_EQ(read(disk, storage, Box::whole(shape)), model.values) << "nothing was written: the fill value";
  for (int round = 0; round < 30; ++round) {
    const Box box = round == 10 ? Box::whole(shape) : random_box(random);
    Values values(static_cast<std::size_t>(box.count()));
    for (auto& each : values) each = static_cast<float>(random() % 100);
    move(disk, storage, box, values.data(), true);
    model.each(box, [&](float& of, std::size_t at) { of = values[at]; });
    const Box seen = random_box(random);
    Values wanted;
    model.each(seen, [&](float of, std::size_t) { wanted.push_back(of); });
    EXPECT_EQ(read(disk, storage, seen), wanted) << seen.text();
  }
  disk.sync();
  EncodedDisk other(storage, few_threads(storage));
  EXPECT_EQ(read(other, storage, Box::whole(shape)), model.values);
  EXPECT_GT(other.counters().bytes_read, 0);
  for (const auto& each : std::filesystem::recursive_directory_iterator(scratch / "a.zarr")) EXPECT_EQ(each.path().string().find(".new."), std::string::npos);
}

TEST_P(EachForm, PartsOfOneChunkWrittenAtOnceAreAllThere) {
  const Storage storage = make(scratch / "a.zarr", GetParam());
  EncodedDisk disk(storage, few_threads(storage));
  kit::Watchdog watchdog;
  Values values(16);
  std::iota(values.begin(), values.end(), 0.0F);
  std::vector<std::future<void>> ends;
  for (std::int64_t row = 0; row < 16; ++row) {
    auto end = std::make_shared<std::promise<void>>();
    ends.push_back(end->get_future());
    disk.write(block_of(storage, {0, 0, 0}), {{row, 0, 0}, {row + 1, 1, 1}}, dtype::float32,
               ConstTile{reinterpret_cast<const std::byte*>(values.data()), {16, 1, 1}, {row, 0, 0}},
               [end](const std::exception_ptr& error) { error ? end->set_exception(error) : end->set_value(); });
  }
  for (auto& each : ends) each.get();
  EXPECT_EQ(read(disk, storage, {{0, 0, 0}, {16, 1, 1}}), values);
}

TEST_P(EachForm, ManyPartsOfABlockAreOneWriteOfItsFile) {
  const Storage storage = make(scratch / "a.zarr", GetParam());
  EncodedDisk disk(storage, few_threads(storage));
  kit::Watchdog watchdog;
  Values wanted(static_cast<std::size_t>(shape.count()));
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<float>(i % 97);
  move(disk, storage, Box::whole(shape), wanted.data(), true);
  Shape last = grid_of(shape, storage.block());  // cut by the array's edge
  for (int axis = 0; axis < last.size(); ++axis) --last[axis];
  for (const Shape& index : {Shape{0, 0, 0}, last}) {
    const StoredBlock block = block_of(storage, index);
    std::vector<Box> parts;  // of every other column
    for (std::int64_t row = 0; row < block.used[0]; ++row)
      for (std::int64_t column = 1; column < block.used[1]; column += 2) parts.push_back({{row, column, 1}, {row + 1, column + 1, block.used[2]}});
    Values values(static_cast<std::size_t>(block.used.count()));
    std::iota(values.begin(), values.end(), 1000.0F);
    const std::int64_t written = disk.counters().bytes_written;
    std::promise<void> end;
    disk.write_parts(block, parts, dtype::float32, ConstTile{reinterpret_cast<const std::byte*>(values.data()), block.used, {0, 1, 1}},
                     [&](const std::exception_ptr& error) { error ? end.set_exception(error) : end.set_value(); });
    end.get_future().get();
    EXPECT_EQ(disk.counters().bytes_written - written, static_cast<std::int64_t>(std::filesystem::file_size(block.file)));
    for_each_index(block.used, [&](const Shape& at) {
      Shape place = at;
      for (int axis = 0; axis < place.size(); ++axis) place[axis] += index[axis] * storage.block()[axis];
      if (at[1] % 2 == 1 && at[2] >= 1) wanted[static_cast<std::size_t>(flatten(place, shape))] = values[static_cast<std::size_t>(flatten(at, block.used))];
    });
  }
  EXPECT_EQ(read(disk, storage, Box::whole(shape)), wanted);
}

TEST_P(EachForm, ADamagedChunkIsNamedAndNothingOfItIsRead) {
  const Storage storage = make(scratch / "a.zarr", GetParam());
  EncodedDisk disk(storage, few_threads(storage));
  Values values(static_cast<std::size_t>(shape.count()), 3);
  move(disk, storage, Box::whole(shape), values.data(), true);
  const std::string file = block_of(storage, {0, 0, 0}).file;
  const auto bytes = std::filesystem::file_size(file);
  for (const auto length : {bytes / 2, bytes - 1, std::uintmax_t{3}}) {
    std::filesystem::resize_file(file, length);
    try {
      read(disk, storage, {{0, 0, 0}, {1, 1, 1}});
      FAIL() << length << " of " << bytes << " bytes";
    } catch (const io_error& e) {
      EXPECT_NE(std::string(e.what()).find(file), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("is damaged: its chunk"), std::string::npos) << e.what();
    }
  }
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);  // bounds before memory
  EXPECT_THROW(read(disk, storage, {{0, 0, 0}, {1, 1, 1}}), io_error);
  EXPECT_THROW(move(disk, storage, {{0, 0, 0}, {1, 1, 1}}, values.data(), true), io_error) << "a part of what cannot be read is not written";
  move(disk, storage, Box::whole(shape), values.data(), true);  // whole, it is mended
  EXPECT_EQ(read(disk, storage, Box::whole(shape)), values);
}

INSTANTIATE_TEST_SUITE_P(Forms, EachForm,
                         testing::Values(Form{"zstd", "zstd", false, 3, byte_order::little}, Form{"gzip", "gzip", false, 3, byte_order::big},
                                         Form{"blosc", "blosc", false, 3, byte_order::little}, Form{"zstd_v2", "zstd", false, 2, byte_order::big},
                                         Form{"gzip_v2", "gzip", false, 2, byte_order::little}, Form{"blosc_v2", "blosc", false, 2, byte_order::little},
                                         Form{"zstd_shards", "zstd", true, 3, byte_order::little}, Form{"blosc_shards", "blosc", true, 3, byte_order::big},
                                         Form{"plain_shards", "none", true, 3, byte_order::little}),
                         [](const auto& of) { return std::string(of.param.name); });

TEST(EncodedDisk, WithoutAFillValueAMissingChunkIsAnError) {
  if (!has("zstd")) GTEST_SKIP();
  Scratch scratch;
  Storage storage = make(scratch / "a.zarr", {"zstd", "zstd", false, 3, byte_order::little});
  storage.fill.clear();
  EncodedDisk disk(storage, few_threads(storage));
  EXPECT_THROW(read(disk, storage, {{0, 0, 0}, {1, 1, 1}}), io_error);
}

TEST(EncodedDisk, AnArrayThatWasRemovedIsNotReadAsItsFillValue) {
  if (!has("zstd")) GTEST_SKIP();
  Scratch scratch;
  const Storage storage = make(scratch / "a.zarr", {"zstd", "zstd", false, 3, byte_order::little});
  std::atomic<int> asked = 0;  // by several threads
  EncodedDisk disk(storage, {.memory = 1 * MiB, .threads = 2, .missing = [&] {
                               ++asked;
                               throw io_error("it was removed", "Make it again");
                             }});
  EXPECT_THROW(read(disk, storage, Box::whole(shape)), io_error);
  EXPECT_GT(asked, 0);
  std::filesystem::remove_all(scratch / "a.zarr");
  Values values(static_cast<std::size_t>(shape.count()));
  EXPECT_THROW(move(disk, storage, Box::whole(shape), values.data(), true), io_error);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a.zarr"));
}

TEST(EncodedDisk, TheMetadataSayTheSameAgain) {
  if (!has("blosc")) GTEST_SKIP();
  Scratch scratch;
  const Storage made = make(scratch / "a.zarr", {"blosc", "blosc", true, 3, byte_order::big}), again = open_storage(scratch / "a.zarr");
  EXPECT_EQ(made.spec, again.spec);
  EXPECT_EQ(again.chunk, chunk);
  EXPECT_EQ(again.write_chunk, shard);
  EXPECT_GT(again.unit_bytes, chunk.count() * 4);
}

TEST(ShardIndex, WhatLiesOutsideTheFileIsDamaged) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(ShardIndex::bytes_of(2, true)));
  ShardIndex index(2);
  index.put(1, {10, 20});
  index.write_to(bytes.data(), true);
  const ShardIndex same(bytes, 2, true, 30);
  EXPECT_FALSE(same.place(0));
  EXPECT_EQ(same.place(1)->offset, 10);
  EXPECT_EQ(same.place(1)->bytes, 20);
  EXPECT_THROW(ShardIndex(bytes, 2, true, 29), Damaged);
  EXPECT_THROW(ShardIndex(bytes, 3, true, 100), Damaged);
  bytes[0] ^= std::byte{1};
  EXPECT_THROW(ShardIndex(bytes, 2, true, 30), Damaged);
}

}  // namespace
}  // namespace octavo
