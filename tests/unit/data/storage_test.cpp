// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/storage.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "scratch.hpp"

namespace octavo {
namespace {

using test::Scratch;
using test::text_of;

bool same(const Storage& a, const Storage& b) {
  return a.format == b.format && a.path == b.path && a.shape == b.shape && a.chunk == b.chunk && a.type == b.type && a.order == b.order &&
         a.offset == b.offset && a.fill == b.fill && a.v2_keys == b.v2_keys && a.separator == b.separator && a.attributes_json == b.attributes_json &&
         a.dimension_names_json == b.dimension_names_json && a.zarr_version == b.zarr_version && a.fill_is_missing == b.fill_is_missing;
}

// Writes 0, 1, 2, ... chunk by chunk and reads it back the same way.
void fill_and_check(const Storage& storage) {
  Disk disk;
  std::vector<float> whole(static_cast<std::size_t>(storage.shape.count())), back(whole.size());
  std::iota(whole.begin(), whole.end(), 0.0f);
  Box array = Box::whole(storage.shape);
  for (bool writing : {true, false})
    for_each_index(storage.grid(), [&](const Shape& index) {
      Shape lo = index;
      for (int axis = 0; axis < lo.size(); ++axis) lo[axis] *= storage.chunk[axis];
      Box part = Box::whole(storage.chunk).shifted(lo).intersect(array);
      Box within = part.shifted(lo, -1);
      auto block = block_of(storage, index);
      if (writing) test::write_now(disk, block, within, dtype::float32, {reinterpret_cast<std::byte*>(whole.data()), storage.shape, part.lo});
      else test::read_now(disk, block, within, dtype::float32, {reinterpret_cast<std::byte*>(back.data()), storage.shape, part.lo});
    });
  EXPECT_EQ(back, whole);
}

TEST(Storage, ZarrIsMadeAndOpened) {
  Scratch scratch;
  CreateOptions options{
      .order = byte_order::big, .fill = {}, .separator = '.', .attributes_json = R"({"unit":"K"})", .dimension_names_json = R"(["z","y","x"])"};
  auto made = create_storage(storage_format::zarr, scratch / "new/a.zarr/", {5, 7, 11}, {2, 4, 11}, dtype::float32, options);
  EXPECT_EQ(made.grid(), (Shape{3, 2, 1}));
  EXPECT_TRUE(same(open_storage(scratch / "new/a.zarr"), made));
  EXPECT_TRUE(same(open_storage(scratch / "new/a.zarr/"), made));
  auto block = block_of(made, {2, 1, 0});
  EXPECT_EQ(block.file, scratch / "new/a.zarr/c.2.1.0");
  EXPECT_EQ(block.shape, (Shape{2, 4, 11}));
  EXPECT_EQ(block.file_bytes, 2 * 4 * 11 * 4);
  EXPECT_EQ(bytes_needed(made), 6 * 2 * 4 * 11 * 4);
  fill_and_check(made);
  EXPECT_EQ(std::filesystem::file_size(block.file), 352u);
}

TEST(Storage, Zarr2IsMadeAndOpened) {
  Scratch scratch;
  for (auto order : {byte_order::little, byte_order::big})
    for (char separator : {'.', '/'}) {
      std::string path = scratch / (std::string("a") + (separator == '.' ? "." : "s") + (order == byte_order::big ? "b" : "l"));
      CreateOptions options{.order = order,
                            .fill = {},
                            .separator = separator,
                            .attributes_json = R"({"unit":"K"})",
                            .dimension_names_json = R"(["z","y","x"])",
                            .zarr_version = 2};
      auto made = create_storage(storage_format::zarr, path, {5, 7, 11}, {2, 4, 11}, dtype::float32, options);
      EXPECT_TRUE(same(open_storage(path), made));
      EXPECT_EQ(block_of(made, {2, 1, 0}).file, path + (separator == '.' ? "/2.1.0" : "/2/1/0"));
      EXPECT_FALSE(std::filesystem::exists(path + "/zarr.json"));
      fill_and_check(made);
    }
  create_storage(storage_format::zarr, scratch / "bare", {4}, {4}, dtype::int8, {.zarr_version = 2});
  EXPECT_FALSE(std::filesystem::exists(scratch / "bare/.zattrs"));
  EXPECT_EQ(open_storage(scratch / "bare").attributes_json, "");
}

TEST(Storage, NpyIsMadeAndOpened) {
  Scratch scratch;
  auto made = create_storage(storage_format::npy, scratch / "a.npy", {5, 7}, {}, dtype::float32);
  EXPECT_EQ(made.grid(), (Shape{1, 1}));
  EXPECT_TRUE(same(open_storage(scratch / "a.npy"), made));
  fill_and_check(made);
  std::string bytes = test::get_file(scratch / "a.npy");
  ASSERT_EQ(bytes.size(), 4096u + 5 * 7 * 4);
  float last = 0;
  std::memcpy(&last, bytes.data() + bytes.size() - 4, 4);
  EXPECT_EQ(last, 34.0f);
}

TEST(Storage, RawIsMadeAndOpened) {
  Scratch scratch;
  auto made = create_storage(storage_format::raw, scratch / "a.bin", {5, 7}, {}, dtype::float32, {.order = byte_order::big});
  EXPECT_EQ(std::filesystem::file_size(scratch / "a.bin"), 140u);
  fill_and_check(made);
  EXPECT_TRUE(same(open_storage(scratch / "a.bin", RawLayout{{5, 7}, dtype::float32, byte_order::big}), made));
  auto text = text_of<usage_error>([&] { open_storage(scratch / "a.bin", RawLayout{{5, 7}, dtype::float64}); });
  EXPECT_TEXT(text, "has 140 bytes; an array of 5 x 7 float64 has 280");
  EXPECT_EQ(open_storage(scratch / "a.bin", RawLayout{{5, 6}, dtype::float32, byte_order::little, 20}).offset, 20);
  for (std::int64_t offset : {std::int64_t{141}, std::numeric_limits<std::int64_t>::max()}) {
    text = text_of<usage_error>([&] { open_storage(scratch / "a.bin", RawLayout{{5, 6}, dtype::float32, byte_order::little, offset}); });
    EXPECT_TEXT(text, "has 140 bytes: an offset of " + std::to_string(offset) + " lies behind its end");
  }
}

TEST(Storage, PageFile) {
  Scratch scratch;
  auto made = create_storage(storage_format::page_file, scratch / "pages", {5, 7}, {2, 4}, dtype::float32);
  EXPECT_EQ(bytes_needed(made), 6 * 32);
  EXPECT_EQ(std::filesystem::file_size(scratch / "pages"), 4096u + 192);
  EXPECT_EQ(block_of(made, {2, 1}).offset, 4096 + 5 * 32);
  EXPECT_EQ(block_of(made, {2, 1}).file_bytes, 4096 + 192);
  fill_and_check(made);
  EXPECT_THROW(block_of(made, {3, 0}), usage_error);
  EXPECT_THROW(block_of(made, {0}), usage_error);
}

TEST(Storage, NoDimensions) {
  Scratch scratch;
  auto made = create_storage(storage_format::zarr, scratch / "a", {}, {}, dtype::float32);
  EXPECT_EQ(block_of(made, {}).file, scratch / "a/c");
  fill_and_check(made);
}

TEST(Storage, FillIsConverted) {
  Scratch scratch;
  std::vector<std::byte> fill(2);
  std::int16_t value = -5;
  std::memcpy(fill.data(), &value, 2);
  create_storage(storage_format::zarr, scratch / "a", {4}, {4}, dtype::int16, {.fill = fill});
  auto opened = open_storage(scratch / "a");
  std::vector<std::complex<float>> tile(4);
  Disk disk;
  test::read_now(disk, block_of(opened, {0}), {{0}, {4}}, dtype::complex64, Tile::whole(reinterpret_cast<std::byte*>(tile.data()), {4}),
                 fill_as(opened, dtype::complex64));
  EXPECT_EQ(tile, std::vector<std::complex<float>>(4, {-5, 0}));
  EXPECT_TRUE(fill_as(Storage{}, dtype::float32).empty());
}

TEST(Storage, SourcesThatAreNone) {
  Scratch scratch;
  EXPECT_TEXT(text_of<io_error>([&] { open_storage(scratch / "missing.npy"); }),
              "there is no such source: '" + (scratch / "missing.npy") + "'. Check the path");
  test::put_file(scratch / "a.dat", "xx");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "a.dat"); }),
              "Known are Zarr and .octavo directories, .npy files, in Python HDF5, and raw files");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage("/dev/null"); }), "neither a directory nor a regular file");
  test::put_file(scratch / "z/zarr.json", "{}");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "z/zarr.json"); }), "Name its directory");
  test::put_file(scratch / "z2/.zarray", "{}");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "z2/.zarray"); }), "Name its directory");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "z2"); }), "z2/.zarray': the field 'zarr_format' is missing");
  EXPECT_TEXT(text_of<usage_error>([&] { open_storage(scratch / "z"); }), "'zarr_format' is missing");
}

