// SPDX-License-Identifier: Apache-2.0
// Sections 3.3 and 4.1 of the paper: an Array over persistent devices outlives the program that made it. Others open it by its symbolic address and transform
// it where it is, also after its devices were killed.
#include <algorithm>
#include <cmath>
#include <complex>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <octavo/data/named_array.hpp>
#include <octavo/octavo.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ov = octavo;
using Complex = std::complex<double>;

constexpr int N = 16;

// A plane wave: its transform is N^3 at (3, 5, 7) and 0 everywhere else.
std::vector<Complex> wave() {
  std::vector<Complex> values;
  for (int i = 0; i < N * N * N; ++i) values.push_back(std::polar(1.0, 2 * M_PI * (3 * (i / N / N) + 5 * (i / N % N) + 7 * (i % N)) / N));
  return values;
}

std::vector<Complex> all(const ov::Array& a) {
  for (;;) try {
      return a.read<Complex>(a.select({}));
    } catch (const ov::process_died&) {}  // the call that was on its way; the next activates the device
}

void make(const std::string& name, const std::filesystem::path& disk) {
  auto file = [&](const char* number) { return ov::PageFilePlace{(disk / (name + number)).string()}; };
  (void)ov::named("data/" + name).make_array({N, N, N}, {4, 4, 4}, ov::dtype::complex128, {file("0"), file("1"), file("2")});
}

int main(int argc, char** argv) {
  const auto disk = std::filesystem::temp_directory_path() / "octavo_example_disks";
  {
    ov::Runtime runtime(argc, argv);
    for (const char* name : {"turbulence", "spectrum"}) make(name, disk);
    auto turbulence = ov::open_array("ov://data/turbulence");
    turbulence.write(turbulence.select({}), wave());
    turbulence.flush();
  }  // the first program ends here; the arrays do not
  ov::Runtime runtime(argc, argv);
  auto turbulence = ov::open_array("ov://data/turbulence");
  std::cout << "a second program reads what was written: " << (all(turbulence) == wave()) << "\n";
  for (const auto& each : ov::names("data/turbulence/device")) ::kill(int(each.pid), SIGKILL);
  std::cout << "the devices were killed, and are activated: " << (all(turbulence) == wave()) << "\n";
  ov::fft::Job({.source = "ov://data/turbulence", .target = "ov://data/spectrum", .memory = 16 * ov::MiB}).run();
  auto values = all(ov::open_array("ov://data/spectrum"));
  std::cout << "at (3, 5, 7): " << std::lround(std::exchange(values[(3 * N + 5) * N + 7], 0).real()) << " of " << N * N * N << "\n";
  std::cout << "elsewhere less than 1e-9: " << std::all_of(values.begin(), values.end(), [](Complex each) { return std::abs(each) < 1e-9; }) << "\n";
  for (const char* name : {"data/turbulence", "data/spectrum"}) ov::destroy_array(name);
  std::cout << "names left: " << ov::names("data").size() << "\n";
  std::filesystem::remove_all(disk);
}
