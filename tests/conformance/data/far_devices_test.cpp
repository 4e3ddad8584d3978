// SPDX-License-Identifier: Apache-2.0
// Arrays with names whose devices are on two machines (NA-5): computed with by processes beside the devices, under lasting agents that have no link.
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <complex>
#include <filesystem>
#include <random>

#include "conformance/process/named/named_scene.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/fft/job.hpp"

namespace process_tests {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<double>;
using Values = std::vector<Complex>;
using ov::fft::Job;

class FarDevices : public NamedObjects {
 protected:
  FarDevices() {
    fs::create_directories(folder);
    begin_with_box();
  }
  ~FarDevices() override {
    end_box();
    fs::remove_all(folder);
  }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder / name).string(); }
  [[nodiscard]] ov::Array make(const std::string& name, const ov::Shape& shape, const ov::Shape& page) const {
    return ov::named(name).make_array(shape, page, ov::dtype::complex128, {{file(name + "0")}, {file(name + "1"), "box"}});
  }
  static Values random_values(std::int64_t n) {
    std::mt19937 random{5};
    Values values(static_cast<std::size_t>(n));
    for (auto& each : values) each = {static_cast<double>(random() % 100), static_cast<double>(random() % 100)};
    return values;
  }
  // By its definition, in two dimensions.
  static Values transformed(const Values& values, std::int64_t rows, std::int64_t columns) {
    auto root = [](std::int64_t k, std::int64_t n) { return std::polar(1.0, -2 * M_PI * static_cast<double>(k % n) / static_cast<double>(n)); };
    Values result;
    for (std::int64_t k = 0; k < rows; ++k)
      for (std::int64_t l = 0; l < columns; ++l) {
        Complex sum = 0;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) sum += values[static_cast<std::size_t>(i * columns + j)] * root(i * k, rows) * root(j * l, columns);
        result.push_back(sum);
      }
    return result;
  }
  static Values all(const ov::Array& a) { return a.read<Complex>(a.select({})); }
  static void expect_close(const Values& found, const Values& wanted) {
    ASSERT_EQ(found.size(), wanted.size());
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i) most = std::max(most, std::abs(found[i] - wanted[i]));
    EXPECT_LT(most, 1e-8);
  }
  // Of the lasting agent that has this device.
  [[nodiscard]] ov::ProcessFacts agent_of(const ov::remote_ptr<ov::PageDevice>& device) const {
    for (const auto& each : runtime->processes())
      if (each.address.object == 0 && each.address.agent == device.address().agent) return each;
    throw std::runtime_error("no lasting agent has the device");
  }
  [[nodiscard]] std::vector<int> pids_under(const ov::remote_ptr<ov::PageDevice>& device) const {
    std::vector<int> pids;
    for (const auto& each : runtime->processes())
      if (each.address.agent == device.address().agent) pids.push_back(static_cast<int>(each.pid));
    return pids;
  }

  fs::path folder = fs::temp_directory_path() / ("octavo-far-devices-" + std::to_string(::getpid()));
};

TEST_F(FarDevices, NA5_TransformedInPlaceAndFromOneToAnother) {
  auto a = make("a", {20, 14}, {4, 4}), b = make("b", {20, 14}, {4, 4});
  const auto values = random_values(20 * 14), wanted = transformed(values, 20, 14);
  a.write(a.select({}), values);
  const auto before = runtime->processes().size();
  Job({.memory = 4 * ov::MiB, .cores = 2, .from = a, .to = b}).run();
  expect_close(all(b), wanted);
  EXPECT_EQ(all(a), values);
  Job({.memory = 4 * ov::MiB, .cores = 2, .from = a, .to = a}).run();
  expect_close(all(a), wanted);
  until([&] { return runtime->processes().size() == before; });  // nothing is left of the jobs
}

TEST_F(FarDevices, NA5_CopiedToAPathAndBack) {
  auto a = make("a", {20, 14}, {4, 4});
  const auto values = random_values(20 * 14);
  a.write(a.select({}), values);
  const auto path = file("copy.npy");
  Job({.target = path, .copy = true, .memory = 8 * ov::MiB, .cores = 2, .from = a}).run();
  EXPECT_EQ(all(ov::open_array(path)), values);
  auto b = make("b", {20, 14}, {4, 4});
  Job({.source = path, .copy = true, .memory = 8 * ov::MiB, .cores = 2, .to = b}).run();
  EXPECT_EQ(all(b), values);
}

TEST_F(FarDevices, NA5_ByItsNameInAnotherProgram) {
  const auto values = random_values(20 * 14);
  {
    auto a = make("a", {20, 14}, {4, 4});
    a.write(a.select({}), values);
  }
  begin_with_box();
  Job({.source = "ov://a", .target = "ov://a", .memory = 4 * ov::MiB, .cores = 2}).run();
  expect_close(all(ov::open_array("ov://a")), transformed(values, 20, 14));
}

// One that uses the array led to the other machine before, and ends: the transform depends on the program that runs it only.
TEST_F(FarDevices, NA5_WhileAnotherProgramThatUsesItEnds) {
  auto a = make("a", {20, 14}, {4, 4});
  const auto values = random_values(20 * 14);
  a.write(a.select({}), values);
  const pid_t other = ::fork();
  if (other == 0) {
    {
      ov::Runtime own({.engine = ov::played({"box"}, box_folder.string()), .home = home.string()});
      Job({.source = "ov://a", .target = "ov://a", .memory = 4 * ov::MiB, .cores = 2}).run();
    }
    std::_Exit(0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0);
  expect_close(all(a), transformed(values, 20, 14));
  Job({.inverse = true, .memory = 4 * ov::MiB, .cores = 2, .from = a, .to = a}).run();
  expect_close(all(a), values);
}

TEST_F(FarDevices, NA5_TheOtherLastingAgentIsKilledMeanwhile) {
  auto a = make("a", {64, 64, 64}, {16, 16, 16}), b = make("b", {64, 64, 64}, {16, 16, 16});
  const auto values = random_values(64 * 64 * 64);
  a.write(a.select({}), values);
  const auto here = pids_under(a.devices()[0]);
  auto there = pids_under(a.devices()[1]);
  bool killed = false;
  Job job({.memory = 4 * ov::MiB, .cores = 2, .from = a, .to = b});
  try {
    job.run([&](const ov::fft::Progress&) {
      if (!std::exchange(killed, true)) {
        there = pids_under(a.devices()[1]);
        ::kill(static_cast<pid_t>(agent_of(a.devices()[1]).pid), SIGKILL);
      }
      return true;
    });
    ADD_FAILURE() << "it did without the other machine";
  } catch (const ov::error& e) {
    EXPECT_EQ(e.kind(), ov::error_kind::gone);
    EXPECT_THAT(e.what(), HasSubstr("box"));
  }
  EXPECT_TRUE(killed);
  for (int pid : there) until([&] { return !alive(pid); });
  until([&] { return pids_under(a.devices()[0]).size() == here.size(); });  // the transform processes are gone
  // The devices are there again at the next call, and the job can be run again.
  Job({.memory = 4 * ov::MiB, .cores = 2, .from = a, .to = b}).run();
  Job({.inverse = true, .memory = 4 * ov::MiB, .cores = 2, .from = b, .to = b}).run();
  expect_close(all(b), values);
}

}  // namespace
}  // namespace process_tests