TEST(Storage, WhatCannotBeMade) {
  Scratch scratch;
  auto make = [&](storage_format format, const Shape& shape, const Shape& chunk, const CreateOptions& options = {}) {
    return create_storage(format, scratch / "x", shape, chunk, dtype::float64, options);
  };
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4, 4}, {2}); }), "extent for each dimension");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4, 4}, {2, 0}); }), "the chunk");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::raw, {1LL << 40, 1LL << 40}, {}); }), "2^62");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.attributes_json = "{"}); }), "attributes");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.attributes_json = "[1]"}); }), "are not a JSON object: [1]");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.attributes_json = "{", .zarr_version = 2}); }), "attributes");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.dimension_names_json = R"(["a","b"])"}); }), "each of its 1 dimensions");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.zarr_version = 4}); }), "Zarr version 4. Choose 2 or 3");
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::zarr, {4}, {4}, {.fill = std::vector<std::byte>(3)}); }), "a fill element of 3 bytes");
  EXPECT_TEXT(text_of<not_supported>([&] { make(storage_format::npy, {4}, {4}, {.order = byte_order::big}); }), "big-endian");
  EXPECT_FALSE(std::filesystem::exists(scratch / "x"));
  make(storage_format::raw, {4}, {});
  EXPECT_TEXT(text_of<usage_error>([&] { make(storage_format::npy, {4}, {}); }), "exists already");
}

