// SPDX-License-Identifier: Apache-2.0
// What the planner is asked of a job: its two ends as they are stored, or as arrays of processes, the memory and the cores.
#pragma once

#include "octavo/fft/job.hpp"

namespace octavo::fft {

// Pure computing, but that it looks how many cores this process may use. Throws usage_error, not_supported.
FftRequest request_of(const JobOptions& options, const Storage& source);

}  // namespace octavo::fft
