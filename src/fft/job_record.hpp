// SPDX-License-Identifier: Apache-2.0
// What a job writes down of itself, beside what it makes: its plan, then each box that is written. A program that goes on with it needs no more.
#pragma once

#include <string>

#include "octavo/fft/job.hpp"

namespace octavo::fft {

// One line of JSON.
std::string plan_record(const JobOptions& options, const Storage& source, const FftPlan& plan);
// {"pass": 1, "box": 17}: in the target, or the scratch file, as its process wrote it; on the disk only when the machine does not go down.
std::string box_record(int pass, std::int64_t box);

}  // namespace octavo::fft
