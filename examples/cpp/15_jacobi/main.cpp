// SPDX-License-Identifier: Apache-2.0
// The second program of POCCS: Jacobi iterations over a grid on disk, each process some rows; writeback, barrier, invalidate between two of them.
#include <filesystem>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

using Grid = ov::BufferedArray<std::int32_t, 2>;
const ov::BufferedOptions paper{.mode = "r+", .buffers = 64, .elements = 1 << 12};

class Rows {
 public:
  void iterate(const ov::Array& first, const ov::Array& second, int iterations) {
    auto me = ov::self<Rows>();
    Grid u(first, paper), w(second, paper);
    const auto n = u.shape()[0], size = static_cast<std::int64_t>(me.size()), index = static_cast<std::int64_t>(me.index());
    const std::int64_t lo = std::max<std::int64_t>(1, n * index / size), hi = std::min(n - 1, n * (index + 1) / size);
    for (int k = 0; k < iterations; k++) {
      for (std::int64_t i = lo; i < hi; i++)
        for (std::int64_t j = 1; j < n - 1; j++) w[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
      w.sync(me);
      std::swap(u, w);
    }
  }
};
OCTAVO_REMOTE(Rows, iterate)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine0", "machine1"})});
  const auto folder = std::filesystem::temp_directory_path() / ("octavo-jacobi-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::int64_t n = 256;
  auto grid = [&](const std::string& name) {  // every other page on each machine; the upper edge is hot
    std::vector<ov::remote_ptr<ov::PageFile>> disks;
    for (const std::string machine : {"machine0", "machine1"})
      disks.push_back(runtime.machine(machine).make<ov::PageFile>((folder / (name + machine)).string(), 8, ov::Shape{64, 64}, ov::dtype::int32));
    ov::Array made({n, n}, {64, 64}, ov::dtype::int32, disks);
    Grid edge(made, paper);
    for (std::int64_t i = 0; i < n; i++)
      for (std::int64_t j = 0; j < n; j++) edge[i][j] = i == 0 ? 1'000'000 : 0;
    return made;
  };
  for (int processes : {1, 2, 4}) {
    const std::string name = std::to_string(processes);
    const ov::Array u = grid("u" + name), w = grid("w" + name);
    std::vector<ov::remote_ptr<Rows>> rows;
    for (int i = 0; i < processes; i++) rows.push_back(runtime.machine("machine" + std::to_string(i % 2)).make<Rows>());
    ov::group<Rows>(rows)->iterate(u, w, 20);
    const Grid last(u);
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; i++)
      for (std::int64_t j = 0; j < n; j++) sum += last[i][j];
    std::cout << "by " << processes << ": " << last[1][128] << " below the edge, " << sum << " in all\n";
  }
  std::filesystem::remove_all(folder);
}
