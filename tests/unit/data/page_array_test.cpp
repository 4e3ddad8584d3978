// SPDX-License-Identifier: Apache-2.0
#include "data/format/pages/page_array.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "kit/watchdog.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using test::get_file;
using test::put_file;
using test::Scratch;
using test::text_of;

// Directories that stand for disks, and an array over them.
struct Disks {
  Scratch scratch;
  std::vector<std::string> directories;
  std::string path = scratch / "density.octavo";
  explicit Disks(int count) {
    for (int i = 0; i < count; ++i) fs::create_directories(directories.emplace_back(scratch / ("d" + std::to_string(i))));
  }
  [[nodiscard]] CreateOptions options() const {
    CreateOptions result;
    result.devices = directories;
    return result;
  }
  Storage make(const CreateOptions& how) { return create_storage(storage_format::pages, path, {20, 33, 17}, {8, 10, 6}, dtype::float32, how); }
  Storage make() { return make(options()); }
  [[nodiscard]] int files_on_disks() const {
    int found = 0;
    for (const auto& each : directories) found += static_cast<int>(std::distance(fs::directory_iterator(each), fs::directory_iterator{}));
    return found;
  }
};

void expect_same(const Storage& a, const Storage& b) {
  EXPECT_EQ(a.format, b.format);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.chunk, b.chunk);
  EXPECT_EQ(a.type, b.type);
  EXPECT_EQ(a.order, b.order);
  EXPECT_EQ(a.offset, b.offset);
  EXPECT_EQ(a.files, b.files);
  EXPECT_EQ(a.map, b.map);
  EXPECT_EQ(a.map_block, b.map_block);
  EXPECT_EQ(a.attributes_json, b.attributes_json);
  EXPECT_EQ(a.dimension_names_json, b.dimension_names_json);
}

TEST(PageArray, OnOneDiskAndOnMany) {
  for (int count : {0, 1, 2, 5, 24})
    for (map_kind map : {map_kind::circulant, map_kind::block_cyclic}) {
      Disks disks(count);
      CreateOptions options = disks.options();
      options.map = map;
      options.map_block = map == map_kind::circulant ? 1 : 4;
      options.order = byte_order::big;
      options.attributes_json = R"({"unit":"K","a":[1,{"b":null}]})";
      options.dimension_names_json = R"(["z",null,"x"])";
      auto made = disks.make(options);
      int devices = std::max(1, count);
      ASSERT_EQ(static_cast<int>(made.files.size()), devices);
      expect_same(open_storage(disks.path + "/"), made);
      EXPECT_EQ(made.attributes_json, options.attributes_json);
      EXPECT_EQ(made.dimension_names_json, options.dimension_names_json);
      PageMap where(map, made.grid(), devices, made.map_block);
      std::int64_t all = 0;
      for (int i = 0; i < devices; ++i) {
        auto id = read_page_array(disks.path, array_json).id;
        const auto& file = made.files[static_cast<std::size_t>(i)];
        auto place = count == 0 ? disks.path : fs::canonical(disks.directories[static_cast<std::size_t>(i)]).string();
        EXPECT_EQ(file, place + "/density-" + id.substr(0, 8) + "-" + std::to_string(i) + ".pages");
        all += static_cast<std::int64_t>(fs::file_size(file));
        auto device = device_storage(made, i);
        EXPECT_EQ(device.path, file);
        EXPECT_EQ(device.shape, (Shape{where.pages_per_device() * 8, 10, 6}));
        expect_same(open_storage(file), device);
      }
      EXPECT_EQ(bytes_needed(made), all);
      EXPECT_FALSE(fs::exists(disks.path + making_json));
    }
}

TEST(PageArray, EveryPageHasAPlaceOfItsOwnThatItsDeviceKnows) {
  Disks disks(5);
  auto made = disks.make();
  PageMap map(made.map, made.grid(), 5, made.map_block);
  std::set<std::pair<std::string, std::int64_t>> places;
  for_each_index(made.grid(), [&](const Shape& page) {
    auto block = block_of(made, page);
    auto place = map.place_of(page);
    auto device = device_storage(made, static_cast<int>(place.device));
    auto same = block_of(device, unflatten(place.index, device.grid()));
    EXPECT_EQ(block.file, same.file);
    EXPECT_EQ(block.offset, same.offset);
    EXPECT_EQ(block.file_bytes, same.file_bytes);
    EXPECT_LE(block.offset + block.bytes(), static_cast<std::int64_t>(fs::file_size(block.file)));
    EXPECT_TRUE(places.emplace(block.file, block.offset).second);
  });
  EXPECT_EQ(places.size(), 3u * 4 * 3);
  EXPECT_TEXT(text_of<usage_error>([&] { device_storage(made, 5); }), "device 5 of '" + disks.path + "', which has 5 page files");
  EXPECT_THROW(device_storage(made, -1), usage_error);
  EXPECT_THROW(device_storage(device_storage(made, 0), 0), usage_error);
}

