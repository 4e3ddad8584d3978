// SPDX-License-Identifier: Apache-2.0
// Every device against the contract of octavo/data/page_device.hpp; each test cites its clause. A new device adds one Maker.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>

#include "kit/disk_store.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A device over an array of `shape` with pages of `page`.
using Maker = remote_ptr<PageDevice> (*)(const Machine&, const fs::path&, const Shape& shape, const Shape& page, dtype, DeviceOptions);

remote_ptr<PageDevice> zarr(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  return machine.make<ZarrDevice>(create_storage(storage_format::zarr, at / "a.zarr", shape, page, type), page, options);
}
remote_ptr<PageDevice> zarr_of_groups(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  Shape chunk = page;
  for (int i = 0; i < chunk.size(); ++i) chunk[i] = (chunk[i] + 1) / 2;
  Shape group = chunk;
  for (int i = 0; i < group.size(); ++i) group[i] = page[i] == 1 ? 1 : 2 * chunk[i];
  if (!(group == page)) return zarr(machine, at, shape, page, type, options);
  return machine.make<ZarrDevice>(create_storage(storage_format::zarr, at / "g.zarr", shape, chunk, type), page, options);
}
// By what this build has: shards need no codec.
std::string some_compressor() {
  for (const auto& each : native_codecs())
    if (each == "zstd" || each == "gzip" || each == "blosc") return each;
  return "none";
}
remote_ptr<PageDevice> encoded(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  return machine.make<ZarrDevice>(create_storage(storage_format::zarr, at / "e.zarr", shape, page, type, {.compressor = some_compressor()}), page, options);
}
remote_ptr<PageDevice> in_shards(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  Shape shard = page;
  for (int i = 0; i < shard.size(); ++i) shard[i] *= 2;
  const CreateOptions as{.compressor = some_compressor(), .shard = shard};
  return machine.make<ZarrDevice>(create_storage(storage_format::zarr, at / "s.zarr", shape, page, type, as), page, options);
}
remote_ptr<PageDevice> npy(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  return machine.make<FlatFile>(create_storage(storage_format::npy, at / "a.npy", shape, shape, type), page, options);
}
remote_ptr<PageDevice> page_file(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  return machine.make<PageFile>(create_storage(storage_format::page_file, at / "pages", shape, page, type), page, options);
}
remote_ptr<PageDevice> store(const Machine& machine, const fs::path& at, const Shape& shape, const Shape& page, dtype type, DeviceOptions options) {
  return kit::make_store_device(machine, kit::make_disk_store(at / "a.npy.stored", shape, page, type), page, options);
}

class Device : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  kit::Watchdog watchdog{60};
  Runtime runtime{RuntimeOptions{.memory = 16 * MiB}};
  Machine here = runtime.machine();
  fs::path folder = fs::temp_directory_path() / ("octavo-device-" + std::to_string(::getpid()));
  Shape shape{20, 33, 17}, page{8, 10, 6};
  int made = 0;
  Device() {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~Device() override { fs::remove_all(folder); }
  remote_ptr<PageDevice> make(dtype type, DeviceOptions options = {.staging_bytes = MiB}) {
    auto at = folder / std::to_string(made++);
    fs::create_directories(at);
    return GetParam().second(here, at, shape, page, type, options);
  }
  Array array(dtype type, DeviceOptions options = {.staging_bytes = MiB}) { return Array(shape, page, type, {make(type, options)}); }

  static ArrayPage filled(const Shape& extents, double from) {
    ArrayPage block(dtype::float64, extents);
    auto values = block.values<double>();
    std::iota(values.begin(), values.end(), from);
    return block;
  }
  template <class T>
  static std::vector<T> list(const ArrayPage& block) {
    auto values = block.values<T>();
    return {values.begin(), values.end()};
  }
};

TEST_P(Device, D1_GivesWhatWasWrittenAndTheFillValueElsewhere) {
  auto device = make(dtype::float64);
  Box part{{1, 2, 3}, {5, 9, 6}};
  device->write(filled(part.extents(), 1), 7, part);
  EXPECT_EQ(list<double>(device->read(7, part, dtype::float64)), list<double>(filled(part.extents(), 1)));
  EXPECT_EQ(list<double>(device->read(3, Box{{0, 0, 0}, {2, 2, 2}}, dtype::float64)), std::vector<double>(8, 0.0));
}

