// SPDX-License-Identifier: Apache-2.0
// Jobs on arrays of processes (J-5 of octavo/fft/job.hpp): own, named, on other machines, in place, from and to what is stored.
#include <gmock/gmock.h>

#include <chrono>
#include <complex>
#include <filesystem>
#include <future>
#include <random>
#include <thread>

#include "conformance/data/named_files.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/fft/job.hpp"

namespace process_tests {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Values = std::vector<Complex>;
using ov::fft::Job;

class JobArrays : public NamedFiles {
 protected:
  JobArrays() {
    std::mt19937 random{3};
    for (auto& each : values) each = {static_cast<double>(random() % 100), static_cast<double>(random() % 100)};
  }
  // Not a multiple of the page.
  ov::Array own(int first) {
    const ov::PageMap map(ov::map_kind::circulant, ov::grid_of(shape, page), 2);
    std::vector<ov::remote_ptr<ov::PageDevice>> devices;
    for (int i = first; i < first + 2; ++i)
      devices.emplace_back(
          ov::process.make<ov::PageFile>(file(i), map.pages_per_device(), page, ov::dtype::complex128, ov::DeviceOptions{.staging_bytes = ov::MiB}));
    return {shape, page, ov::dtype::complex128, devices, map};
  }
  // The values, in a file.
  std::string stored() {
    auto a = own(8);
    a.write(a.select({}), values);
    const auto path = (folder / "stored.npy").string();
    Job({.target = path, .copy = true, .memory = 8 * ov::MiB, .from = a}).run();
    return path;
  }
  static Values all(const ov::Array& a) { return a.read<Complex>(a.select({})); }
  // By its definition, along one axis after the other.
  Values expected() const {
    Values result = values;
    const std::int64_t extents[] = {shape[0], shape[1], shape[2]};
    std::int64_t stride = 1;
    for (int axis = 2; axis >= 0; stride *= extents[axis--]) {
      const auto n = extents[axis];
      Values next(result.size());
      for (std::int64_t at = 0; at < static_cast<std::int64_t>(result.size()); ++at) {
        const auto k = at / stride % n, base = at - k * stride;
        for (std::int64_t i = 0; i < n; ++i)
          next[static_cast<std::size_t>(at)] +=
              result[static_cast<std::size_t>(base + i * stride)] * std::polar(1.0, -2 * M_PI * static_cast<double>(k * i % n) / static_cast<double>(n));
      }
      result = next;
    }
    return result;
  }
  static void expect_close(const Values& found, const Values& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(found[i] - wanted[i]));
    EXPECT_LT(most, 1e-8);
  }
  [[nodiscard]] std::size_t processes() const { return runtime->processes().size(); }
  // A destroyed object's process is listed until the agent has seen its end.
  void expect_processes(std::size_t count) const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (processes() != count && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(processes(), count);
  }

  ov::Shape shape{12, 10, 9}, page{4, 4, 4};
  Values values = Values(12 * 10 * 9);
};

TEST_F(JobArrays, J5_FromOneToAnother) {
  auto from = own(0), to = own(2);
  from.write(from.select({}), values);
  const auto before = processes();
  Job job({.memory = 4 * ov::MiB, .from = from, .to = to});
  EXPECT_THAT(job.plan().text(), HasSubstr("not counted"));
  const auto report = job.run();
  expect_close(all(to), expected());
  EXPECT_EQ(all(from), values) << "the source is as it was";
  EXPECT_GT(report.bytes_moved, 0);
  expect_processes(before);  // those of the job have ended
  Job({.memory = 4 * ov::MiB, .from = from, .to = to}).run();
  expect_close(all(to), expected());
}

TEST_F(JobArrays, PH1_J5_TellsOfGivenDevicesWhatTheyDidForTheJob) {
  auto from = own(0), to = own(2);
  from.write(from.select({}), values);
  const auto report = Job({.memory = 4 * ov::MiB, .from = from, .to = to}).run();
  std::vector<std::string> names;
  std::int64_t written = 0;
  for (const auto& [name, machine, pid, phases] : report.phases) {
    names.push_back(name);
    double together = phases.idle;
    for (const auto* each : phases.all()) {
      EXPECT_GE(each->seconds, 0) << name;
      together += each->seconds;
    }
    EXPECT_NEAR(together, phases.wall, 1e-6) << name;
    EXPECT_LE(phases.wall, report.seconds) << name;
    EXPECT_GT(pid, 0) << name;
    EXPECT_TRUE(!name.starts_with("source") || phases.writing.bytes == 0) << "what it wrote was before";
    written += name.starts_with("target") ? phases.writing.bytes : 0;
  }
  names.resize(4);
  EXPECT_THAT(names, testing::ElementsAre("source 1", "source 2", "target 1", "target 2"));
  EXPECT_GE(written, static_cast<std::int64_t>(values.size() * sizeof(Complex)));
}

