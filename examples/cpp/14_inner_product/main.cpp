// SPDX-License-Identifier: Apache-2.0
// The first program of POCCS: the inner product of two vectors on disk, each process its part, by [] and eight buffers.
#include <filesystem>
#include <functional>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

using Vector = ov::BufferedArray<std::int32_t, 1>;
const ov::BufferedOptions paper{.mode = "r+", .buffers = 8, .elements = 1 << 12};

class Part {
 public:
  std::int64_t inner_product(const ov::Array& first, const ov::Array& second) {
    auto me = ov::self<Part>();
    Vector x(first, paper), y(second, paper);
    const auto n = x.shape()[0], size = static_cast<std::int64_t>(me.size()), index = static_cast<std::int64_t>(me.index());
    for (std::int64_t i = n * index / size; i < n * (index + 1) / size; i++) {
      x[i] = static_cast<std::int32_t>(i % 1000);
      y[i] = 2;
    }
    x.sync(me);  // each sees what all have written
    y.sync(me);
    std::int64_t sum = 0;
    for (std::int64_t i = n * (size - 1 - index) / size; i < n * (size - index) / size; i++) sum += std::int64_t{x[i]} * y[i];  // of another's part
    return me.all_reduce(sum, std::plus<>());
  }
};
OCTAVO_REMOTE(Part, inner_product)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine0", "machine1"})});
  const auto folder = std::filesystem::temp_directory_path() / ("octavo-inner-product-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const std::int64_t n = 1 << 18, page = 1 << 13;
  auto vector = [&](const std::string& name) {  // half of it on each machine
    std::vector<ov::remote_ptr<ov::PageFile>> disks;
    for (const std::string machine : {"machine0", "machine1"})
      disks.push_back(runtime.machine(machine).make<ov::PageFile>((folder / (name + machine)).string(), n / page / 2, ov::Shape{page}, ov::dtype::int32));
    return ov::Array({n}, {page}, ov::dtype::int32, disks);
  };
  const ov::Array x = vector("x"), y = vector("y");
  for (int processes : {1, 2, 4}) {
    std::vector<ov::remote_ptr<Part>> parts;
    for (int i = 0; i < processes; i++) parts.push_back(runtime.machine("machine" + std::to_string(i % 2)).make<Part>());
    ov::group<Part> group(parts);
    std::cout << "by " << processes << ": " << group->inner_product(x, y)[0] << "\n";
  }
  std::filesystem::remove_all(folder);
}
