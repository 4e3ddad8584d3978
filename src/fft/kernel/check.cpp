// SPDX-License-Identifier: Apache-2.0
#include "fft/kernel/check.hpp"

#include <string>

#include "octavo/base/error.hpp"

namespace octavo::fft {

void check_plan_arguments(dtype type, std::int64_t n, std::int64_t rows, std::int64_t row_stride) {
  auto refuse = [&](const std::string& why) {
    throw usage_error("a transform of " + std::to_string(rows) + " rows of " + std::to_string(n) + " " + std::string(name_of(type)) + ", " +
                      std::to_string(row_stride) + " apart, cannot be planned: " + why);
  };
  if (!is_complex(type)) refuse("the type must be complex64 or complex128");
  if (n < 1 || rows < 1) refuse("both must be at least 1");
  if (row_stride < n) refuse("the rows overlap");
  if (row_stride * size_of(type) % 64 != 0) refuse("the distance of the rows must be a multiple of 64 bytes");
}

}  // namespace octavo::fft
