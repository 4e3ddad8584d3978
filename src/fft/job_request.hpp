// SPDX-License-Identifier: Apache-2.0
// What the planner is asked of a job: its two ends as they are stored, or as arrays of processes, the memory and the cores.
#pragma once

#include "octavo/fft/job.hpp"

namespace octavo::fft {

// Pure computing, but that it looks how many cores this process may use. Throws usage_error, not_supported.
FftRequest request_of(const JobOptions& options, const Storage& source);

// Whether Octavo is to encode the target itself; the chunk that it then has where nobody said which.
bool is_encoded(const TargetOptions& as);
Shape chunk_of_encoded(const JobOptions& options, const Storage& source);
// What the device of an encoded end takes: no more than an eighth of the job's memory, where that is enough for one core.
std::int64_t encoding_memory_of(const JobOptions& options, const Storage& storage, bool writing);

}  // namespace octavo::fft
