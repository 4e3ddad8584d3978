// SPDX-License-Identifier: Apache-2.0
// Engines (engine.hpp) that need no options, by their names: for what is said on a command line, or by OCTAVO_ENGINE.
//
//   octavo::Runtime runtime(argc, argv, {.engine = octavo::engine_named("slurm")});
//
// SLURM-6  A Runtime for its program that is given no engine takes the one that OCTAVO_ENGINE names; where that is not set, it has none, inside a job of Slurm
// too. Threading: any. Failure: usage_error for a name that is not known, with those that are; what the engine throws.
#pragma once

#include <memory>
#include <string>

#include "octavo/machine/engine.hpp"

namespace octavo {

// "slurm" (slurm.hpp).
std::shared_ptr<Engine> engine_named(const std::string& name);
// The one that OCTAVO_ENGINE names; null: it is not set, or empty.
std::shared_ptr<Engine> engine_of_environment();

}  // namespace octavo
