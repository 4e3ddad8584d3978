// SPDX-License-Identifier: Apache-2.0
// A transform process by itself: what it says of where its time went.
#include "octavo/fft/transform.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "kit/watchdog.hpp"
#include "octavo/data/open_array.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;

class TransformProcess : public testing::Test {
 protected:
  kit::Watchdog watchdog{60};
  fs::path folder = fs::temp_directory_path() / ("octavo-transform-" + std::to_string(::getpid()));
  Runtime runtime{{.memory = 16 * MiB, .engine = played({"box"}, (folder / "home").string())}};
  Shape shape{16, 32, 64}, chunk{16, 8, 64};

  ~TransformProcess() override { fs::remove_all(folder); }

  // Its devices there.
  Array array(const std::string& name, const Place& at) {
    fs::create_directories(folder);
    const Storage made = create_storage(storage_format::zarr, (folder / name).string(), shape, chunk, dtype::complex128);
    return open_array(at, made, shape);
  }
  fft::TransformReport transform(const Array& from, const Array& to, Timeline& timeline) {
    const auto plan = fft::plan_fft({.shape = shape, .source_chunk = chunk, .memory = 8 * MiB, .cores = 1});
    auto worker = runtime.machine().make<fft::Transform>(plan, true);
    worker->begin(0, from, to);
    for (std::int64_t i = 0; i < plan.passes.front().boxes; ++i) worker->transform(i);
    timeline = worker->timeline();
    return worker->report();
  }
};

void expect_consistent(const Phases& phases) {
  double together = phases.idle;
  for (const Phase* each : phases.all()) {
    EXPECT_GE(each->seconds, 0);
    together += each->seconds;
  }
  EXPECT_NEAR(together, phases.wall, 1e-6);
}

TEST_F(TransformProcess, PH1_WaitsForDisksHere) {
  Timeline timeline;
  const auto told = transform(array("a.zarr", runtime.machine()), array("b.zarr", runtime.machine()), timeline);
  expect_consistent(told.phases);
  EXPECT_GT(told.phases.reading.seconds, 0);
  EXPECT_GT(told.phases.writing.seconds, 0);
  EXPECT_GT(told.phases.computing.seconds, 0);
  EXPECT_EQ(told.phases.network.under_way, 0);
  EXPECT_EQ(told.phases.network.bytes, 0);
  EXPECT_EQ(told.phases.reading.bytes, shape.count() * 16);
  EXPECT_FALSE(timeline.spans.empty());
}

TEST_F(TransformProcess, WaitsForTheNetworkWhereADeviceIsOnAnotherMachine) {
  Timeline timeline;
  const Array far = array("a.zarr", runtime.machine("box"));
  const auto told = transform(far, array("b.zarr", runtime.machine()), timeline);
  expect_consistent(told.phases);
  EXPECT_GT(told.phases.network.seconds, 0);
  EXPECT_EQ(told.phases.network.bytes, shape.count() * 16);
  EXPECT_EQ(told.phases.reading.bytes, 0);
  EXPECT_GT(told.phases.writing.seconds, 0);
  const auto now = [] { return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  const std::int64_t before = now();
  const Timeline moved = timeline_of(far.devices()[0]);
  EXPECT_GE(moved.now, before) << "as this machine's clock was between the question and the answer";
  EXPECT_LE(moved.now, now());
}

}  // namespace
}  // namespace octavo
