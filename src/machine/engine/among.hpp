// SPDX-License-Identifier: Apache-2.0
// What this machine is called among those of an engine: a job's nodes have Slurm's names, and one of them is here.
//
//   options.machine = engine::name_here(options.engine.get());       // empty: the engine does not say
#pragma once

#include <string>

#include "octavo/machine/engine.hpp"

namespace octavo::engine {

// An engine one of whose machines this is.
class Among {
 public:
  virtual ~Among() = default;
  [[nodiscard]] virtual std::string here() const = 0;
};

inline std::string name_here(const Engine* engine) {
  const auto* among = dynamic_cast<const Among*>(engine);
  return among == nullptr ? std::string() : among->here();
}

}  // namespace octavo::engine
