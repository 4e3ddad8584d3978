// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/engine_named.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "octavo/base/error.hpp"
#include "octavo/machine/slurm.hpp"

namespace octavo {

namespace {

struct NamedEngine {
  std::string_view name;
  std::shared_ptr<Engine> (*make)();
};

// An engine that needs no options: its line.
constexpr std::array named_engines{NamedEngine{"slurm", [] { return slurm(); }}};

}  // namespace

std::shared_ptr<Engine> engine_named(const std::string& name) {
  const auto found = std::ranges::find(named_engines, name, &NamedEngine::name);
  if (found != named_engines.end()) return found->make();
  std::string known;
  for (const auto& each : named_engines) known += (known.empty() ? "'" : ", '") + std::string(each.name) + "'";
  throw usage_error("there is no engine that is called '" + name + "'", "By name there are " + known + "; played() and ssh() are told their machines");
}

std::shared_ptr<Engine> engine_of_environment() {
  const char* name = std::getenv("OCTAVO_ENGINE");
  if (name == nullptr || *name == '\0') return nullptr;
  return in_context([] { return std::string("OCTAVO_ENGINE"); }, [&] { return engine_named(name); });
}

}  // namespace octavo
