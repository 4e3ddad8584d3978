// SPDX-License-Identifier: Apache-2.0
// KissFFT behind the kernel seam, for builds that may not link the GPL. Its radix loops are quadratic in a prime factor, so lengths with a
// large one go by Bluestein's convolution on top of it.
#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <kissfft.hh>
#include <memory>
#include <vector>

#include "fft/kernel/check.hpp"
#include "fft/kernel/choose.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo::fft {

namespace {

constexpr std::int64_t largest_radix = 31;

bool is_smooth(std::int64_t n) {
  for (std::int64_t p = 2; p <= largest_radix; ++p)
    while (n % p == 0) n /= p;
  return n == 1;
}

template <class Real>
class RadixRow {
  using Complex = std::complex<Real>;

 public:
  RadixRow(std::int64_t n, bool inverse) : fft_(static_cast<std::size_t>(n), inverse), copy_(static_cast<std::size_t>(n)) {}
  void run(Complex* row) {
    std::copy_n(row, copy_.size(), copy_.begin());
    fft_.transform(copy_.data(), row);
  }

 private:
  kissfft<Real> fft_;
  std::vector<Complex> copy_;
};

// jk = (j^2 + k^2 - (k-j)^2) / 2 makes a transform of n points a cyclic convolution of m >= 2n - 1 points, m a power of two.
template <class Real>
class BluesteinRow {
  using Complex = std::complex<Real>;

 public:
  BluesteinRow(std::int64_t n, bool inverse)
      : n_(static_cast<std::size_t>(n)), m_(std::bit_ceil(2 * n_)), forward_(m_, false), chirp_(n_), filter_(m_), a_(m_), b_(m_) {
    const double pi = std::acos(-1.0);
    for (std::size_t k = 0; k < n_; ++k) {
      // k^2 modulo 2n, since the angle of a large square would have no digits left.
      auto square = static_cast<std::size_t>(static_cast<unsigned __int128>(k) * k % (2 * n_));
      double angle = (inverse ? pi : -pi) * static_cast<double>(square) / static_cast<double>(n_);
      chirp_[k] = Complex(std::polar(1.0, angle));
    }
    a_[0] = std::conj(chirp_[0]);
    for (std::size_t k = 1; k < n_; ++k) a_[k] = a_[m_ - k] = std::conj(chirp_[k]);
    forward_.transform(a_.data(), filter_.data());
  }
  void run(Complex* row) {
    std::fill(a_.begin(), a_.end(), Complex{});
    for (std::size_t k = 0; k < n_; ++k) a_[k] = row[k] * chirp_[k];
    forward_.transform(a_.data(), b_.data());
    // The way back is the forward transform of the conjugate, conjugated: one table of twiddles does both.
    for (std::size_t k = 0; k < m_; ++k) b_[k] = std::conj(b_[k] * filter_[k]);
    forward_.transform(b_.data(), a_.data());
    const Real scale = Real(1) / static_cast<Real>(m_);
    for (std::size_t k = 0; k < n_; ++k) row[k] = std::conj(a_[k]) * chirp_[k] * scale;
  }

 private:
  std::size_t n_, m_;
  kissfft<Real> forward_;
  std::vector<Complex> chirp_, filter_, a_, b_;
};

template <class Real, class Row>
class KissRows final : public RowPlan {
 public:
  KissRows(std::int64_t n, std::int64_t row_stride, bool inverse) : row_stride_(row_stride), row_(n, inverse) {}
  void run(void* data, std::int64_t rows_now) override {
    auto* rows = static_cast<std::complex<Real>*>(data);
    for (std::int64_t i = 0; i < rows_now; ++i) row_.run(rows + i * row_stride_);
  }

 private:
  std::int64_t row_stride_;
  Row row_;
};

template <class Real>
std::unique_ptr<RowPlan> make(std::int64_t n, std::int64_t row_stride, bool inverse) {
  if (is_smooth(n)) return std::make_unique<KissRows<Real, RadixRow<Real>>>(n, row_stride, inverse);
  return std::make_unique<KissRows<Real, BluesteinRow<Real>>>(n, row_stride, inverse);
}

class KissKernel final : public Kernel {
 public:
  std::unique_ptr<RowPlan> plan(dtype type, std::int64_t n, std::int64_t rows, std::int64_t row_stride, bool inverse, effort) const override {
    check_plan_arguments(type, n, rows, row_stride);
    return type == dtype::complex64 ? make<float>(n, row_stride, inverse) : make<double>(n, row_stride, inverse);
  }
  // Twiddles and a copy of the row; or chirp, filter, two buffers and twiddles, the last four of up to 4n points.
  std::int64_t plan_bytes(dtype type, std::int64_t n) const override { return 16 * KiB + (is_smooth(n) ? 2 : 17) * n * size_of(type); }
  std::string_view name() const noexcept override { return "KissFFT"; }
};

}  // namespace

const Kernel& kissfft_kernel() {
  static const KissKernel kernel;
  return kernel;
}

}  // namespace octavo::fft
