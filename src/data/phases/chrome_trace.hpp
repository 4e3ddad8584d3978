// SPDX-License-Identifier: Apache-2.0
// Timelines as a file: what write_timeline puts into it.
#pragma once

#include <string>
#include <vector>

#include "octavo/data/phases.hpp"

namespace octavo {

std::string chrome_trace(const std::vector<ProcessTimeline>& processes);

}  // namespace octavo
