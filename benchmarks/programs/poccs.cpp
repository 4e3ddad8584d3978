// SPDX-License-Identifier: Apache-2.0
// The two programs of POCCS over arrays of int32, by buffers, by mmap(2), or in anonymous memory: the same loops over each. What benchmarks/poccs.py runs.
//
//   poccs inner|jacobi buffered|mapped|memory BYTES MEMORY FOLDER      # BYTES: of both arrays; MEMORY: of the buffers of both; prints its seconds
//
// The files x.raw and y.raw must be in FOLDER, but for `memory`, which takes no files.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <octavo/octavo.hpp>
#include <stdexcept>

namespace {

namespace ov = octavo;
using Clock = std::chrono::steady_clock;

// A mapping as a vector, or as rows.
class Mapped {
 public:
  Mapped(const std::string& file, std::int64_t bytes, std::int64_t row) : bytes_(static_cast<std::size_t>(bytes)), row_(row) {
    const int descriptor = file.empty() ? -1 : ::open(file.c_str(), O_RDWR | O_CLOEXEC);
    if (!file.empty() && descriptor < 0) throw std::runtime_error("opening " + file);
    void* got = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, file.empty() ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, descriptor, 0);
    if (descriptor >= 0) ::close(descriptor);
    if (got == MAP_FAILED) throw std::runtime_error("mapping " + file);
    data_ = static_cast<std::int32_t*>(got);
  }
  ~Mapped() { ::munmap(data_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] std::int32_t* operator[](std::int64_t i) const { return data_ + i * row_; }
  [[nodiscard]] std::int32_t& element(std::int64_t i) const { return data_[i]; }
  void finish() const { ::msync(data_, bytes_, MS_SYNC); }

 private:
  std::size_t bytes_;
  std::int64_t row_;
  std::int32_t* data_ = nullptr;
};

template <int N>
class Buffered : public ov::BufferedArray<std::int32_t, N> {
 public:
  using ov::BufferedArray<std::int32_t, N>::BufferedArray;
  auto element(std::int64_t i) { return (*this)[i]; }
  void finish() { this->flush(); }
};

template <class Array>
void inner_product(Array& x, Array& y, std::int64_t n) {
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::int64_t{x.element(i)} * y.element(i);
  std::fprintf(stderr, "inner product %lld\n", static_cast<long long>(sum));
}

template <class Array>
void jacobi(Array& u, Array& w, std::int64_t n) {
  for (std::int64_t i = 1; i < n - 1; ++i)
    for (std::int64_t j = 1; j < n - 1; ++j) w[i][j] = (u[i - 1][j] + u[i + 1][j] + u[i][j - 1] + u[i][j + 1]) / 4;
  w.finish();
}

struct Wanted {
  std::string program, kind, folder;
  std::int64_t bytes, memory;
  [[nodiscard]] std::int64_t each() const { return bytes / 2; }
  [[nodiscard]] std::int64_t elements() const { return each() / 4; }
  [[nodiscard]] std::int64_t rows() const { return static_cast<std::int64_t>(std::sqrt(static_cast<double>(elements()))); }
};

void buffered(const Wanted& wanted) {
  const ov::BufferedOptions options{.mode = "r+", .memory = wanted.memory / 2};
  if (wanted.program == "inner") {
    Buffered<1> x(wanted.folder + "/x.raw", {wanted.elements()}, options), y(wanted.folder + "/y.raw", {wanted.elements()}, options);
    return inner_product(x, y, wanted.elements());
  }
  const std::int64_t n = wanted.rows();
  Buffered<2> u(wanted.folder + "/x.raw", {n, n}, options), w(wanted.folder + "/y.raw", {n, n}, options);
  jacobi(u, w, n);
}

// In anonymous memory the elements are made first: they take their room by that.
void mapped(const Wanted& wanted) {
  const bool files = wanted.kind == "mapped";
  const Mapped x(files ? wanted.folder + "/x.raw" : "", wanted.each(), wanted.rows()), y(files ? wanted.folder + "/y.raw" : "", wanted.each(), wanted.rows());
  for (std::int64_t i = 0; !files && i < wanted.elements(); ++i) x.element(i) = y.element(i) = 1;
  wanted.program == "inner" ? inner_product(x, y, wanted.elements()) : jacobi(x, y, wanted.rows());
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 6) throw std::invalid_argument("the arguments are: inner|jacobi buffered|mapped|memory BYTES MEMORY FOLDER");
    const Wanted wanted{argv[1], argv[2], argv[5], octavo::parse_bytes(argv[3]), octavo::parse_bytes(argv[4])};
    const auto begin = Clock::now();
    wanted.kind == "buffered" ? buffered(wanted) : mapped(wanted);
    std::printf("%.6f\n", std::chrono::duration<double>(Clock::now() - begin).count());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "poccs: %s\n", error.what());
    return 1;
  }
}
