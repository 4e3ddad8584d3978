// SPDX-License-Identifier: Apache-2.0
// The lists of nodes that Slurm writes, without scontrol, which is not in every container: "n[1-3,7],login0[01-12],r[0-1]c[00-15]".
//
//   nodes_of("n[08-10],x") == {"n08", "n09", "n10", "x"};
//
// Ranges count with the zeros that they begin with; several brackets in one name are all combinations, the last one first.
// Threading: a pure function. Failure: usage_error with the list and what is wrong with it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace octavo::engine::slurm {

inline constexpr std::size_t most_nodes = 1 << 17;

std::vector<std::string> nodes_of(std::string_view list);

}  // namespace octavo::engine::slurm