TEST_F(JobArrays, PH1_OfADeviceThatWasMadeAgainWhatItDidInThisLife) {
  auto a = ov::named("home/turbulence").make_array(shape, page, ov::dtype::complex128, {{file(0)}, {file(1)}});
  a.write(a.select({}), values);
  const auto& device = a.devices()[0];
  const auto before = device->counters();
  EXPECT_GT(before.bytes_written, 0);
  EXPECT_EQ(device->counters().since(before).bytes_written, 0);
  kill(device);
  EXPECT_EQ(again([&] { return all(a); }), values);
  const auto after = device->counters().since(before);
  EXPECT_EQ(after.bytes_written, 0);
  EXPECT_GT(after.bytes_read, 0);
  EXPECT_GE(after.phases.wall, 0);
}

TEST_F(JobArrays, J5_InPlaceAndBack) {
  auto a = own(0);
  a.write(a.select({}), values);
  Job job({.memory = 4 * ov::MiB, .from = a, .to = a});
  EXPECT_THAT(job.plan().text(), HasSubstr("what 2 devices of the arrays take"));
  job.run();
  expect_close(all(a), expected());
  Job({.inverse = true, .memory = 4 * ov::MiB, .from = a, .to = a}).run();
  expect_close(all(a), values);
}

TEST_F(JobArrays, J5_FromAndToWhatIsStored) {
  auto a = own(0);
  a.write(a.select({}), values);
  const auto path = (folder / "spectrum.zarr").string();
  Job({.target = path, .memory = 8 * ov::MiB, .from = a}).run();
  auto stored = ov::open_array(path);
  expect_close(all(stored), expected());
  auto back = own(2);
  Job({.source = path, .inverse = true, .memory = 8 * ov::MiB, .to = back}).run();
  expect_close(all(back), values);
}

TEST_F(JobArrays, J5_ByTheirNamesInAProgramWithoutARuntime) {
  ::setenv("OCTAVO_HOME", home.c_str(), 1);
  (void)ov::named("home/turbulence").make_array(shape, page, ov::dtype::complex128, {{file(0)}, {file(1)}});
  (void)ov::named("home/spectrum").make_array(shape, page, ov::dtype::complex128, {{file(2)}, {file(3)}});
  {
    auto a = ov::open_array("ov://home/turbulence");
    a.write(a.select({}), values);
  }
  runtime.reset();
  Job({.source = "ov://home/turbulence", .target = "ov://home/spectrum", .memory = 4 * ov::MiB}).run();
  begin();
  expect_close(all(ov::open_array("ov://home/spectrum")), expected());
  ::unsetenv("OCTAVO_HOME");
}

TEST_F(JobArrays, J5_APathIsOneOfThisProgramsDirectory) {
  auto a = ov::named("home/turbulence").make_array(shape, page, ov::dtype::complex128, {{file(0)}, {file(1)}});
  a.write(a.select({}), values);
  const auto before = fs::current_path();
  fs::current_path(folder);  // the devices have the directory that their agent was begun in
  Job({.target = "copied.npy", .copy = true, .memory = 8 * ov::MiB, .from = a}).run();
  Job({.source = "copied.npy", .inverse = true, .memory = 8 * ov::MiB, .to = a}).run();
  fs::current_path(before);
  Job({.memory = 8 * ov::MiB, .from = a, .to = a}).run();
  expect_close(all(a), values);
}

TEST_F(JobArrays, J5_DevicesOnAnotherMachine) {
  begin_with_box();
  const ov::PageMap map(ov::map_kind::circulant, ov::grid_of(shape, page), 2);
  ov::Array a(shape, page, ov::dtype::complex128,
              {ov::process.make<ov::PageFile>(file(0), map.pages_per_device(), page, ov::dtype::complex128, ov::DeviceOptions{}),
               runtime->machine("box").make<ov::PageFile>(file(1), map.pages_per_device(), page, ov::dtype::complex128, ov::DeviceOptions{})},
              map);
  a.write(a.select({}), values);
  Job({.memory = 4 * ov::MiB, .cores = 2, .from = a, .to = a}).run();
  expect_close(all(a), expected());
  end_box();
}

TEST_F(JobArrays, J5_ATargetThatDoesNotSuitIsRefused) {
  auto a = own(0);
  const ov::Array other({12, 10, 8}, page, ov::dtype::complex128, a.devices());
  EXPECT_THROW(Job({.memory = 4 * ov::MiB, .from = a, .to = other}), ov::usage_error);
  const ov::Array real(shape, page, ov::dtype::float64, a.devices());
  EXPECT_THROW(Job({.memory = 4 * ov::MiB, .from = real, .to = real}), ov::usage_error) << "the result is complex";
  EXPECT_THROW(Job({.source = "ov://not/there", .memory = 4 * ov::MiB, .to = a}), ov::usage_error);
}