TEST_P(Device, D2_ConvertsOnTheWay) {
  auto device = make(dtype::float32);
  Box part{{0, 0, 0}, {2, 2, 2}};
  ArrayPage block(dtype::float32, part.extents());
  for (auto values = block.values<float>(); auto& x : values) x = 2.5F;
  device->write(block, 0, part);
  EXPECT_EQ(list<std::complex<double>>(device->read(0, part, dtype::complex128)), std::vector<std::complex<double>>(8, 2.5));
  EXPECT_THROW(make(dtype::complex64)->read(0, part, dtype::float32), not_supported);
}

TEST_P(Device, D3_NothingOutsideThePartChanges) {
  auto a = array(dtype::float64);
  a.write(Box::whole(shape), filled(shape, 0));
  Box box{{3, 5, 1}, {17, 31, 16}};
  a.write(box, filled(box.extents(), 1e6));
  auto now = list<double>(a.read(Box::whole(shape)));
  std::size_t i = 0;
  double inside = 1e6;
  for_each_index(shape, [&](const Shape& at) {
    bool in = box.contains(Box{at, at});
    for (int k = 0; k < 3; ++k) in = in && at[k] < box.hi[k];
    ASSERT_EQ(now[i], in ? inside : static_cast<double>(i)) << at.text();
    inside += in;
    ++i;
  });
}

TEST_P(Device, D4_ManyInFlightAtOnce) {
  auto a = array(dtype::float64);
  a.write(Box::whole(shape), filled(shape, 0));
  std::mt19937 random(1);
  std::vector<std::pair<Box, std::vector<TileFuture>>> open;
  for (int i = 0; i < 100; ++i) {
    Box box;
    for (int k = 0; k < 3; ++k) {
      std::int64_t low = static_cast<std::int64_t>(random()) % shape[k];
      box.lo.push_back(low);
      box.hi.push_back(low + 1 + static_cast<std::int64_t>(random()) % (shape[k] - low));
    }
    open.emplace_back(box, a.start_read(box, dtype::float64));
  }
  for (auto& [box, tiles] : open)
    for (auto& tile : tiles) {
      auto block = tile.block.get();
      ASSERT_EQ(std::as_const(block).values<double>()[0], static_cast<double>(flatten(tile.box.lo, shape)));
    }
}

TEST_P(Device, D5_FlushThenAnotherProcessReads) {
  auto a = array(dtype::float64);
  a.write(Box::whole(shape), filled(shape, 5));
  a.flush();
  auto path = a.devices()[0]->facts().path;
  destroy(a.devices()[0]);
  EXPECT_TRUE(fs::exists(path));
  remote_ptr<PageDevice> again;
  if (std::string(GetParam().first) == "PageFile")
    again = here.make<PageFile>(path, grid_of(shape, page).count(), page, dtype::float64, DeviceOptions{.staging_bytes = MiB});
  else if (std::string(GetParam().first) == "StoreDevice")
    again = here.make<FlatFile>(open_storage(path, RawLayout{shape, dtype::float64}), page, DeviceOptions{.staging_bytes = MiB});
  else again = here.make<FlatFile>(open_storage(path), page, DeviceOptions{.staging_bytes = MiB});
  EXPECT_EQ(list<double>(Array(shape, page, dtype::float64, {again}).read(Box::whole(shape))), list<double>(filled(shape, 5)));
}

TEST_P(Device, D6_ReadsAheadAndWritesBehind) {
  auto device = make(dtype::float64, {.staging_bytes = MiB, .cache_bytes = MiB});
  Box part{{0, 0, 0}, {4, 4, 4}};
  device->write(filled(part.extents(), 1), 0, part);
  device->prefetch(0, part, dtype::float64);
  device->write_behind(filled(part.extents(), 9), 0, part);
  EXPECT_EQ(list<double>(device->read(0, part, dtype::float64)).size(), 64u);
  device->flush();
  EXPECT_EQ(list<double>(device->read(0, part, dtype::float64))[0], 9.0) << "a write makes what was read ahead wrong";
  auto before = device->counters().requests;
  device->prefetch(0, part, dtype::float64);
  auto between = device->counters().requests;
  device->read(0, part, dtype::float64);
  EXPECT_GT(between, before);
  EXPECT_EQ(device->counters().requests, between) << "the read was served from the cache";
}

