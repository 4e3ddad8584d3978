// SPDX-License-Identifier: Apache-2.0
// What a directory is taken for.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "data/format/zarr/meta.hpp"
#include "kit/watchdog.hpp"
#include "octavo/data/storage.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using test::Scratch;
using test::text_of;

const Storage meta{.shape = {4}, .chunk = {2}, .type = dtype::float32, .fill = std::vector<std::byte>(4)};
constexpr const char* group3 = R"({"zarr_format": 3, "node_type": "group", "attributes": {}})";

void put_v3(const std::string& path) { test::put_file(path + "/zarr.json", zarr_meta_text(meta)); }
void put_v2(const std::string& path) { test::put_file(path + "/.zarray", zarr2_meta_text(meta)); }

TEST(ZarrFind, Nothing) {
  Scratch scratch;
  EXPECT_TEXT(text_of<usage_error>([&] { read_zarr_meta(scratch.path()); }), "has no zarr.json and no .zarray");
  std::filesystem::create_directories(scratch / "a/zarr.json");
  EXPECT_TEXT(text_of<io_error>([&] { read_zarr_meta(scratch / "a"); }), "is not a regular file");
  test::put_file(scratch / "file", "");
  EXPECT_THROW(read_zarr_meta(scratch / "file"), error);
}

// Opening a FIFO waits for its other end.
TEST(ZarrFind, PipeInPlaceOfMetadata) {
  kit::Watchdog watchdog(20);
  Scratch scratch;
  std::filesystem::create_directories(scratch / "a");
  for (const char* name : {"/.zarray", "/zarr.json"}) {
    std::string pipe = scratch / ("a" + std::string(name));
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_TEXT(text_of<io_error>([&] { read_zarr_meta(scratch / "a"); }), "'" + pipe + "' is not a regular file");
  }
  ASSERT_EQ(::mkfifo((scratch / "a.npy").c_str(), 0600), 0);
  EXPECT_THROW(open_storage(scratch / "a.npy"), usage_error);
}

TEST(ZarrFind, Version3Wins) {
  Scratch scratch;
  put_v2(scratch / "a");
  EXPECT_EQ(read_zarr_meta(scratch / "a").zarr_version, 2);
  test::put_file(scratch / "a/.zattrs", R"({"b":1})");
  EXPECT_EQ(read_zarr_meta(scratch / "a").attributes_json, R"({"b":1})");
  put_v3(scratch / "a");
  EXPECT_EQ(read_zarr_meta(scratch / "a").zarr_version, 3);
}

TEST(ZarrFind, GroupsNameTheirArrays) {
  Scratch scratch;
  test::put_file(scratch / "g/zarr.json", group3);
  EXPECT_TEXT(text_of<usage_error>([&] { read_zarr_meta(scratch / "g"); }), "is a Zarr v3 group, not an array; arrays in it: none that was found. Name one of");
  put_v3(scratch / "g/b");
  put_v3(scratch / "g/b/c");  // within an array: not looked at
  put_v3(scratch / "g/no group/a");
  put_v2(scratch / "g/a");
  test::put_file(scratch / "g/bad/zarr.json", "{");
  test::put_file(scratch / "g/inner/zarr.json", group3);
  put_v3(scratch / "g/inner/d");
  std::string text = text_of<usage_error>([&] { read_zarr_meta(scratch / "g"); });
  EXPECT_TEXT(text, "arrays in it: 'a', 'b', 'inner/d'. Name one of the arrays within it, such as '" + (scratch / "g/a") + "'");
}

TEST(ZarrFind, GroupsOfVersion2) {
  Scratch scratch;
  test::put_file(scratch / "g/.zgroup", R"({"zarr_format": 2})");
  test::put_file(scratch / "g/inner/.zgroup", R"({"zarr_format": 2})");
  for (char name = 'a'; name < 'a' + 12; ++name) put_v2(scratch / (std::string("g/inner/") + name));
  std::string text = text_of<usage_error>([&] { read_zarr_meta(scratch / "g"); });
  EXPECT_TEXT(text, "is a Zarr v2 group, not an array; arrays in it: 'inner/a', 'inner/b', ");
  EXPECT_TEXT(text, "'inner/j' and more. Name one of");
  EXPECT_EQ(read_zarr_meta(scratch / "g/inner/c").zarr_version, 2);
}

TEST(ZarrFind, GroupsWithinThemselves) {
  Scratch scratch;
  test::put_file(scratch / "g/zarr.json", group3);
  std::filesystem::create_directory_symlink(scratch / "g", scratch / "g/again");
  std::filesystem::create_directory_symlink(scratch / "g", scratch / "g/and again");
  put_v3(scratch / "g/z\xff");
  EXPECT_TEXT(text_of<usage_error>([&] { read_zarr_meta(scratch / "g"); }), R"(arrays in it: 'z\xff', 'again/z\xff')");
}

}  // namespace
}  // namespace octavo
