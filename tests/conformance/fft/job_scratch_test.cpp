// SPDX-License-Identifier: Apache-2.0
// Jobs into arrays of processes whose plan has a scratch file (J-5 of octavo/fft/job.hpp). Random ones, from Python: tests/python/named/test_scratch_jobs.py.
#include <gmock/gmock.h>

#include <complex>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "conformance/data/named_files.hpp"
#include "kit/watchdog.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/fft/job.hpp"

namespace process_tests {

// A device that says of no file where its pages are.
class DeviceWithoutFile : public ov::PageFile {
 public:
  using PageFile::PageFile;
  ov::DeviceFacts facts() override {
    auto known = PageFile::facts();
    known.path.clear();
    return known;
  }
};
OCTAVO_REMOTE(DeviceWithoutFile, (ov::PageFile), facts)

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Values = std::vector<Complex>;
using ov::fft::Job;

class JobScratch : public NamedFiles {
 protected:
  JobScratch() {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = {static_cast<double>(i * 7919 % 101), static_cast<double>(i % 13)};
  }
  template <class Device>
  [[nodiscard]] ov::Array own(int number, const ov::Shape& page, const ov::Place& at = ov::process) const {
    return {
        shape, page, ov::dtype::complex128,
        std::vector{at.make<Device>(file(number), ov::grid_of(shape, page).count(), page, ov::dtype::complex128, ov::DeviceOptions{.staging_bytes = ov::MiB})}};
  }
  static Job planned(const ov::Array& from, const ov::Array& to, const std::string& scratch = {}, bool inverse = false) {
    Job job({.inverse = inverse, .memory = 6 * ov::MiB, .cores = 2, .scratch = scratch, .from = from, .to = to});
    EXPECT_TRUE(job.plan().uses_scratch);
    return job;
  }
  // Runs it; in which directories its scratch file was seen.
  std::set<std::string> run(Job job) const {
    std::set<std::string> seen;

    job.run([&](const ov::fft::Progress&) {
      for (const auto& each : runtime->processes())
        if (each.class_name == "octavo::fft::ScratchFile")
          for (const auto& link : fs::directory_iterator("/proc/" + std::to_string(each.pid) + "/fd")) {
            std::error_code ended;
            if (const auto to = fs::read_symlink(link, ended); to.filename().string().starts_with("octavo-scratch.")) seen.insert(to.parent_path());
          }
      return true;
    });
    return seen;
  }
  static void expect_close(const ov::Array& found, const Values& wanted) {
    const auto got = found.read<Complex>(found.select({}));
    double most = 0;
    for (std::size_t i = 0; i < got.size(); ++i) most = std::max(most, std::abs(got[i] - wanted[i]));
    EXPECT_LT(most, 1e-6);
  }

  ov::kit::Watchdog watchdog{60};
  const ov::Shape shape{64, 64, 96}, a_page{16, 16, 32}, b_page{64, 8, 8};
  Values values = Values(64 * 64 * 96);
};

// There and back, so that no reference is needed; one coefficient by its definition.
TEST_F(JobScratch, J5_BesideAFileOfTheTarget) {
  auto a = own<ov::PageFile>(0, a_page), b = own<ov::PageFile>(1, b_page), back = own<ov::PageFile>(2, a_page);
  a.write(a.select({}), values);
  EXPECT_THAT(run(planned(a, b)), testing::ElementsAre(folder.string()));
  Complex sum = 0;
  for (const auto& each : values) sum += each;
  EXPECT_LT(std::abs(b.read<Complex>(b.select({0, 0, 0}))[0] - sum), 1e-6);
  Job({.inverse = true, .memory = 64 * ov::MiB, .from = b, .to = back}).run();
  expect_close(back, values);
  for (const auto& each : fs::directory_iterator(folder)) EXPECT_THAT(each.path().filename().string(), testing::StartsWith("pages"));
}

TEST_F(JobScratch, J5_WhereTheUserSays) {
  auto a = own<ov::PageFile>(0, a_page), b = own<ov::PageFile>(1, b_page);
  a.write(a.select({}), values);
  fs::create_directories(folder / "fast");
  EXPECT_THAT(run(planned(a, b, (folder / "fast").string())), testing::ElementsAre((folder / "fast").string()));
  EXPECT_THROW(planned(a, b, (folder / "nowhere").string()), ov::io_error);
  EXPECT_TRUE(fs::is_empty(folder / "fast"));
}

TEST_F(JobScratch, J5_InTheDirectoryOfTemporaryFilesWhereTheDevicesHaveNone) {
  fs::create_directories(folder / "temporary");
  ::setenv("TMPDIR", (folder / "temporary").c_str(), 1);
  auto a = own<DeviceWithoutFile>(0, a_page), b = own<DeviceWithoutFile>(1, b_page);
  a.write(a.select({}), values);
  EXPECT_THAT(run(planned(a, b)), testing::ElementsAre((folder / "temporary").string()));
  ::setenv("TMPDIR", "/nowhere", 1);
  try {
    (void)planned(a, b);
    ADD_FAILURE() << "it was not refused";
  } catch (const ov::io_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("TMPDIR"));
  }
  ::unsetenv("TMPDIR");
}

// The scratch file lies where the target's first device is.
TEST_F(JobScratch, J5_OnAnotherMachine) {
  begin_with_box();
  auto a = own<ov::PageFile>(0, a_page), b = own<ov::PageFile>(1, b_page, runtime->machine("box")), back = own<ov::PageFile>(2, a_page);
  a.write(a.select({}), values);
  (void)run(planned(a, b));
  Job({.inverse = true, .memory = 64 * ov::MiB, .from = b, .to = back}).run();
  expect_close(back, values);
  end_box();
}

TEST_F(JobScratch, J3_StoppedItLeavesNoProcess) {
  auto a = own<ov::PageFile>(0, a_page), b = own<ov::PageFile>(1, b_page);
  a.write(a.select({}), values);
  EXPECT_THROW(planned(a, b).run([](const ov::fft::Progress&) { return false; }), ov::cancelled);
  while (runtime->processes().size() != 3) std::this_thread::yield();  // the watchdog bounds it
}

}  // namespace

}  // namespace process_tests