TEST_P(Device, D7_ErrorsNameThingsAndTheDeviceLivesOn) {
  auto device = make(dtype::float64);
  try {
    device->read(99, Box{{0, 0, 0}, {1, 1, 1}}, dtype::float64);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("page 99"));
    EXPECT_THAT(e.what(), HasSubstr(folder.string()));
  }
  EXPECT_THROW(device->read(0, Box{{0, 0, 0}, {9, 1, 1}}, dtype::float64), usage_error);
  EXPECT_THROW(device->read(0, Box{{0, 0, 0}, {0, 1, 1}}, dtype::float64), usage_error);
  EXPECT_THROW(device->write(filled({2, 2, 2}, 0), 0, Box{{0, 0, 0}, {2, 2, 1}}), usage_error);
  EXPECT_EQ(device->facts().pages, grid_of(shape, page).count());
}

TEST_P(Device, D8_PartsInAnyOrderOfAxes) {
  auto device = make(dtype::float64);
  Box part{{1, 2, 3}, {5, 9, 6}};
  auto block = filled(part.extents(), 1);
  Shape order{0, 1, 2};
  do {
    device->write(filled(part.extents(), 0), 7, part);
    device->write_permuted(block.permuted(order), 7, part, order);
    EXPECT_EQ(list<double>(device->read(7, part, dtype::float64)), list<double>(block)) << order.text();
    const ArrayPage read = device->read_permuted(7, part, dtype::complex128, order);
    EXPECT_EQ(read.shape(), block.permuted(order).shape());
    auto turned = list<double>(block.permuted(order));
    EXPECT_TRUE(std::equal(turned.begin(), turned.end(), read.values<std::complex<double>>().begin(), read.values<std::complex<double>>().end()));
  } while (std::next_permutation(&order[0], &order[0] + 3));
  EXPECT_EQ(list<double>(device->read_permuted(7, part, dtype::float64, Shape())), list<double>(block)) << "no order: as stored";
  auto kept = block.permuted({2, 1, 0});
  device->write_permuted(kept, 7, part, Shape{2, 1, 0});
  EXPECT_EQ(list<double>(kept), list<double>(block.permuted({2, 1, 0}))) << "a page that is shared is not changed";
  EXPECT_THROW(device->read_permuted(7, part, dtype::float64, Shape{0, 1}), usage_error);
  EXPECT_THROW(device->read_permuted(7, part, dtype::float64, Shape{0, 1, 1}), usage_error);
  EXPECT_THROW(device->write_permuted(filled(part.extents(), 0), 7, part, Shape{2, 1, 0}), usage_error) << "the data has the permuted shape";
}

TEST_P(Device, D8_AFullPoolStopsItNoMoreThanReadAndWrite) {
  auto device = make(dtype::float64);
  Box part{{0, 0, 0}, {4, 10, 6}};
  auto block = filled(part.extents(), 1);
  auto turned = block.permuted({2, 1, 0});
  // What is left is room for two parts: 8 that are read at once take turns, and each is turned without another page.
  ArrayPage rest(dtype::uint8, {job_pool().free_bytes() - 2 * 4096});
  device->write_permuted(turned, 3, part, Shape{2, 1, 0});
  std::vector<future<ArrayPage>> reading;
  for (int i = 0; i < 8; ++i) reading.push_back(start(device)->read_permuted(3, part, dtype::float64, Shape{2, 1, 0}));
  for (auto& each : reading) EXPECT_EQ(list<double>(each.get()), list<double>(turned));
  // Nothing is left: a page that its owner keeps is written all the same, and one that is given away.
  ArrayPage last(dtype::uint8, {job_pool().free_bytes()});
  std::vector<future<void>> writing;
  for (std::int64_t i : {0, 1, 3}) writing.push_back(start(device)->write_permuted(turned, i, part, Shape{2, 1, 0}));
  for (auto& each : writing) each.get();
  device->write_permuted(std::move(turned), 4, part, Shape{2, 1, 0});
  for (std::int64_t i : {0, 1, 3, 4}) EXPECT_EQ(list<double>(device->read(i, part, dtype::float64)), list<double>(block));
}

