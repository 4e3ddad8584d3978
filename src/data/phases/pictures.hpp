// SPDX-License-Identifier: Apache-2.0
// Timelines as files: what write_timeline puts into them.
#pragma once

#include <string>
#include <vector>

#include "octavo/data/phases.hpp"

namespace octavo {

// "transform 1 (pid 4711 on box)".
std::string title_of(const ProcessTimeline& told);
// When the first span of all begins, and the last ends; the same twice where there is none.
PhaseSpan extent_of(const std::vector<ProcessTimeline>& processes);

std::string chrome_trace(const std::vector<ProcessTimeline>& processes);
std::string svg_picture(const std::vector<ProcessTimeline>& processes);

}  // namespace octavo
