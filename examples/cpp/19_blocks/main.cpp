// SPDX-License-Identifier: Apache-2.0
// Heat in a plate whose array is larger than the memory that is given: each step is a function over blocks and the neighbours of each, on several threads,
// from one compressed array into the next; and the difference of the first and the last is one over the blocks of two arrays.
#include <cmath>
#include <filesystem>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

void spread(const ov::HaloBlock<float, 2>& u, ov::OutBlock<float, 2>& out) {
  for (std::int64_t i = 0; i < out.shape()[0]; ++i)
    for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = 0.5f * u(i, j) + 0.125f * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1));
}

double sum(const std::string& path) {
  const ov::Array array = ov::open_array(path);
  double all = 0;
  for (const float each : array.read<float>(array.select({}))) all += static_cast<double>(each);
  return all;
}

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.memory = 16 * ov::MiB});
  const auto folder = std::filesystem::temp_directory_path() / ("octavo-blocks-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto step = [&](int number) { return (folder / ("u" + std::to_string(number) + ".zarr")).string(); };
  const ov::NewArrayOptions compressed{.chunk = {64, 64}, .stored = {.compressor = "zstd"}};

  const ov::Array first = ov::create_array(step(0), {300, 200}, ov::dtype::float32, compressed);
  first.write(first.select({ov::Slice(100, 200), ov::Slice(50, 150)}), std::vector<float>(100 * 100, 64.0f));  // a hot square
  first.flush();
  for (int number = 0; number < 3; ++number)
    ov::blocks(step(number)).halo(1, ov::boundary::nearest).workers(2).memory(4 * ov::MiB).map(spread).into(step(number + 1), compressed);
  std::cout << "heat: " << sum(step(0)) << ", after 3 steps " << sum(step(3)) << "\n";

  const auto changed = [](const ov::HaloBlock<float>& a, const ov::HaloBlock<float>& b, ov::OutBlock<float>& out) {
    for (std::int64_t i = 0; i < out.shape()[0]; ++i)
      for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = std::abs(a(i, j) - b(i, j));
  };
  ov::blocks(step(0), step(3)).map(changed).into((folder / "changed.npy").string());
  std::cout << "changed: " << sum((folder / "changed.npy").string()) << "\n";
  std::filesystem::remove_all(folder);
}
