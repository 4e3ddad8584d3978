// SPDX-License-Identifier: Apache-2.0
// Every kernel that was built, against the clauses of octavo/fft/kernel.hpp.
#include "octavo/fft/kernel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <ctime>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {
namespace {

using Wide = std::complex<long double>;

std::vector<Wide> circle(std::int64_t n, bool inverse) {
  const long double turn = 2 * std::acos(-1.0L);
  std::vector<Wide> points(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i)
    points[static_cast<std::size_t>(i)] = std::polar(1.0L, (inverse ? turn : -turn) * static_cast<long double>(i) / static_cast<long double>(n));
  return points;
}

std::vector<Wide> naive(const std::vector<Wide>& x, bool inverse) {
  std::size_t n = x.size();
  auto points = circle(static_cast<std::int64_t>(n), inverse);
  std::vector<Wide> result(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) result[k] += x[j] * points[j * k % n];
  return result;
}

template <class Real>
struct Rows {
  std::int64_t n, rows, stride;
  std::vector<std::complex<Real>> store;
  std::complex<Real>* data;

  Rows(std::int64_t length, std::int64_t count, unsigned seed = 1)
      : n(length), rows(count), stride((length + 7) / 8 * 8 + 8), store(static_cast<std::size_t>(rows * stride + 16)) {
    auto address = reinterpret_cast<std::uintptr_t>(store.data());
    data = store.data() + (64 - address % 64) % 64 / sizeof(std::complex<Real>);
    std::mt19937 random(seed);
    std::uniform_real_distribution<Real> value(-1, 1);
    for (std::int64_t i = 0; i < rows * stride; ++i) data[i] = {value(random), value(random)};
  }
  [[nodiscard]] std::vector<Wide> row(std::int64_t r) const {
    std::vector<Wide> result;
    for (std::int64_t k = 0; k < n; ++k) result.emplace_back(data[r * stride + k].real(), data[r * stride + k].imag());
    return result;
  }
};

template <class Real>
void expect_near(const std::vector<Wide>& want, const std::vector<Wide>& got, std::int64_t n) {
  long double largest = 0, error = 0;
  for (std::size_t k = 0; k < want.size(); ++k) largest = std::max(largest, std::abs(want[k])), error = std::max(error, std::abs(want[k] - got[k]));
  auto bound = 64 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) * std::log2(2.0L * static_cast<long double>(n));
  EXPECT_LE(error, bound * largest) << "n = " << n;
}

class KernelContract : public testing::TestWithParam<int> {
 protected:
  const Kernel& kernel = kernel_at(GetParam());

  template <class Real>
  void check_against_naive(std::int64_t n, bool inverse, effort how = effort::measured) {
    Rows<Real> rows(n, 5);
    auto plan = kernel.plan(dtype_of<std::complex<Real>>(), n, 5, rows.stride, inverse, how);
    Rows<Real> before = rows;
    before.data = before.store.data() + (rows.data - rows.store.data());
    plan->run(rows.data, 3);
    for (std::int64_t r = 0; r < 3; ++r) expect_near<Real>(naive(before.row(r), inverse), rows.row(r), n);
    for (std::int64_t r = 0; r < 5; ++r) {
      std::int64_t same_from = r < 3 ? n : 0;
      EXPECT_EQ(0, std::memcmp(rows.data + r * rows.stride + same_from, before.data + r * rows.stride + same_from,
                               static_cast<std::size_t>(rows.stride - same_from) * sizeof(std::complex<Real>)))
          << "row " << r << ", n = " << n;
    }
    plan->run(rows.data + 3 * rows.stride, 0);
    EXPECT_EQ(0,
              std::memcmp(rows.data + 3 * rows.stride, before.data + 3 * rows.stride, static_cast<std::size_t>(2 * rows.stride) * sizeof(std::complex<Real>)));
    rows = before;
    rows.data = rows.store.data() + (before.data - before.store.data());
    plan->run(rows.data, 5);
    expect_near<Real>(naive(before.row(4), inverse), rows.row(4), n);
  }
};

TEST_P(KernelContract, K1_K2_K3_TransformsRowsAndNothingElse) {
  for (std::int64_t n : {1, 2, 3, 4, 5, 7, 8, 11, 16, 17, 30, 64, 97, 100, 101, 127, 128, 1000, 1024})
    for (bool inverse : {false, true}) {
      check_against_naive<double>(n, inverse);
      check_against_naive<float>(n, inverse);
    }
}

TEST_P(KernelContract, K1_K2_K3_AlsoWhereThePlanIsQuick) {
  for (std::int64_t n : {1, 2, 3, 17, 30, 64, 101, 1000})
    for (bool inverse : {false, true}) {
      check_against_naive<double>(n, inverse, effort::quick);
      check_against_naive<float>(n, inverse, effort::quick);
    }
}