TEST_P(Device, D11_PH1_TellsWhereItsTimeWent) {
  auto device = make(dtype::float32);
  Box part{{0, 0, 0}, {8, 10, 6}};
  device->write(filled(part.extents(), 1), 3, part);  // float64, which it converts
  device->read(3, part, dtype::float32);
  device->flush();
  const DeviceCounters told = device->counters();
  const Phases& phases = told.phases;
  double together = phases.idle;
  for (const Phase* each : phases.all()) {
    EXPECT_GE(each->seconds, 0);
    EXPECT_GE(each->under_way + 1e-9, each->seconds);
    EXPECT_LE(each->under_way, phases.wall + 1e-9);
    together += each->seconds;
  }
  EXPECT_NEAR(together, phases.wall, 1e-6);
  EXPECT_EQ(phases.reading.bytes, told.bytes_read);
  EXPECT_EQ(phases.writing.bytes, told.bytes_written);
  EXPECT_GT(phases.reading.seconds, 0);
  EXPECT_GT(phases.writing.seconds, 0);
  EXPECT_EQ(phases.network.seconds, 0);
  if (std::string(GetParam().first) != "StoreDevice") {  // which has another library do that
    EXPECT_EQ(phases.computing.bytes, 480 * 8) << "what was converted, in memory";
    EXPECT_EQ(phases.caching.bytes, 480 * 4) << "what was copied as it is";
  }
  EXPECT_TRUE(device->timeline().spans.empty()) << "nobody asked for one";
}

TEST_P(Device, D11_TellsWhatItWaitsFor) {
  auto device = make(dtype::float64);
  Box part{{0, 0, 0}, {8, 10, 6}};
  EXPECT_EQ(device->counters().phases.waiting.seconds, 0);
  ArrayPage all(dtype::uint8, {job_pool().free_bytes()});
  auto reading = start(device)->read(3, part, dtype::float64);
  const bool answers = std::string(GetParam().first) != "StoreDevice";  // which answers nothing until it has its page
  while (answers && device->counters().phases.waiting.seconds == 0) std::this_thread::yield();
  all = ArrayPage();
  reading.wait();
  const Phases phases = device->counters().phases;
  EXPECT_TRUE(!answers || phases.waiting.seconds > 0);
  EXPECT_EQ(phases.waiting.under_way, device->counters().phases.waiting.under_way) << "it is over";
}

TEST_P(Device, D11_PH2_HasATimelineIfAskedTo) {
  auto device = make(dtype::float64, {.staging_bytes = MiB, .timeline = true});
  Box part{{0, 0, 0}, {8, 10, 6}};
  for (int i = 0; i < 20; ++i) {
    device->write(filled(part.extents(), 1), 3, part);
    device->read(3, part, dtype::float64);
  }
  const Timeline told = timeline_of(device);
  ASSERT_FALSE(told.spans.empty());
  EXPECT_LE(told.spans.size(), static_cast<std::size_t>(most_spans));
  std::set<phase> seen;
  for (std::size_t i = 0; i < told.spans.size(); ++i) {
    EXPECT_LT(told.spans[i].begin, told.spans[i].end);
    if (i > 0) {
      EXPECT_EQ(told.spans[i].begin, told.spans[i - 1].end) << "a process is always in some phase";
    }
    seen.insert(told.spans[i].what);
  }
  EXPECT_EQ(told.spans.back().end, told.now);
  EXPECT_TRUE(seen.contains(phase::reading) && seen.contains(phase::writing));
}

