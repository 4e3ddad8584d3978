// SPDX-License-Identifier: Apache-2.0
// What may be replaced.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "octavo/data/new_target.hpp"
#include "octavo/data/storage.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using test::put_file;
using test::Scratch;
using test::text_of;

TEST(CheckTarget, FilesBesideAnArrayKeepItFromBeingReplaced) {
  Scratch scratch;
  for (auto [name, format] : {std::pair("a.zarr", storage_format::zarr), std::pair("a.octavo", storage_format::pages)}) {
    std::string path = scratch / name;
    create_storage(format, path, {8}, {4}, dtype::int8);
    put_file(path + "/notes.txt", "mine");
    EXPECT_TEXT(text_of<usage_error>([&, of = format] { check_target(path, of, true); }), "holds 'notes.txt', which is no part of an array");
    fs::remove(path + "/notes.txt");
    check_target(path, format, true);
  }
}

// Each way in which Zarr names chunks.
TEST(CheckTarget, ChunksAreNotBesideTheArray) {
  for (const char* chunk : {"c/0/1", "c.0.1", "0.1", "0/1", "7"}) {
    Scratch scratch;
    std::string path = scratch / "a.zarr";
    create_storage(storage_format::zarr, path, {8}, {4}, dtype::int8);
    put_file(path + "/" + chunk, "1234");
    check_target(path, storage_format::zarr, true);
  }
  for (const char* other : {"c.", "c.x", "cc", ".0", "1.x"}) {
    Scratch scratch;
    std::string path = scratch / "a.zarr";
    create_storage(storage_format::zarr, path, {8}, {4}, dtype::int8);
    put_file(path + "/" + other, "1234");
    EXPECT_THROW(check_target(path, storage_format::zarr, true), usage_error) << other;
  }
}

TEST(CheckTarget, AnAttributeThatIsNotANumberDoesNotMakeItLessOfAnArray) {
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  create_storage(storage_format::zarr, path, {8}, {4}, dtype::int8);
  fs::remove(path + "/zarr.json");
  put_file(path + "/zarr.json", R"({"node_type": "array", "attributes": {"a": NaN}})");
  check_target(path, storage_format::zarr, true);
}

}  // namespace
}  // namespace octavo