TEST_P(KernelContract, K1_LargeLengthsAndPrimes) {
  for (std::int64_t n : {4096, 10007, 65536}) {
    Rows<double> rows(n, 1);
    auto points = circle(n, true);
    for (std::int64_t j = 0; j < n; ++j) rows.data[j] = std::complex<double>(points[static_cast<std::size_t>(j * 5 % n)]);
    kernel.plan(dtype::complex128, n, 1, rows.stride, false)->run(rows.data, 1);
    std::vector<Wide> want(static_cast<std::size_t>(n));
    want[5] = static_cast<long double>(n);
    expect_near<double>(want, rows.row(0), n);
  }
}

TEST_P(KernelContract, K4_RefusesWhatItCannotPlan) {
  EXPECT_THROW((void)kernel.plan(dtype::float64, 8, 1, 8, false), usage_error);
  EXPECT_THROW((void)kernel.plan(dtype::complex128, 0, 1, 8, false), usage_error);
  EXPECT_THROW((void)kernel.plan(dtype::complex128, 8, 0, 8, false), usage_error);
  EXPECT_THROW((void)kernel.plan(dtype::complex128, 8, 1, 4, false), usage_error);
  EXPECT_THROW((void)kernel.plan(dtype::complex128, 8, 1, 9, false), usage_error);
  EXPECT_THROW((void)kernel.plan(dtype::complex64, 8, 1, 12, false), usage_error);
  EXPECT_NO_THROW((void)kernel.plan(dtype::complex64, 8, 1, 16, false));
}

TEST_P(KernelContract, K5_StatesItsMemory) {
  for (dtype type : {dtype::complex64, dtype::complex128})
    for (std::int64_t n : {1, 17, 1024, 1009, 65536}) {
      EXPECT_GE(kernel.plan_bytes(type, n), n * size_of(type)) << "twiddles alone take a row";
      EXPECT_LE(kernel.plan_bytes(type, n), 64 * 1024 + 20 * n * size_of(type)) << "not absurd, or small budgets are refused for nothing";
    }
}

TEST_P(KernelContract, K6_PlansInManyThreads) {
  Rows<double> want(240, 2);
  kernel.plan(dtype::complex128, 240, 2, want.stride, false)->run(want.data, 2);
  std::vector<int> wrong(4, -1);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      int bad = 0;
      for (int i = 0; i < 10; ++i) {
        Rows<double> rows(240, 2);
        kernel.plan(dtype::complex128, 240, 2, rows.stride, false)->run(rows.data, 2);
        for (std::int64_t k = 0; k < 240; ++k) bad += std::abs(rows.data[k] - want.data[k]) > 1e-12;
      }
      wrong[static_cast<std::size_t>(t)] = bad;
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST_P(KernelContract, K7_PlansWithinSeconds) {
  auto start = std::chrono::steady_clock::now();
  (void)kernel.plan(dtype::complex128, 1 << 18, 1, 1 << 18, false);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

double seconds_of_this_thread() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Lengths that no other test measures, so that nothing is known of them.
TEST_P(KernelContract, K7_QuickPlansTakeMillisecondsAndAreTheSameEachTime) {
  for (std::int64_t n : {96, 4800, 61440}) {
    double begin = seconds_of_this_thread();
    (void)kernel.plan(dtype::complex64, n, n > 1000 ? 1 : 640, round_up(n, 8), false, effort::quick);
    EXPECT_LT(seconds_of_this_thread() - begin, 0.02) << n;
  }
  Rows<double> one(1200, 1), other(1200, 1);  // the same random numbers
  kernel.plan(dtype::complex128, 1200, 1, one.stride, false, effort::quick)->run(one.data, 1);
  kernel.plan(dtype::complex128, 1200, 1, one.stride, false, effort::quick)->run(other.data, 1);
  EXPECT_EQ(0, std::memcmp(one.data, other.data, 1200 * sizeof(std::complex<double>)));
}

TEST(Kernels, TheDefaultIsAmongThoseBuiltAndUnknownOnesAreRefused) {
  ASSERT_GE(kernel_count(), 1);
  EXPECT_EQ(&default_kernel(), &kernel_at(0));
  EXPECT_THROW((void)kernel_at(kernel_count()), usage_error);
}

INSTANTIATE_TEST_SUITE_P(Built, KernelContract, testing::Range(0, kernel_count()),
                         [](const auto& built) { return std::string(kernel_at(built.param).name()); });

}  // namespace
}  // namespace octavo::fft
