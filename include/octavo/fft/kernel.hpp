// SPDX-License-Identifier: Apache-2.0
// The seam behind which a library of one-dimensional transforms stands (FFTW, KissFFT).
//
//   const octavo::fft::Kernel& kernel = octavo::fft::default_kernel();
//   auto plan = kernel.plan(octavo::dtype::complex128, 1000, 32, 1004, false);
//   plan->run(buffer, 32);      // 32 rows of 1000, each 1004 elements after the one before, in place
//
// The contract, cited by tests/conformance/fft/kernel_test.cpp:
//   K-1 run() replaces each of the first `rows_now` rows x by X[k] = sum over j of x[j] exp(-2 pi i j k / n); with `inverse` the sign is +.
//       Nothing is scaled. Any n >= 1 works, primes too, in O(n log n).
//   K-2 Of the buffer, only the n elements of those rows change: not the padding between rows, not the rows from rows_now on. 0 rows is a no-op.
//   K-3 The error of an element, relative to the row's largest result, stays below 64 eps log2(2n) of the row's real type.
//   K-4 plan() takes complex64 and complex128, n >= 1, rows >= 1, row_stride >= n with row_stride x element size a multiple of 64;
//       everything else is a usage_error. The data given to run() is aligned to 64 bytes and is never touched by plan().
//   K-5 A plan holds, and takes while it runs, at most plan_bytes(type, n). While it is made, plan() may take that and rows x row_stride
//       elements more, given back when it returns: so make the plan before the buffer.
//       A process that plans may hold 1 MiB of the library's tables besides, once, whatever it plans.
//   K-6 plan() may be called from any threads at once. One plan runs in one thread at a time; different plans run at once.
//   K-7 Planning takes at most a few seconds, whatever n; the result does not depend on how long it took beyond rounding. With effort::quick
//       nothing is measured: it takes milliseconds for n up to 2^16, and the plan is the same each time
//       in a process that has measured none for that n.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "octavo/data/dtype.hpp"

namespace octavo::fft {

class RowPlan {
 public:
  virtual ~RowPlan() = default;
  virtual void run(void* data, std::int64_t rows_now) = 0;
};

// For much work it pays to measure which of a library's ways is the fastest; for little it takes longer than the work.
enum class effort : std::uint8_t { measured, quick };

class Kernel {
 public:
  virtual ~Kernel() = default;
  [[nodiscard]] virtual std::unique_ptr<RowPlan> plan(dtype type, std::int64_t n, std::int64_t rows, std::int64_t row_stride, bool inverse,
                                                      effort how = effort::measured) const = 0;
  [[nodiscard]] virtual std::int64_t plan_bytes(dtype type, std::int64_t n) const = 0;
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;
};

// The one this build was made with (src/fft/kernel/choose.cpp picks).
const Kernel& default_kernel();
// All that were built, for tests and benchmarks.
int kernel_count();
const Kernel& kernel_at(int index);

}  // namespace octavo::fft
