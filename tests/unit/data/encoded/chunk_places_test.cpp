// SPDX-License-Identifier: Apache-2.0
// Chunks that lie among other things in one file, at places that somebody found (HDF5), through an EncodedDisk.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <future>

#include "data/encoded/encoded_disk.hpp"
#include "kit/watchdog.hpp"
#include "octavo/data/storage.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

using test::Scratch;
using Four = std::array<std::int32_t, 4>;

// Four elements in chunks of two. The first chunk lies behind eight other bytes; the second was never written, and is 9.
class ChunkPlaces : public testing::Test {
 protected:
  void SetUp() override {
    const std::array<std::int32_t, 4> content{-1, -1, 5, 6};
    std::ofstream(scratch / "a.h5", std::ios::binary).write(reinterpret_cast<const char*>(content.data()), sizeof content);
    storage.format = storage_format::hdf5;
    storage.path = scratch / "a.h5";
    storage.shape = {4}, storage.chunk = {2}, storage.type = dtype::int32;
    storage.fill = fill_of_text("9", dtype::int32);
    storage.spec = R"({"codecs": []})";
    storage.places = {8, 8, 0, 0};
  }

  Four read() {
    kit::Watchdog watchdog;
    EncodedDisk disk(storage, {.memory = MiB, .threads = 1});
    Four values{};
    for (const std::int64_t chunk : {0, 1}) {
      std::promise<void> end;
      const Tile tile{reinterpret_cast<std::byte*>(values.data()), {4}, {2 * chunk}};
      disk.read(block_of(storage, {chunk}), Box{{0}, {2}}, dtype::int32, tile, storage.fill,
                [&](const std::exception_ptr& error) { error ? end.set_exception(error) : end.set_value(); });
      end.get_future().get();
    }
    return values;
  }

  Scratch scratch;
  Storage storage;
};

TEST_F(ChunkPlaces, AreReadFromThemAndWhatHasNoneIsTheFillValue) { EXPECT_EQ(read(), (Four{5, 6, 9, 9})); }

TEST_F(ChunkPlaces, BehindTheEndOfTheFileIsDamaged) {
  for (const std::int64_t offset : {std::int64_t{9}, std::int64_t{1} << 62}) {
    storage.places[0] = offset;
    try {
      read();
      FAIL() << offset;
    } catch (const io_error& e) {
      EXPECT_NE(std::string(e.what()).find("a.h5' is damaged: its chunk at byte " + std::to_string(offset)), std::string::npos) << e.what();
    }
  }
}

TEST_F(ChunkPlaces, InAnotherFileThanTheyWereFoundInAreNotRead) {
  struct stat status {};
  ASSERT_EQ(::stat(storage.path.c_str(), &status), 0);
  storage.spec = R"({"codecs": [], "inode": )" + std::to_string(status.st_ino) + "}";
  EXPECT_EQ(read()[0], 5);
  storage.spec = R"({"codecs": [], "inode": )" + std::to_string(status.st_ino + 1) + "}";
  EXPECT_THROW(read(), io_error);
}

TEST_F(ChunkPlaces, AreNotWritten) {
  EncodedDisk disk(storage, {.memory = MiB, .threads = 1});
  const Four values{};
  EXPECT_THROW(disk.write(block_of(storage, {0}), Box{{0}, {2}}, dtype::int32, ConstTile::whole(reinterpret_cast<const std::byte*>(values.data()), {2}), {}),
               not_supported);
}

TEST_F(ChunkPlaces, OneForEachChunk) {
  storage.places.pop_back();
  EXPECT_THROW(block_of(storage, {1}), usage_error);
}

}  // namespace
}  // namespace octavo
