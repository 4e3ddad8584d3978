// SPDX-License-Identifier: Apache-2.0
// An Octavo array over several disks is written by one program's devices and read by another's, and by one device that sees all its page files.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "kit/watchdog.hpp"
#include "octavo/data/array.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;

std::vector<remote_ptr<PageDevice>> devices_of(const Machine& machine, const Storage& array) {
  std::vector<remote_ptr<PageDevice>> devices;
  for (int i = 0; i < static_cast<int>(array.files.size()); ++i)
    devices.emplace_back(machine.make<PageFile>(device_storage(array, i), array.chunk, DeviceOptions{.staging_bytes = MiB}));
  return devices;
}

TEST(OctavoArray, IsWrittenByOneProgramAndReadByAnother) {
  kit::Watchdog watchdog(60);
  fs::path folder = fs::temp_directory_path() / ("octavo-of-disks-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  CreateOptions options;
  options.order = byte_order::big;
  for (const char* disk : {"d0", "d1", "d2"}) fs::create_directories(options.devices.emplace_back(folder / disk));
  std::string unfinished = folder / "a.octavo.unfinished", path = folder / "a.octavo";
  Shape shape{13, 14, 15};
  std::vector<std::int32_t> values(static_cast<std::size_t>(shape.count()));
  std::iota(values.begin(), values.end(), 1);
  {
    Runtime runtime(RuntimeOptions{.memory = 16 * MiB});
    auto made = create_storage(storage_format::pages, unfinished, shape, {4, 5, 6}, dtype::int32, options);
    Array array(shape, made.chunk, dtype::int32, devices_of(runtime.machine(), made));
    ArrayPage block(dtype::int32, shape);
    std::ranges::copy(values, block.values<std::int32_t>().begin());
    array.write(Box::whole(shape), block);
    array.flush();
  }
  fs::rename(unfinished, path);
  Runtime runtime(RuntimeOptions{.memory = 16 * MiB});
  auto opened = open_storage(path);
  auto read = [&](const Array& array) {
    ArrayPage back = array.read(Box::whole(shape));
    auto found = std::as_const(back).values<std::int32_t>();
    return std::vector<std::int32_t>(found.begin(), found.end());
  };
  EXPECT_EQ(read(Array(shape, opened.chunk, dtype::int32, devices_of(runtime.machine(), opened))), values);
  std::vector<remote_ptr<PageDevice>> all{runtime.machine().make<PageFile>(opened, opened.chunk, DeviceOptions{.staging_bytes = MiB})};
  EXPECT_EQ(read(Array(shape, opened.chunk, dtype::int32, all)), values) << "one device, three page files";
  remove_storage(path);
  for (const auto& disk : options.devices) EXPECT_TRUE(fs::is_empty(disk)) << disk;
  fs::remove_all(folder);
}

// The paper's shape (5.2): 96 servers, many clients at once, each with a slab of its own.
class Slab {
 public:
  Slab(Array array, std::int64_t at) : array_(std::move(array)), box_(Box::whole(array_.shape())) { box_.lo[0] = at, box_.hi[0] = at + 1; }
  void write(std::int32_t value) {
    ArrayPage block(dtype::int32, box_.extents());
    std::ranges::fill(block.values<std::int32_t>(), value);
    array_.write(box_, block);
  }
  [[nodiscard]] std::int64_t sum() const {
    const ArrayPage block = array_.read(box_);
    std::int64_t sum = 0;
    for (auto each : block.values<std::int32_t>()) sum += each;
    return sum;
  }

 private:
  Array array_;
  Box box_;
};
OCTAVO_REMOTE(Slab, write, sum)

TEST(OctavoArray, LiesOn96DisksForSixteenClients) {
  kit::Watchdog watchdog(100);
  const fs::path folder = fs::temp_directory_path() / ("octavo-of-96-disks-" + std::to_string(::getpid()));
  fs::remove_all(folder);
  CreateOptions options;
  for (int i = 0; i < 96; ++i) fs::create_directories(options.devices.emplace_back(folder / ("d" + std::to_string(i))));
  const Shape shape{16, 96, 8};
  Runtime runtime(RuntimeOptions{.memory = 32 * MiB, .ring_bytes = 16 * KiB});
  {
    const auto made = create_storage(storage_format::pages, folder / "a.octavo", shape, {1, 8, 8}, dtype::int32, options);
    Array array(shape, made.chunk, dtype::int32, devices_of(runtime.machine(), made), made.page_map());
    std::vector<remote_ptr<Slab>> clients;
    for (std::int64_t i = 0; i < 16; ++i) clients.push_back(process.make<Slab>(array, i));
    std::vector<future<void>> written;
    for (std::int32_t i = 0; i < 16; ++i) written.push_back(start(clients[static_cast<std::size_t>(i)])->write(i));
    for (auto& each : written) each.get();
    for (std::int64_t i = 0; i < 16; ++i) EXPECT_EQ(clients[static_cast<std::size_t>((i + 1) % 16)]->sum(), (i + 1) % 16 * 96 * 8);
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace octavo