TEST(PageArray, IsReadAfterItsDirectoryWasRenamed) {
  for (int count : {0, 2}) {
    Disks disks(count);
    disks.path += ".unfinished";
    auto made = disks.make();
    EXPECT_TRUE(fs::path(made.files[0]).filename().string().starts_with("density-")) << made.files[0];
    std::vector<float> page(480), back(480);
    std::iota(page.begin(), page.end(), 1.0F);
    Disk disk;
    Box whole = Box::whole(made.chunk);
    test::write_now(disk, block_of(made, {1, 2, 1}), whole, dtype::float32, {reinterpret_cast<std::byte*>(page.data()), made.chunk, {0, 0, 0}});
    std::string renamed = disks.scratch / "density.octavo";
    fs::rename(disks.path, renamed);
    auto opened = open_storage(renamed);
    test::read_now(disk, block_of(opened, {1, 2, 1}), whole, dtype::float32, Tile::whole(reinterpret_cast<std::byte*>(back.data()), made.chunk));
    EXPECT_EQ(back, page);
    remove_storage(renamed);
    EXPECT_EQ(disks.files_on_disks(), 0);
  }
}

TEST(PageArray, InADirectoryThatIsThereAndEmpty) {
  Disks disks(0);
  fs::create_directories(disks.path);
  CreateOptions options;
  options.devices = {disks.path};
  disks.make(options);
  EXPECT_EQ(read_page_array(disks.path, array_json).files[0].find('/'), std::string::npos) << "it moves with its directory";
}

TEST(PageArray, WhatCannotBeMade) {
  Disks disks(2);
  auto why = [&](auto change) {
    CreateOptions options = disks.options();
    change(options);
    std::string text;
    try {
      disks.make(options);
      ADD_FAILURE() << "it was made";
    } catch (const error& e) {
      text = e.what();
    }
    EXPECT_FALSE(fs::exists(disks.path));
    return text;
  };
  put_file(disks.scratch / "file", "x");
  fs::create_symlink(disks.directories[0], disks.scratch / "link");
  EXPECT_TEXT(why([&](auto& o) { o.devices.push_back(disks.scratch / "missing"); }), "missing' of '" + disks.path + "': No such file");
  EXPECT_TEXT(why([&](auto& o) { o.devices.push_back(disks.scratch / "file"); }), "file' of '" + disks.path + "' is no directory");
  EXPECT_TEXT(why([&](auto& o) { o.devices.push_back(disks.directories[0] + "/../d0"); }), "was given twice");
  EXPECT_TEXT(why([&](auto& o) { o.devices.push_back(disks.scratch / "link"); }), "was given twice");
  EXPECT_TEXT(why([&](auto& o) { o.devices.resize(1025, disks.directories[0]); }), "1025 devices. Give at most 1024");
  EXPECT_TEXT(why([&](auto& o) { o.fill = std::vector<std::byte>(4, std::byte{1}); }), "fill value other than 0");
  EXPECT_TEXT(why([&](auto& o) { o.map_block = 2; }), "a circulant one has none");
  EXPECT_TEXT(why([&](auto& o) { (o.map = map_kind::block_cyclic, o.map_block = 37); }), "blocks of 37 pages; the array has 36");
  EXPECT_TEXT(why([&](auto& o) { o.attributes_json = "{"; }), "attributes");
  EXPECT_TEXT(why([&](auto& o) { o.attributes_json = "[1]"; }), "'attributes' is not an object");
  EXPECT_TEXT(why([&](auto& o) { o.dimension_names_json = R"(["x"])"; }), "not a list of 3 names");
  auto make = [&](const Shape& shape, const Shape& page) { create_storage(storage_format::pages, disks.path, shape, page, dtype::int8, disks.options()); };
  EXPECT_TEXT(text_of<not_supported>([&] { make({}, {}); }), "without a dimension");
  EXPECT_TEXT(text_of<usage_error>([&] { make({1LL << 62}, {1}); }), "on 2 devices. Check the shape");
  EXPECT_TEXT(text_of<usage_error>([&] { create_storage(storage_format::zarr, disks.path, {4}, {4}, dtype::int8, disks.options()); }), "Octavo arrays");
  EXPECT_EQ(disks.files_on_disks(), 0);
  disks.make();
  EXPECT_TEXT(text_of<usage_error>([&] { disks.make(); }), "exists already");
}

