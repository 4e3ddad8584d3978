// SPDX-License-Identifier: Apache-2.0
// One Jacobi iteration of float64 from u.raw to w.raw, n x n, larger than the memory for both: each way one loop. Rows from `lo` to `hi` of those that change.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct Field {
  std::string folder;
  std::int64_t n, memory;  // memory: for both
  std::int64_t lo = 1, hi = n - 1;
  [[nodiscard]] std::string u() const { return folder + "/u.raw"; }
  [[nodiscard]] std::string w() const { return folder + "/w.raw"; }
};

// Nobody else is there: all is on the disk when it returns.
void jacobi_by_elements(const Field& of);
void jacobi_by_blocks(const Field& of);
void jacobi_by_mmap(const Field& of);
void jacobi_by_hand(const Field& of);
void relax_by_hand(const Field& of, const std::string& u, const std::string& w);

// from: three rows of which the middle one is the result's.
void relax(const double* above, const double* here, const double* below, double* to, std::int64_t n);

}  // namespace bench
