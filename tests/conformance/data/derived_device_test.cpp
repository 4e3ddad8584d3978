// SPDX-License-Identifier: Apache-2.0
// A user's device, derived from one of ours: its write() may be made of what it inherits, and is what all ways of writing come to, in a full pool too.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "kit/watchdog.hpp"
#include "octavo/data/array.hpp"
#include "octavo/process.hpp"

namespace octavo {

// Answers when it has the page, not when the disk has.
class LazyFile : public PageFile {
 public:
  LazyFile(const std::string& path, std::int64_t pages, const Shape& page) : PageFile(path, pages, page, dtype::float64, {.cache_bytes = MiB}) {}
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override { return write_behind(std::move(data), page, part); }
};
OCTAVO_REMOTE(LazyFile, (PageFile))

// Keeps the negatives of the values.
class NegativeFile : public PageFile {
 public:
  NegativeFile(const std::string& path, std::int64_t pages, const Shape& page) : PageFile(path, pages, page, dtype::float64) {}
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override {
    for (auto& each : data.values<double>()) each = -each;
    return PageFile::write(std::move(data), page, part);
  }
};
OCTAVO_REMOTE(NegativeFile, (PageFile))

// Names what it overrides, and counts its reads.
class CountingFile : public PageFile {
 public:
  using PageFile::PageFile;
  future<ArrayPage> read(std::int64_t page, const Box& part, dtype as) override {
    ++reads_;
    return PageFile::read(page, part, as);
  }
  future<void> write(ArrayPage data, std::int64_t page, const Box& part) override { return PageFile::write(std::move(data), page, part); }
  [[nodiscard]] int reads() const { return reads_; }

 private:
  int reads_ = 0;
};
OCTAVO_REMOTE(CountingFile, (PageFile), read, write, reads)

// Has a read of its own beside.
class SamplingFile : public PageFile {
 public:
  using PageFile::PageFile;
  using PageFile::read;
  double read(std::int64_t page, const std::string& how) { return how == "first" ? read_page(page).get().values<double>()[0] : -1; }
};
OCTAVO_REMOTE(SamplingFile, (PageFile), read)

namespace {

namespace fs = std::filesystem;

class DerivedDevice : public testing::Test {
 protected:
  kit::Watchdog watchdog{60};
  Runtime runtime{RuntimeOptions{.memory = 4 * MiB}};
  std::string path = (fs::temp_directory_path() / ("octavo-derived-" + std::to_string(::getpid()))).string();
  Shape page{64, 96};
  Box whole = Box::whole(page);
  ~DerivedDevice() override { fs::remove(path); }
  [[nodiscard]] ArrayPage counted() const {
    ArrayPage block(dtype::float64, page);
    auto values = block.values<double>();
    std::iota(values.begin(), values.end(), 1);
    return block;
  }
  static void expect_values(const remote_ptr<PageDevice>& device, std::int64_t page, const Box& part, double sign) {
    auto block = device->read(page, part, dtype::float64);
    const auto values = std::as_const(block).values<double>();
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], sign * static_cast<double>(i + 1));
  }
};

TEST_F(DerivedDevice, WritesBehindByDefault) {
  remote_ptr<PageDevice> device = octavo::process.make<LazyFile>(path, 4, page);
  device->write(counted(), 2, whole);
  device->flush();
  expect_values(device, 2, whole, 1);
}

TEST_F(DerivedDevice, WhatIsWrittenTurnedIsWrittenByItsOwnWrite) {
  remote_ptr<PageDevice> device = octavo::process.make<NegativeFile>(path, 4, page);
  const Shape order{1, 0};
  auto turned = counted().permuted(order);
  device->write_permuted(turned, 1, whole, order);
  expect_values(device, 1, whole, -1);
  std::vector<Page> rest;  // the pool is full, and somebody else has the page that is turned
  while (auto some = Page::try_make(4096)) rest.push_back(std::move(*some));
  device->write_permuted(turned, 3, whole, order);
  rest.clear();
  expect_values(device, 3, whole, -1);
}

TEST_F(DerivedDevice, TheWholePageNeedsNoBox) {
  auto device = octavo::process.make<CountingFile>(path, 4, page, dtype::float64, DeviceOptions{});
  device->write(counted(), 2);
  EXPECT_EQ(device->read(2).values<double>()[1], 2);
  EXPECT_EQ(octavo::start(device)->read(2).get().values<double>()[2], 3);
  EXPECT_EQ(device->read(2, whole, dtype::float32).type(), dtype::float32);
  EXPECT_EQ(device->reads(), 3) << "its own read";
  const remote_ptr<PageDevice> any = device;
  EXPECT_EQ(any->read(2).values<double>()[1], 2);
  octavo::destroy(device);
  auto lazy = octavo::process.make<LazyFile>(path, 4, page);  // names neither
  lazy->write(counted(), 1);
  EXPECT_EQ(lazy->read(1).values<double>()[1], 2);
}

TEST_F(DerivedDevice, ItsOwnOverloadsStandBesideTheInheritedOnes) {
  auto device = octavo::process.make<SamplingFile>(path, 4, page, dtype::float64, DeviceOptions{});
  device->write(counted(), 2);
  EXPECT_EQ(device->read(2, "first"), 1);
  EXPECT_EQ(device->read(2, whole, dtype::float64).values<double>()[1], 2);
}

TEST_F(DerivedDevice, AnArrayTakesThemAsTheyAre) {
  const Shape shape{128, 96};
  std::vector<remote_ptr<CountingFile>> devices;
  for (const char* n : {"0", "1"}) devices.push_back(octavo::process.make<CountingFile>(path + n, 4, page, dtype::float64, DeviceOptions{}));
  const std::vector<remote_ptr<PageFile>> files(devices.begin(), devices.end());
  const Array a(shape, page, dtype::float64, devices), b(shape, page, dtype::float64, files),
      c(shape, page, dtype::float64, devices, PageMap::round_robin(grid_of(shape, page), 2));
  a.write(a.select({100, 3}), std::vector<double>{5});
  for (const auto& each : {a, b, c}) EXPECT_EQ(each.read<double>(each.select({100, 3})), std::vector<double>{5});
  EXPECT_EQ(devices[1]->reads(), 3);
  for (const char* n : {"0", "1"}) fs::remove(path + n);
}

}  // namespace
}  // namespace octavo
