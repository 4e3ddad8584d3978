// SPDX-License-Identifier: Apache-2.0
// FFTW 3 behind the kernel seam: plans along contiguous rows, measured unless they are to be quick.
#include <fftw3.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "fft/kernel/check.hpp"
#include "fft/kernel/fftw_module.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace {

constexpr double planning_seconds = 1.0;

// FFTW's planner is one for the whole process and not safe for threads, so its lock is one for the process too.
std::mutex& planner_lock() {
  static std::mutex lock;
  return lock;
}

// The two precisions of FFTW are two libraries with the same calls under other names.
template <class Real>
struct Fftw;
template <>
struct Fftw<double> {
  using Plan = fftw_plan;
  using Complex = fftw_complex;
  static constexpr auto many = fftw_plan_many_dft;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
  static constexpr auto limit = fftw_set_timelimit;
};
template <>
struct Fftw<float> {
  using Plan = fftwf_plan;
  using Complex = fftwf_complex;
  static constexpr auto many = fftwf_plan_many_dft;
  static constexpr auto execute = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
  static constexpr auto limit = fftwf_set_timelimit;
};

template <class Real>
class FftwRows final : public RowPlan {
  using F = Fftw<Real>;

 public:
  FftwRows(std::int64_t n, std::int64_t rows, std::int64_t row_stride, bool inverse, effort how)
      : rows_(rows), row_stride_(row_stride), flags_(how == effort::quick ? FFTW_ESTIMATE : FFTW_MEASURE) {
    // Measuring overwrites what it measures with, so that is a scratch of our own (K-4), gone when we return (K-5).
    auto bytes = static_cast<std::size_t>(rows * row_stride) * 2 * sizeof(Real);
    struct Freed {
      void operator()(void* p) const { ::operator delete (p, std::align_val_t{64}); }
    };
    std::unique_ptr<void, Freed> scratch(::operator new (bytes, std::align_val_t{64}));
    auto* data = static_cast<typename F::Complex*>(scratch.get());
    std::fill_n(static_cast<Real*>(scratch.get()), rows * row_stride * 2, Real(0));
    std::lock_guard guard(planner_lock());
    F::limit(planning_seconds);
    all_ = make(data, n, rows, inverse);
    one_ = rows == 1 ? nullptr : make(data, n, 1, inverse);
    F::limit(FFTW_NO_TIMELIMIT);  // the program around us may plan too
  }
  ~FftwRows() override {
    std::lock_guard guard(planner_lock());
    F::destroy(all_);
    if (one_) F::destroy(one_);
  }
  FftwRows(const FftwRows&) = delete;
  FftwRows& operator=(const FftwRows&) = delete;

  void run(void* data, std::int64_t rows_now) override {
    auto* rows = static_cast<typename F::Complex*>(data);
    if (rows_now == rows_) return F::execute(all_, rows, rows);
    for (std::int64_t i = 0; i < rows_now; ++i) F::execute(one_, rows + i * row_stride_, rows + i * row_stride_);
  }

 private:
  typename F::Plan make(typename F::Complex* data, std::int64_t n, std::int64_t rows, bool inverse) {
    int length = static_cast<int>(n), distance = static_cast<int>(row_stride_);
    auto plan =
        F::many(1, &length, static_cast<int>(rows), data, nullptr, 1, distance, data, nullptr, 1, distance, inverse ? FFTW_BACKWARD : FFTW_FORWARD, flags_);
    if (plan) return plan;
    if (all_) F::destroy(all_);
    throw not_supported("FFTW has no plan for a transform of " + std::to_string(n) + " points");
  }

  std::int64_t rows_, row_stride_;
  unsigned flags_;
  typename F::Plan all_ = nullptr, one_ = nullptr;
};

class FftwKernel final : public Kernel {
 public:
  std::unique_ptr<RowPlan> plan(dtype type, std::int64_t n, std::int64_t rows, std::int64_t row_stride, bool inverse, effort how) const override {
    check_plan_arguments(type, n, rows, row_stride);
    if (row_stride > INT32_MAX) throw not_supported("FFTW transforms rows of at most 2^31 points, not " + std::to_string(n));
    if (type == dtype::complex64) return std::make_unique<FftwRows<float>>(n, rows, row_stride, inverse, how);
    return std::make_unique<FftwRows<double>>(n, rows, row_stride, inverse, how);
  }
  std::int64_t plan_bytes(dtype type, std::int64_t n) const override;
  std::string_view name() const noexcept override { return "FFTW"; }
};

// Has n a prime factor that FFTW has no codelet or generic step for, so that it goes by Rader or Bluestein?
bool has_large_factor(std::int64_t n) {
  for (std::int64_t p : {2, 3, 5, 7, 11, 13})
    while (n % p == 0) n /= p;
  return n > 1;
}

// Measured for n up to 2^20: a smooth n holds up to 3 rows (twiddles, a buffered row), Rader and Bluestein up to 11 (they pad to more than
// twice n, several times).
std::int64_t FftwKernel::plan_bytes(dtype type, std::int64_t n) const {
  std::int64_t row = n * size_of(type);
  return 64 * KiB + (has_large_factor(n) ? 16 * row : 4 * row);
}

}  // namespace

}  // namespace octavo::fft

const octavo::fft::FftwModule octavo_fftw_module{[]() -> const octavo::fft::Kernel& {
  static const octavo::fft::FftwKernel kernel;
  return kernel;
}};
