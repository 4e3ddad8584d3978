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

}  // namespace
}  // namespace octavo
