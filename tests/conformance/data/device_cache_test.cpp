// SPDX-License-Identifier: Apache-2.0
// The caches of devices: what is written behind is seen at once (D-6), and two devices of one file see each other's pages or are refused (D-9).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"
#include "octavo/data/open_array.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class DeviceCaches : public testing::TestWithParam<storage_format> {
 protected:
  DeviceCaches() {
    fs::remove_all(folder);
    fs::create_directories(folder);
    storage = create_storage(GetParam(), (folder / "array").string(), {16, 64}, {4, 64}, dtype::int32);
  }
  ~DeviceCaches() override { fs::remove_all(folder); }
  remote_ptr<PageDevice> make(std::int64_t cache) {
    const DeviceOptions options{.staging_bytes = MiB, .cache_bytes = cache};
    if (GetParam() == storage_format::zarr) return process.make<ZarrDevice>(storage, page, options);
    if (GetParam() == storage_format::npy) return process.make<FlatFile>(storage, page, options);
    return process.make<PageFile>(storage, page, options);
  }
  ArrayPage filled(std::int32_t with) const {
    ArrayPage block(dtype::int32, page);
    for (auto& each : block.values<std::int32_t>()) each = with;
    return block;
  }
  // Its elements are 1, 2, ...
  static ArrayPage counted(const Shape& shape) {
    ArrayPage block(dtype::int32, shape);
    std::int32_t n = 0;
    for (auto& each : block.values<std::int32_t>()) each = ++n;
    return block;
  }
  static std::int32_t first(const ArrayPage& block) { return block.values<std::int32_t>()[0]; }

  kit::Watchdog watchdog{60};
  Runtime runtime{RuntimeOptions{.memory = 8 * MiB}};
  fs::path folder = fs::temp_directory_path() / ("octavo-device-caches-" + std::to_string(::getpid()));
  Shape page{4, 64};
  Box whole = Box::whole(page);
  Storage storage;
};

TEST_P(DeviceCaches, D6_WhatIsWrittenBehindIsSeenByEveryRead) {
  auto device = make(64 * KiB);
  std::mt19937 random{5};
  std::vector<std::int32_t> expected(4);
  for (int i = 1; i <= 400; ++i) {
    const auto at = random() % 4;
    switch (random() % 4) {
      case 0: EXPECT_EQ(first(device->read(static_cast<std::int64_t>(at))), expected[at]) << "after " << i << " operations"; break;
      case 1: device->prefetch(static_cast<std::int64_t>(at), whole, dtype::int32); break;
      case 2: device->write(filled(expected[at] = i), static_cast<std::int64_t>(at)); break;
      default: device->write_behind(filled(expected[at] = i), static_cast<std::int64_t>(at), whole);
    }
  }
  device->flush();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(first(device->read(static_cast<std::int64_t>(i))), expected[i]);
}

TEST_P(DeviceCaches, D6_AnArrayIsWrittenBehind) {
  Array a(storage.shape, page, dtype::int32, {make(64 * KiB)});
  auto block = counted({7, 20});
  const Box box{{3, 5}, {10, 25}};
  a.write_behind(box, block);
  for (auto& each : block.values<std::int32_t>()) each = 0;  // the array has its own
  const auto back = a.read(box);
  EXPECT_EQ(back.values<std::int32_t>()[0], 1);
  EXPECT_EQ(back.values<std::int32_t>()[7 * 20 - 1], 7 * 20);
  a.flush();
  EXPECT_THROW(a.write_behind({{0, 0}, {1, 1}}, block), usage_error);
}

