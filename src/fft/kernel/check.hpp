// SPDX-License-Identifier: Apache-2.0
// What every kernel asks of a plan's arguments (clause K-4).
#pragma once

#include <cstdint>

#include "octavo/data/dtype.hpp"

namespace octavo::fft {

void check_plan_arguments(dtype type, std::int64_t n, std::int64_t rows, std::int64_t row_stride);

}  // namespace octavo::fft
