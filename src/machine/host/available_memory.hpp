// SPDX-License-Identifier: Apache-2.0
// How much memory this machine, or the control group that this process is in, has left for programs.
#pragma once

#include <cstdint>

namespace octavo {

std::int64_t available_memory();

}  // namespace octavo
