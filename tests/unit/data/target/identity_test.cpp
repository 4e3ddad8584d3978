// SPDX-License-Identifier: Apache-2.0
// An array that was opened is still that array, or its use is an error.
#include "data/target/identity.hpp"

#include <gtest/gtest.h>

#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using test::get_file;
using test::put_file;
using test::Scratch;
using test::text_of;

void replace_in(const std::string& file, const std::string& from, const std::string& to) {
  std::string text = get_file(file);
  auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << text;
  put_file(file + ".new", text.replace(at, from.size(), to));
  fs::rename(file + ".new", file);
}

TEST(Identity, OfAZarrArray) {
  for (int version : {2, 3}) {
    Scratch scratch;
    std::string path = scratch / "a.zarr", meta = path + (version == 3 ? "/zarr.json" : "/.zarray");
    auto made = create_storage(storage_format::zarr, path, {40}, {4}, dtype::int16, {.attributes_json = R"({"a": 1})", .zarr_version = version});
    Identity identity(made);
    identity.check();
    if (version == 3) replace_in(meta, "\"a\": 1", "\"a\": 2, \"b\": [3]");
    identity.check();  // attributes are not what decides values
    const std::string fill = version == 3 ? "\"fill_value\": 0" : "\"fill_value\": null";
    replace_in(meta, fill, "\"fill_value\": 7");
    EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "'" + meta + "' describes another array");
    replace_in(meta, "\"fill_value\": 7", fill);
    identity.check();
    fs::rename(path, scratch / "away");
    EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "'" + path + "' was removed while it was in use");
    fs::copy(scratch / "away", path, fs::copy_options::recursive);
    EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "'" + path + "' was replaced by another one");
  }
}

// The inode of what was removed is often given to what is made next.
// Single chunks come and go; where all of them go at once somebody removed them.
TEST(Identity, OfTheDirectoryOfItsChunks) {
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  auto made = create_storage(storage_format::zarr, path, {40}, {4}, dtype::int16);
  Identity identity(made);
  put_file(path + "/c/1", "12345678");
  fs::remove(path + "/c/1");
  identity.check();
  fs::remove_all(path + "/c");
  EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "'" + path + "/c' was removed while it was in use");
}

TEST(Identity, OfADirectoryMadeAnew) {
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  auto made = create_storage(storage_format::zarr, path, {40}, {4}, dtype::int16);
  for (int i = 0; i < 20; ++i) {
    Identity identity(made);
    fs::remove_all(path);
    made = create_storage(storage_format::zarr, path, {40}, {4}, dtype::int16);
    EXPECT_THROW(identity.check(), io_error);
  }
}

TEST(Identity, OfFilesAndPages) {
  Scratch scratch;
  auto npy = create_storage(storage_format::npy, scratch / "a.npy", {40}, {}, dtype::int16);
  auto raw = create_storage(storage_format::raw, scratch / "a.raw", {40}, {}, dtype::int16);
  auto pages = create_storage(storage_format::pages, scratch / "a.octavo", {40}, {4}, dtype::int16);
  for (const auto& storage : {npy, raw, pages}) {
    Identity identity(storage);
    identity.check();
    std::string file = storage.files.empty() ? storage.path : storage.files[0];
    std::string text = get_file(file);
    put_file(file + ".new", text);
    fs::rename(file + ".new", file);
    EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "'" + file + "' was replaced");
  }
  Identity identity(npy);
  std::fstream(npy.path, std::ios::in | std::ios::out | std::ios::binary).seekp(60) << "9";  // within its header
  EXPECT_TEXT(text_of<io_error>([&] { identity.check(); }), "describes another array");
}

// J-2 below the job: reading what was removed gave zeros, writing made the directory anew.
TEST(Identity, AnArrayThatWasRemovedIsNotMadeAnew) {
  Scratch scratch;
  std::vector<std::byte> memory(8);
  for (auto format : {storage_format::zarr, storage_format::raw, storage_format::npy}) {
    auto made = create_storage(format, scratch / "a", {4}, {4}, dtype::int16);
    Disk disk;
    fs::remove_all(scratch / "a");
    auto write = [&] { test::write_now(disk, block_of(made, {0}), Box::whole({4}), dtype::int16, {memory.data(), {4}, {0}}); };
    EXPECT_TEXT(text_of<io_error>(write), "was removed while it was in use");
    EXPECT_FALSE(fs::exists(scratch / "a"));
  }
}

}  // namespace
}  // namespace octavo
