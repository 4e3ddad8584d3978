// SPDX-License-Identifier: Apache-2.0
// A device with a method of its own, which runs next to the data; the interruption of calls that wait for devices.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <numeric>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"

namespace near_data_tests {

namespace ov = octavo;
using ov::ZarrDevice;

class SummingDevice : public ZarrDevice {
 public:
  using ZarrDevice::ZarrDevice;
  double sum(std::int64_t page, const ov::Box& part) {
    const ov::ArrayPage block = read(page, part, ov::dtype::float64).get();
    auto values = block.values<double>();
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
};
OCTAVO_REMOTE(SummingDevice, (ZarrDevice), sum)

// Answers reads when it is told to: what a slow disk is to those who wait.
class SlowDevice : public ZarrDevice {
 public:
  using ZarrDevice::ZarrDevice;
  ov::future<ov::ArrayPage> read(std::int64_t page, const ov::Box& part, ov::dtype as) override {
    if (going_) return ZarrDevice::read(page, part, as);
    waiting_.emplace_back();
    return waiting_.back().get_future();
  }
  void go_on() {
    going_ = true;
    for (auto& each : waiting_) each.set_value(ov::ArrayPage(ov::dtype::float64, {1, 8}));
    waiting_.clear();
  }
  std::int64_t waiting() { return static_cast<std::int64_t>(waiting_.size()); }

 private:
  bool going_ = false;
  std::vector<ov::promise<ov::ArrayPage>> waiting_;
};
OCTAVO_REMOTE(SlowDevice, (ZarrDevice), go_on, waiting)

struct Enough {};

namespace {

class NearData : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{ov::RuntimeOptions{.memory = 4 * ov::MiB}};
  std::filesystem::path folder = std::filesystem::temp_directory_path() / ("octavo-near-" + std::to_string(::getpid()));
  ov::Shape shape{6, 8}, page{1, 8};
  ov::Storage storage;
  NearData() {
    std::filesystem::create_directories(folder);
    storage = ov::create_storage(ov::storage_format::zarr, (folder / "a.zarr").string(), shape, page, ov::dtype::float64);
  }
  ~NearData() override { std::filesystem::remove_all(folder); }
};

TEST_F(NearData, ADerivedDeviceAddsAMethodAndKeepsAnArray) {
  auto device = runtime.machine().make<SummingDevice>(storage, page, ov::DeviceOptions{.staging_bytes = ov::MiB});
  ov::Array a(shape, page, ov::dtype::float64, {device});
  ov::ArrayPage block(ov::dtype::float64, shape);
  std::iota(block.values<double>().begin(), block.values<double>().end(), 0);
  a.write(ov::Box::whole(shape), block);
  EXPECT_EQ(device->sum(2, ov::Box{{0, 1}, {1, 4}}), 17 + 18 + 19);
  double total = 0;
  for (std::int64_t i = 0; i < 6; ++i) total += ov::start(device)->sum(i, ov::Box::whole(page)).get();
  EXPECT_EQ(total, 47 * 48 / 2.0);
  EXPECT_THROW(device->sum(6, ov::Box::whole(page)), ov::usage_error);
  const ov::ArrayPage back = a.read({{1, 2}, {3, 4}}, {1, 0});
  EXPECT_EQ((std::vector<double>(back.values<double>().begin(), back.values<double>().end())), (std::vector<double>{10, 18, 11, 19}));
}

TEST_F(NearData, WaitingCanBeInterruptedAndWhatWasInFlightIsDropped) {
  auto device = runtime.machine().make<SlowDevice>(storage, page, ov::DeviceOptions{.staging_bytes = ov::MiB});
  ov::Array a(shape, page, ov::dtype::float64, {device});
  auto free_before = ov::job_pool().free_bytes();
  std::vector<double> to(48, -1);
  auto* memory = reinterpret_cast<std::byte*>(to.data());
  int calls = 0;
  auto attend = [&] {
    if (++calls == 2) throw Enough{};
  };
  auto all = ov::Selection::of(ov::Box::whole(shape));
  ov::Selection every_second{{0, 0}, {3, 4}, {2, 2}};
  EXPECT_THROW(a.read_into(all, memory, {64, 8}, ov::dtype::float64, 3 * 4096, attend), Enough);
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(device->waiting(), 3) << "the window, and no more";
  calls = 0;
  EXPECT_THROW(a.write_from(every_second, memory, {32, 8}, ov::dtype::float64, ov::MiB, attend), Enough);
  calls = 0;
  EXPECT_THROW((void)a.read({{0, 0}, {1, 8}}, {}, attend), Enough);
  calls = 0;
  EXPECT_THROW((void)a.read({{0, 0}, {2, 8}}, {1, 0}, attend), Enough);
  device->go_on();
  EXPECT_EQ(to, std::vector<double>(48, -1)) << "what came late is not written into the caller's memory";
  a.read_into(all, memory, {64, 8}, ov::dtype::float64, ov::MiB, attend);
  EXPECT_EQ(to, std::vector<double>(48, 0));
  EXPECT_EQ(ov::job_pool().free_bytes(), free_before) << "pages that nobody waited for are free again";
}

TEST_F(NearData, AFailureOfOnePageIsTheCallsAndTheOthersAreAwaited) {
  auto device = runtime.machine().make<ov::ZarrDevice>(storage, page, ov::DeviceOptions{.staging_bytes = ov::MiB});
  ov::Array a(shape, page, ov::dtype::float64, {device});
  std::filesystem::create_directories(folder / "a.zarr" / "c" / "3" / "0");  // a directory where a chunk should be
  std::filesystem::create_directories(folder / "a.zarr" / "c" / "5" / "0");
  auto free_before = ov::job_pool().free_bytes();
  std::vector<double> to(48, -1);
  auto all = ov::Selection::of(ov::Box::whole(shape));
  EXPECT_THROW(a.read_into(all, reinterpret_cast<std::byte*>(to.data()), {64, 8}, ov::dtype::float64, ov::MiB), ov::io_error);
  EXPECT_EQ(ov::job_pool().free_bytes(), free_before);
  EXPECT_NO_THROW(ov::destroy(device)) << "the second error was not left behind";
}

}  // namespace
}  // namespace near_data_tests