TEST_F(JobArrays, J1_TwoSourcesOrTargetsAndNoneAreRefused) {
  auto a = own(0), b = own(2);
  const std::pair<ov::fft::JobOptions, const char*> cases[] = {
      {{.source = "x.npy", .from = a, .to = b}, "two sources: an Array, and 'x.npy'"},
      {{.source = "ov://home/x", .from = a, .to = b}, "two sources: an Array, and 'ov://home/x'"},
      {{.raw = ov::RawLayout{shape}, .from = a, .to = b}, "two sources: an Array, and a file"},
      {{.opened = ov::Storage{}, .from = a, .to = b}, "two sources: an Array, and a file"},
      {{.target = "x.npy", .from = a, .to = b}, "two targets: an Array, and 'x.npy'"},
      {{.target_as = {.chunks = page}, .from = a, .to = b}, "is there already"},
      {{.from = a}, "without a target"},
      {{.source = "x.npy"}, "without a target"},
      {{.to = b}, "without a source"},
      {{.target = "x.npy"}, "without a source"},
      {{}, "without a source"},
  };
  for (const auto& [options, text] : cases) try {
      const Job job(options);
      ADD_FAILURE() << "not refused: " << text;
    } catch (const ov::usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(text));
    }
}

// Over the same devices: a box of the result would be written over one that is still to be read.
TEST_F(JobArrays, J5_PagesThatLieElsewhereInTheTargetAreRefused) {
  auto a = own(0);
  a.write(a.select({}), values);
  auto turned = a.devices();
  std::ranges::reverse(turned);
  const auto grid = ov::grid_of(shape, page);
  const ov::Array others[] = {{shape, page, ov::dtype::complex128, turned, a.map()},
                              {shape, page, ov::dtype::complex128, a.devices(), ov::PageMap::in_blocks(grid, 2)},
                              {shape, page, ov::dtype::complex128, std::vector{a.devices()[0]}, ov::PageMap::round_robin(grid, 1)}};
  for (const auto& other : others) EXPECT_THROW(Job({.memory = 8 * ov::MiB, .from = a, .to = other}), ov::usage_error);
  EXPECT_EQ(all(a), values);
}

TEST_F(JobArrays, J5_OtherPagesOfTheSameDevicesMayBeTheTarget) {
  const auto grid = ov::grid_of(shape, page);
  const auto pages = grid.count();
  auto device = ov::process.make<ov::PageFile>(file(0), 2 * pages, page, ov::dtype::complex128, ov::DeviceOptions{});
  auto number = [grid](const ov::Shape& at) { return ov::flatten(at, grid); };
  const ov::Array from(shape, page, ov::dtype::complex128, std::vector{device}, ov::PageMap::computed(grid, 1, [&](const ov::Shape& at) {
                         return ov::PagePlace{0, 2 * number(at)};
                       }));
  const ov::Array to(shape, page, ov::dtype::complex128, std::vector{device}, ov::PageMap::computed(grid, 1, [&](const ov::Shape& at) {
                       return ov::PagePlace{0, 2 * number(at) + 1};
                     }));
  from.write(from.select({}), values);
  Job({.memory = 8 * ov::MiB, .from = from, .to = to}).run();
  expect_close(all(to), expected());
  EXPECT_EQ(all(from), values);
}

TEST_F(JobArrays, J5_MorePagesThanThePoolHasAreRefused) {
  runtime.reset();
  runtime.emplace(ov::RuntimeOptions{.memory = 64 * 1024, .home = home.string()});
  auto a = own(0);
  EXPECT_THROW(Job({.memory = 64 * ov::MiB, .from = a, .to = a}), ov::refused);
  expect_processes(3);  // the program and two devices
}

// Each alone fits the pool, both do not: with pages of both in it, neither could go on.
TEST_F(JobArrays, J5_JobsThatShareAPoolTakeTurns) {
  runtime.reset();
  runtime.emplace(ov::RuntimeOptions{.memory = 5 * ov::MiB, .home = home.string()});
  shape = {64, 64, 64}, page = {16, 16, 16};
  std::vector<ov::Array> arrays{own(0), own(2), own(4), own(6), own(8), own(10)};
  values.resize(64 * 64 * 64);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i % 101), static_cast<double>(i % 7)};
  for (const auto& each : arrays) each.write(each.select({}), values);
  std::vector<std::future<void>> both;
  for (const auto& each : arrays)
    both.push_back(std::async(std::launch::async, [&, a = each] {
      const auto mine = runtime->use();
      for (const bool inverse : {false, true}) {
        Job job({.inverse = inverse, .memory = 6 * ov::MiB, .cores = 1, .from = a, .to = a});
        EXPECT_GT(job.plan().memory.pool, 4 * ov::MiB) << "two do not fit";
        job.run();
      }
    }));
  for (auto& each : both) each.get();
  for (const auto& each : arrays) expect_close(all(each), values);
}