TEST(Storage, NoElements) {
  Scratch scratch;
  for (auto format : {storage_format::zarr, storage_format::npy, storage_format::raw}) {
    auto made = create_storage(format, scratch / (std::to_string(static_cast<int>(format)) + ".npy"), {4, 0}, {2, 2}, dtype::float64);
    EXPECT_EQ(made.grid().count(), 0);
    EXPECT_EQ(bytes_needed(made), 0);
    auto opened = open_storage(made.path, format == storage_format::raw ? std::optional(RawLayout{{4, 0}}) : std::nullopt);
    EXPECT_EQ(opened.shape, made.shape);
    EXPECT_EQ(opened.chunk, made.chunk);
  }
  EXPECT_TEXT(text_of<usage_error>([&] { create_storage(storage_format::pages, scratch / "a.octavo", {4, 0}, {2, 2}, dtype::float64); }), "has no elements");
  EXPECT_TEXT(text_of<usage_error>([&] { create_storage(storage_format::page_file, scratch / "p", {4, 0}, {2, 2}, dtype::float64); }), "has no elements");
}

TEST(Storage, FullDiskLeavesNothingBehind) {
  test::Mounted small("tmpfs", "size=1m");
  if (!small.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << small.why();
  auto text = text_of<io_error>([&] { create_storage(storage_format::npy, small / "a.npy", {1 << 20}, {}, dtype::float64); });
  EXPECT_TEXT(text, "ENOSPC");
  EXPECT_FALSE(std::filesystem::exists(small / "a.npy"));
  EXPECT_EQ(bytes_free(small / "not/yet/there"), MiB);
}

TEST(Storage, BytesFreeOfRelativePaths) { EXPECT_GT(bytes_free("not/there/yet"), 0); }

struct Collecting {
  int fields = 0;
  template <class... Fields>
  void operator()(Fields&...) {
    fields += static_cast<int>(sizeof...(Fields));
  }
};

TEST(Storage, SerializesEveryField) {
  Collecting archive;
  Storage storage;
  storage.serialize(archive);
  EXPECT_EQ(archive.fields, 22);
}

}  // namespace
}  // namespace octavo