TEST_P(Device, C4_PagesDoNotPassThroughTheSerializer) {
  auto device = make(dtype::float64);
  Box part{{0, 0, 0}, {8, 10, 6}};
  auto before = road_bytes_sent() + device->counters().road_bytes;
  for (int i = 0; i < 50; ++i) {
    device->write(filled(part.extents(), 1), 0, part);
    device->read(0, part, dtype::float64);
  }
  auto moved = road_bytes_sent() + device->counters().road_bytes - before;
  EXPECT_LT(moved, 100 * 480 * 8 / 5u) << "frames only";
}

INSTANTIATE_TEST_SUITE_P(Devices, Device,
                         testing::Values(std::pair{"ZarrDevice", Maker{zarr}}, std::pair{"ZarrDeviceOfGroups", Maker{zarr_of_groups}},
                                         std::pair{"ZarrDeviceEncoded", Maker{encoded}}, std::pair{"ZarrDeviceInShards", Maker{in_shards}},
                                         std::pair{"FlatFile", Maker{npy}}, std::pair{"PageFile", Maker{page_file}}, std::pair{"StoreDevice", Maker{store}}),
                         [](const auto& which) { return which.param.first; });

// "How it is made": calling a program of another build (here octavo-server) reaches macro-registered methods only.
TEST(OtherBuild, AMethodThatOnlyThisProgramNamesIsRefusedWithBothBuilds) {
  kit::Watchdog watchdog(60);
  Runtime runtime(RuntimeOptions{.memory = MiB});
  auto folder = fs::temp_directory_path() / ("octavo-build-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  auto device =
      runtime.machine().make<PageFile>(create_storage(storage_format::page_file, (folder / "p").string(), {8}, {8}, dtype::uint8), Shape{8}, DeviceOptions{});
  EXPECT_EQ(call<&PageDevice::facts>(device).pages, 1) << "named in OCTAVO_REMOTE";
  try {
    call<&StoredDevice::counters>(device);
    FAIL();
  } catch (const usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("octavo-server' (build "));
    EXPECT_THAT(e.what(), HasSubstr("a program of build " + std::to_string(detail::build_id())));
  }
  fs::remove_all(folder);
}

TEST(PageMap, CirculantGivesEachPageAPlaceOfItsOwn) {
  for (std::int64_t devices : {1, 2, 3, 5, 24}) {
    Shape grid{5, 4, 7};
    auto map = PageMap::circulant(grid, devices);
    std::set<std::pair<std::int64_t, std::int64_t>> taken;
    for_each_index(grid, [&](const Shape& page) {
      auto place = map.place_of(page);
      EXPECT_EQ(place.device, (page[0] + page[1] + page[2]) % devices);
      EXPECT_LT(place.index, map.pages_per_device());
      EXPECT_TRUE(taken.emplace(place.device, place.index).second);
    });
  }
  EXPECT_THROW(PageMap::circulant({2}, 0), usage_error);
}

TEST(ArrayOverDevices, SeveralPageFilesMakeOneArray) {
  kit::Watchdog watchdog(60);
  Runtime runtime(RuntimeOptions{.memory = 16 * MiB});
  auto folder = fs::temp_directory_path() / ("octavo-array-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  Shape shape{13, 14, 15}, page{4, 5, 6};
  auto map = PageMap::circulant(grid_of(shape, page), 3);
  std::vector<remote_ptr<PageDevice>> devices;
  for (int i = 0; i < 3; ++i)
    devices.emplace_back(runtime.machine().make<PageFile>((folder / std::to_string(i)).string(), map.pages_per_device(), page, dtype::int32,
                                                          DeviceOptions{.staging_bytes = MiB}));
  Array a(shape, page, dtype::int32, devices);
  ArrayPage block(dtype::int32, shape);
  auto values = block.values<std::int32_t>();
  std::iota(values.begin(), values.end(), 0);
  a.write(Box::whole(shape), block);
  a.flush();
  auto back = a.read(Box{{1, 2, 3}, {12, 13, 14}});
  EXPECT_EQ(std::as_const(back).values<std::int32_t>()[0], 1 * 14 * 15 + 2 * 15 + 3);
  auto whole = a.read(Box::whole(shape));
  EXPECT_TRUE(std::ranges::equal(std::as_const(whole).values<std::int32_t>(), std::as_const(block).values<std::int32_t>()));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace octavo