TEST_F(JobArrays, J5_ThePathOfADeviceOfTheOtherArrayIsRefused) {
  auto a = ov::named("home/turbulence").make_array(shape, page, ov::dtype::complex128, {{file(0)}, {file(1)}});
  for (const auto& path : {file(1), file(1) + "/x", folder.string()})
    EXPECT_THROW(Job({.target = path, .target_as = {.format = ov::storage_format::npy}, .memory = 8 * ov::MiB, .overwrite = true, .from = a}), ov::usage_error)
        << path;
  EXPECT_THROW(Job({.source = file(0), .memory = 8 * ov::MiB, .to = a}), ov::usage_error);
}

TEST_F(JobArrays, J5_TwoArraysOverOneFileAreNoSourceAndTarget) {
  auto a = own(0), again = own(0);
  a.write(a.select({}), values);
  try {
    Job({.memory = 8 * ov::MiB, .from = a, .to = again});
    ADD_FAILURE() << "it was not refused";
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr(file(0)));
  }
  EXPECT_EQ(all(a), values);
}

// Its page files lie elsewhere.
TEST_F(JobArrays, J5_TheOctavoArrayThatIsTheOtherArrayIsRefused) {
  const auto path = (folder / "x.octavo").string();
  fs::create_directories(folder / "disk");
  Job({.source = stored(), .target = path, .target_as = {.devices = {(folder / "disk").string()}}, .copy = true, .memory = 8 * ov::MiB}).run();
  const auto a = ov::named("home/turbulence").make_array(path);
  EXPECT_THROW(Job({.target = path, .memory = 8 * ov::MiB, .overwrite = true, .from = a}), ov::usage_error);
  EXPECT_THROW(Job({.source = path, .memory = 8 * ov::MiB, .to = a}), ov::usage_error);
}

TEST_F(JobArrays, J3_StoppedWithADeviceThatStandsStillItEnds) {
  auto a = own(0);
  const auto before = processes();
  const auto device = a.devices()[0].address();
  Job job({.memory = 4 * ov::MiB, .from = a, .to = a});
  bool stopped = false;
  EXPECT_THROW(job.run([&](const ov::fft::Progress&) {
    if (std::exchange(stopped, true)) return false;
    runtime->kill(device, SIGSTOP);
    return true;
  }),
               ov::cancelled);
  expect_processes(before);
  runtime->kill(device, SIGCONT);
  a.write(a.select({}), values);
  EXPECT_EQ(all(a), values);
}

TEST_F(JobArrays, PH2_J5_ItsTimelineIsWritten) {
  auto a = own(0);
  a.write(a.select({}), values);
  for (const auto& target : {std::string(), (folder / "out.npy").string()}) {
    const auto written = folder / ("timeline" + std::to_string(target.size()) + ".json");
    Job({.target = target, .memory = 8 * ov::MiB, .timeline = written.string(), .from = a, .to = target.empty() ? std::optional(a) : std::nullopt}).run();
    EXPECT_GT(fs::file_size(written), 0u);
  }
}

// Killed in the middle of a job: that says so, or the device came back soon enough for the result to be right; never a wrong result.
TEST_F(JobArrays, NA3_J3_ADeviceThatIsKilledIsSaid) {
  auto from = ov::named("home/turbulence").make_array(shape, page, ov::dtype::complex128, {{file(0)}, {file(1)}});
  auto to = ov::named("home/spectrum").make_array(shape, page, ov::dtype::complex128, {{file(2)}, {file(3)}});
  from.write(from.select({}), values);
  const auto wanted = expected();
  int killed = 0;
  for (int round = 0; round < 8; ++round) {
    int seen = 0;
    try {
      Job({.memory = 4 * ov::MiB, .from = from, .to = to}).run([&](const ov::fft::Progress&) {
        if (seen++ != round / 4) return true;
        ++killed;
        kill((round % 2 == 0 ? from : to).devices()[static_cast<std::size_t>(round / 2 % 2)]);
        return true;
      });
      expect_close(again([&] { return all(to); }), wanted);
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone) << e.what();
    }
    EXPECT_EQ(again([&] { return all(from); }), values) << "the source is as it was";
  }
  EXPECT_GE(killed, 4);
}

TEST_F(JobArrays, J5_StoppedItLeavesNoProcess) {
  auto a = own(0);
  const auto before = processes();
  Job job({.memory = 4 * ov::MiB, .from = a, .to = a});
  EXPECT_THROW(job.run([](const ov::fft::Progress&) { return false; }), ov::cancelled);
  expect_processes(before);
  a.write(a.select({}), values);
  EXPECT_EQ(all(a), values);
}

}  // namespace

}  // namespace process_tests
