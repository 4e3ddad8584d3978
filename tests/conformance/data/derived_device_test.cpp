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

}  // namespace
}  // namespace octavo
