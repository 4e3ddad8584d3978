// SPDX-License-Identifier: Apache-2.0
// Zarr arrays whose chunks are compressed: made, written by planes, read by a part, by each codec; the device encodes and decodes on all cores.
#include <filesystem>
#include <iostream>
#include <numeric>
#include <octavo/octavo.hpp>

namespace ov = octavo;

// Of its chunks on the disk.
std::int64_t stored_bytes(const std::filesystem::path& array) {
  std::int64_t bytes = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(array / "c"))
    if (each.is_regular_file()) bytes += static_cast<std::int64_t>(each.file_size());
  return bytes;
}

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.memory = 64 * ov::MiB});
  const auto folder = std::filesystem::temp_directory_path() / ("octavo-compressed-" + std::to_string(::getpid()));
  const ov::Shape shape{64, 100, 100}, chunk{16, 32, 32};
  std::vector<std::int32_t> plane(100 * 100);
  std::iota(plane.begin(), plane.end(), 0);
  for (const std::string codec : {"zstd", "gzip", "blosc"}) {
    const auto path = folder / (codec + ".zarr");
    std::filesystem::create_directories(folder);
    ov::Array array = ov::create_array(path.string(), shape, ov::dtype::int32, {.chunk = chunk, .stored = {.compressor = codec}});
    for (std::int64_t first = 0; first < shape[0]; first += chunk[0]) {  // whole chunks: nothing has to be read before
      std::vector<std::int32_t> slab;
      for (std::int64_t i = 0; i < chunk[0]; ++i) slab.insert(slab.end(), plane.begin(), plane.end());
      array.write(array.select({ov::Slice(first, first + chunk[0])}), slab);
    }
    array.flush();
    const ov::Array again = ov::open_array(path.string());
    const auto part = again.read<std::int32_t>(again.select({63, 99}));
    std::cout << codec << ": " << std::accumulate(part.begin(), part.end(), std::int64_t{0}) << ", "
              << (2 * stored_bytes(path) < shape.count() * 4 ? "less" : "more") << " than half the bytes\n";
  }
  std::filesystem::remove_all(folder);
}
