// SPDX-License-Identifier: Apache-2.0
// How much memory may be asked for: no more than there is, by the machine, the control groups (versions 1 and 2) that this program is in, and its own
// limits (ulimit).
//
//   octavo::check_budget(2 * octavo::GiB, "a job");     // refused within a control group of 600 MiB
//
// Threading: any. Failure: refused, naming what sets the limit, and what would do.
#pragma once

#include <cstdint>
#include <string>

namespace octavo {

void check_budget(std::int64_t bytes, const std::string& what);
// Of a job of which nothing is said: 1 GiB, or half of what there is, if that is less.
std::int64_t default_budget();

}  // namespace octavo
