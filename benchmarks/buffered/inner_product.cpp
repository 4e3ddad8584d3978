// SPDX-License-Identifier: Apache-2.0
#include "buffered/inner_product.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <numeric>
#include <octavo/octavo.hpp>
#include <stdexcept>
#include <thread>

#include "kit/clock.hpp"

namespace bench {

namespace {

namespace ov = octavo;
using Vector = ov::BufferedArray<std::int32_t, 1>;
constexpr std::int64_t piece = 8 * ov::MiB;  // of the bare read

class File {
 public:
  File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC)) {
    if (descriptor_ < 0) throw std::runtime_error("opening " + path);
  }
  ~File() { ::close(descriptor_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

void read_all(const std::string& path, std::int64_t bytes) {
  const File file(path, O_RDONLY | O_DIRECT);
  const std::unique_ptr<void, decltype(&std::free)> memory(std::aligned_alloc(2 * ov::MiB, piece), &std::free);
  ::madvise(memory.get(), piece, MADV_HUGEPAGE);
  for (std::int64_t at = 0; at < bytes; at += piece)
    if (::pread(file.get(), memory.get(), piece, at) < 0) throw std::runtime_error("reading " + path);
}

class Mapped {
 public:
  Mapped(const std::string& path, std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    const File file(path, O_RDONLY);
    memory_ = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, file.get(), 0);
    if (memory_ == MAP_FAILED) throw std::runtime_error("mapping " + path);
  }
  ~Mapped() { ::munmap(memory_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] const std::int32_t* begin() const { return static_cast<const std::int32_t*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

void check(std::int64_t sum, std::int64_t bytes) {
  if (sum != bytes / 4 * 6) throw std::runtime_error("the inner product is wrong: " + std::to_string(sum));
}

}  // namespace

InnerProduct::InnerProduct(std::int64_t bytes, std::int64_t memory)
    : bytes_(bytes), memory_(memory), folder_(std::filesystem::current_path() / ("octavo-bench-" + std::to_string(::getpid()))) {
  std::filesystem::create_directory(folder_);
  for (const auto& [name, value] : {std::pair{"x.raw", 2}, std::pair{"y.raw", 3}}) {
    Vector vector(at(name), {bytes / 4}, {.mode = "w", .memory = memory});
    vector.overwrite_blocks(ov::Box::whole(vector.shape()), [value = value](const ov::Block<std::int32_t, 1>& block) {
      for (const auto row : block.rows()) std::ranges::fill(row, value);
    });
    vector.flush();
  }
}
InnerProduct::~InnerProduct() { std::filesystem::remove_all(folder_); }

void InnerProduct::cool() const {
  for (const char* name : {"x.raw", "y.raw"}) {
    const File file(at(name), O_RDONLY);
    ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  }
}

double InnerProduct::by_elements() const {
  cool();
  const auto begin = Clock::now();
  const Vector x(at("x.raw"), {bytes_ / 4}, {.memory = memory_ / 2}), y(at("y.raw"), {bytes_ / 4}, {.memory = memory_ / 2});
  std::int64_t sum = 0;
  for (std::int64_t i = 0, n = bytes_ / 4; i < n; ++i) sum += std::int64_t{x[i]} * y[i];
  check(sum, bytes_);
  return rate(seconds_since(begin));
}

double InnerProduct::by_blocks() const {
  cool();
  const auto begin = Clock::now();
  const Vector x(at("x.raw"), {bytes_ / 4}, {.memory = memory_ / 2}), y(at("y.raw"), {bytes_ / 4}, {.memory = memory_ / 2});
  std::int64_t sum = 0;
  x.for_each_block([&](const ov::Block<const std::int32_t, 1>& of_x) {
    y.for_each_block(of_x.box(), [&](const ov::Block<const std::int32_t, 1>& of_y) {
      const auto from = of_x.row({0}), by = of_y.row({0});
      sum = std::transform_reduce(from.begin(), from.end(), by.begin(), sum, std::plus<>(), [](std::int64_t a, std::int64_t b) { return a * b; });
    });
  });
  check(sum, bytes_);
  return rate(seconds_since(begin));
}

double InnerProduct::disk() const {
  cool();
  const auto begin = Clock::now();
  std::jthread other([this] { read_all(at("y.raw"), bytes_); });
  read_all(at("x.raw"), bytes_);
  other.join();
  return rate(seconds_since(begin));
}

double InnerProduct::mapped() const {
  cool();
  const auto begin = Clock::now();
  const Mapped x(at("x.raw"), bytes_), y(at("y.raw"), bytes_);
  const std::int32_t *from = x.begin(), *by = y.begin();
  std::int64_t sum = 0;
  for (std::int64_t i = 0, n = bytes_ / 4; i < n; ++i) sum += std::int64_t{from[i]} * by[i];
  check(sum, bytes_);
  return rate(seconds_since(begin));
}

}  // namespace bench