TEST(PageArray, AFullDiskIsToldByNameAndNothingStays) {
  test::Mounted small("tmpfs", "size=1m");
  if (!small.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << small.why();
  Disks disks(2);
  fs::create_directories(small / "d");
  disks.directories.push_back(fs::canonical(small / "d"));
  auto make = [&] { create_storage(storage_format::pages, disks.path, {1 << 20}, {1 << 10}, dtype::float32, disks.options()); };
  auto text = text_of<io_error>(make);
  EXPECT_TEXT(text, disks.directories[2]);
  EXPECT_TEXT(text, "ENOSPC");
  EXPECT_FALSE(fs::exists(disks.path));
  EXPECT_EQ(disks.files_on_disks(), 0);
  fs::create_directories(disks.path);
  EXPECT_TEXT(text_of<io_error>(make), "ENOSPC");
  EXPECT_TRUE(fs::is_empty(disks.path)) << "as it was";
}

TEST(PageArray, BytesByPlaceCountsDisksNotDirectories) {
  Disks disks(3);
  auto places = [&](const CreateOptions& options) {
    return bytes_by_place(storage_format::pages, disks.path, {20, 33, 17}, {8, 10, 6}, dtype::float32, options);
  };
  auto one_disk = places(disks.options());
  ASSERT_EQ(one_disk.size(), 1u);
  EXPECT_EQ(one_disk[0].first, fs::canonical(disks.directories[0]));
  EXPECT_EQ(one_disk[0].second, bytes_needed(disks.make()));
  EXPECT_EQ(places({}), (std::vector<std::pair<std::string, std::int64_t>>{{disks.path, 4096 + 36 * 480 * 4}}));
  auto npy = bytes_by_place(storage_format::npy, "x.npy", {5, 7}, {}, dtype::float32);
  EXPECT_EQ(npy, (std::vector<std::pair<std::string, std::int64_t>>{{"x.npy", 4096 + 140}})) << "with its header";
  test::Mounted other("tmpfs", "size=1m");
  if (!other.mounted()) GTEST_SKIP() << "a tmpfs cannot be mounted here: " << other.why();
  fs::create_directories(other / "d");
  CreateOptions options = disks.options();
  options.devices.insert(options.devices.begin() + 1, other / "d");
  auto two = places(options);
  ASSERT_EQ(two.size(), 2u);
  EXPECT_EQ(two[0].second, 3 * two[1].second);
  EXPECT_EQ(two[1].first, fs::canonical(other / "d"));
}

// The parser looks through all fields of an object for each: 20 s of these.
TEST(PageArray, TooManyAttributesAreRefusedAtOnce) {
  Disks disks(1);
  auto made = disks.make();
  Json json = Json::parse(get_file(disks.path + "/array.json"));
  std::string attributes = "{";
  for (int i = 0; i < 200000; ++i) attributes += (i ? ",\"a" : "\"a") + std::to_string(i) + "\":0";
  json["attributes"] = "HERE";
  std::string text = json.dump();
  text.replace(text.find("\"HERE\""), 6, attributes + "}");
  kit::Watchdog watchdog{60};  // minutes, where the work grows with the square of their number
  EXPECT_TEXT(text_of<not_supported>([&] { parse_page_array(text, "array.json"); }), "has an object of more than");
}

// As Python writes them, and as a Zarr array keeps them.
TEST(PageArray, AttributesThatAreNoNumbers) {
  Disks disks(1);
  auto options = disks.options();
  options.attributes_json = R"({"missing":NaN,"most":[-Infinity,Infinity]})";
  disks.make(options);
  EXPECT_EQ(open_storage(disks.path).attributes_json, options.attributes_json);
}

}  // namespace
}  // namespace octavo