TEST_P(DeviceCaches, D6_AnArrayIsWrittenBehindInAnyOrderOfAxes) {
  Array a(storage.shape, page, dtype::int32, {make(64 * KiB)});
  const auto block = counted({20, 7});
  const Box box{{3, 5}, {10, 25}};
  a.write_behind(box, block, {1, 0});
  const auto back = a.read(box);
  for (std::size_t i = 0; i < 7; ++i)
    for (std::size_t k = 0; k < 20; ++k) ASSERT_EQ(back.values<std::int32_t>()[20 * i + k], block.values<std::int32_t>()[7 * k + i]);
  EXPECT_EQ(a.read(box, {1, 0}).values<std::int32_t>()[9], 10);
  a.flush();
  EXPECT_THROW(a.write_behind(box, block), usage_error) << "it fits only turned";
  EXPECT_THROW(a.write_behind(box, block, {0, 0}), usage_error);
}

// What a prefetch beside a write brings may be old, and is not kept. Of pages that are written past the page cache the first such read was, on ext4;
// tests/unit/data/device/read_ahead_test.cpp has it on all.
TEST_P(DeviceCaches, D6_APrefetchBesideAWriteLeavesNothingOld) {
  page = {16, 1024};
  whole = Box::whole(page);
  storage = create_storage(GetParam(), (folder / "large").string(), {64, 1024}, page, dtype::int32);
  auto device = make(MiB);
  for (std::int32_t i = 1; i <= 300; ++i) {
    auto writing = start(device)->write(filled(i), 1);
    device->prefetch(1, whole, dtype::int32);
    writing.get();
    ASSERT_EQ(first(device->read(1)), i);
  }
}

TEST_P(DeviceCaches, D6_WithoutACacheNothingIsReadAhead) {
  auto device = make(0);
  device->prefetch(1, whole, dtype::int32);
  EXPECT_EQ(device->counters().bytes_read, 0);
}

TEST_P(DeviceCaches, D9_OneWithACacheAndOneThatWritesAreRefused) {
  auto writer = make(0), reader = make(0);
  writer->write(filled(1), 0);
  reader->write(filled(2), 1);
  EXPECT_EQ(first(reader->read(0)), 1) << "without a cache what one has written, all read";
  EXPECT_EQ(first(writer->read(1)), 2);
  try {
    make(MiB);
    ADD_FAILURE() << "its cache would not see what the others write";
  } catch (const refused& e) {
    EXPECT_THAT(e.what(), HasSubstr("cache_bytes = 0"));
    EXPECT_THAT(e.what(), HasSubstr((folder / "array").string()));
  }
  destroy(writer);
  destroy(reader);
  auto cached = make(MiB), also = make(MiB), other = make(0);  // those that only read may
  EXPECT_EQ(first(other->read(0)), 1);
  EXPECT_THROW(other->write(filled(3), 0), refused);
  EXPECT_THROW(cached->write(filled(3), 0), refused) << "another one has a cache, too";
  destroy(also);
  cached->write(filled(3), 0);
  EXPECT_EQ(first(other->read(0)), 3);
  destroy(cached);
  other->write(filled(4), 0);
  EXPECT_EQ(first(other->read(0)), 4);
}

TEST_P(DeviceCaches, D6_AKilledDeviceSaysSoToWhoFlushes) {
  auto device = make(MiB);
  device->write_behind(filled(1), 0, whole);
  runtime.kill(device.address(), 9);
  EXPECT_THROW(device->flush(), process_died);
}

TEST_P(DeviceCaches, TheWholePageNeedsNoBox) {
  auto device = make(0);
  device->write(filled(9), 3);
  EXPECT_EQ(first(device->read(3)), 9);
  EXPECT_THROW((void)device->read(4), usage_error);
  EXPECT_THROW(device->write(filled(9), -1), usage_error);
  EXPECT_THROW(device->write(ArrayPage(dtype::int32, {2, 3}), 3), usage_error) << "a part of it needs one";
  EXPECT_EQ(first(device->read(3)), 9);
}

std::string name_of_format(const testing::TestParamInfo<storage_format>& of) {
  return of.param == storage_format::zarr ? "zarr" : of.param == storage_format::npy ? "npy" : "page_file";
}
INSTANTIATE_TEST_SUITE_P(Formats, DeviceCaches, testing::Values(storage_format::zarr, storage_format::npy, storage_format::page_file), name_of_format);

}  // namespace
}  // namespace octavo
