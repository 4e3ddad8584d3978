// SPDX-License-Identifier: Apache-2.0
// Reads that wait for room in a full pool: their pages are of the device's own pool, wherever it lives, and what can come of them no more is an error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <numeric>
#include <ostream>
#include <string>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/array.hpp"
#include "octavo/process.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using testing::HasSubstr;

struct Where {
  const char* name;
  Place place;
  runtime_reach reach;
};
void PrintTo(const Where& where, std::ostream* out) { *out << where.name; }

class Admissions : public testing::TestWithParam<Where> {
 public:
  ~Admissions() override { fs::remove_all(folder); }

 protected:
  kit::Watchdog watchdog{60};
  Runtime runtime{RuntimeOptions{.memory = pool_bytes, .reach = GetParam().reach}};
  Runtime::Use use = runtime.use();
  fs::path folder = fs::temp_directory_path() / ("octavo-admission-" + std::to_string(::getpid()));
  static constexpr std::int64_t pool_bytes = MiB;
  const Shape shape{8, 8};
  const Box all = Box::whole(shape);

  remote_ptr<ZarrDevice> make(dtype type) {
    const Storage storage = create_storage(storage_format::zarr, (folder / std::string(name_of(type))).string(), shape, shape, type);
    return GetParam().place.make<ZarrDevice>(storage, shape, DeviceOptions{.staging_bytes = MiB});
  }
  // Nothing else finds room while this is there.
  static Page whole_pool() { return Page(job_pool().free_bytes()); }
  // It was begun, and finds no room.
  static void let_wait(future<ArrayPage>& read) { EXPECT_FALSE(read.wait_for(100ms)); }
};

TEST_P(Admissions, APageThatWasWaitedForIsOfTheDevicesPool) {
  auto device = make(dtype::float64);
  ArrayPage block(dtype::float64, shape);
  auto values = block.values<double>();
  std::iota(values.begin(), values.end(), 1);
  device->write(std::move(block), 0, all);
  const auto free_before = job_pool().free_bytes();
  for (int round = 0; round < 3; ++round) {
    Page other = whole_pool();
    auto first = start(device)->read(0, all, dtype::float64), second = start(device)->read(0, all, dtype::float64);
    let_wait(first);
    other = {};
    for (auto* read : {&first, &second}) {
      const ArrayPage back = read->get();
      ASSERT_EQ(back.values<double>()[63], 64);
    }
    ASSERT_EQ(job_pool().free_bytes(), free_before) << round;
  }
}

// Who calls it hears of its end.
TEST_P(Admissions, WhatStillWaitsWhenTheDeviceEndsIsAnError) {
  auto device = make(dtype::float64);
  const Page other = whole_pool();
  auto first = start(device)->read(0, all, dtype::float64), second = start(device)->read(0, all, dtype::float64);
  let_wait(first);
  destroy(device);
  for (auto* read : {&first, &second}) {
    try {
      read->get();
      FAIL();
    } catch (const gone_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("the device ended while a read waited for room"));
    }
  }
}

// What cannot be begun then is told as what cannot be begun at once; and the device goes on.
TEST_P(Admissions, WhatFailsOnceThereIsRoomIsToldToItsCaller) {
  auto device = make(dtype::complex64);
  Page other = whole_pool();
  auto wrong = start(device)->read(0, all, dtype::float32), right = start(device)->read(0, all, dtype::complex128);
  let_wait(wrong);
  other = {};
  EXPECT_THROW(wrong.get(), not_supported);
  const ArrayPage back = right.get();
  EXPECT_EQ(back.values<std::complex<double>>()[0], 0.0);
}

INSTANTIATE_TEST_SUITE_P(, Admissions,
                         testing::Values(Where{"process", process, runtime_reach::program}, Where{"thread", thread, runtime_reach::program},
                                         Where{"threadOfScope", thread, runtime_reach::scope}),
                         [](const testing::TestParamInfo<Where>& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace octavo
