// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/saved_objects.hpp"

#include <filesystem>
#include <map>

#include "machine/lasting/daemon.hpp"
#include "machine/registry/registry.hpp"
#include "machine/registry/state_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/status.hpp"

namespace octavo {

namespace {

// Nothing: no object ever had a name there. It would be made by opening it.
std::unique_ptr<Registry> existing_registry(const std::string& given) {
  std::string home = given.empty() ? daemon::default_home() : given;
  std::error_code failed;
  bool there = std::filesystem::exists(home + "/names.db", failed);
  if (failed) throw io_error_from(failed.value(), "looking for the names in '" + home + "'");
  return there ? std::make_unique<Registry>(home) : nullptr;
}

// Of the objects of this registry that run.
std::map<std::uint64_t, std::int64_t> pids_of(const Registry& registry) {
  std::map<std::uint64_t, std::int64_t> pids;
  for (const auto& each : all_processes())
    if (each.facts.address.agent == registry.agent_id() && !each.name.empty()) pids[each.facts.address.object] = each.facts.pid;
  return pids;
}

SavedObject saved_object(const Registry& registry, const NamedEntry& entry, std::int64_t pid) {
  SavedObject object{"ov://" + entry.name, entry.class_name, entry.object, entry.made, 0, entry.generation, 0, pid, {}};
  try {
    auto stored = state_facts(registry.directory(), entry.object);
    if (!stored) return object;
    object.saved = stored->saved;
    object.generation = stored->generation;
    object.bytes = static_cast<std::int64_t>(stored->payload_bytes);
  } catch (const error& e) {
    object.trouble = e.message();
  }
  return object;
}

}  // namespace

std::vector<SavedObject> saved_objects(std::string_view prefix, const std::string& home) {
  std::string wanted = address_prefix(prefix);
  std::vector<SavedObject> all;
  auto registry = existing_registry(home);
  if (!registry) return all;
  auto pids = pids_of(*registry);
  for (const auto& entry : registry->list(wanted)) {
    auto runs = pids.find(entry.object);
    all.push_back(saved_object(*registry, entry, runs == pids.end() ? 0 : runs->second));
  }
  return all;
}

SavedObject restore_saved(std::string_view name, const std::string& home) {
  std::string wanted = address_name(name);
  auto registry = existing_registry(home);
  auto entry = registry ? registry->find(wanted) : std::nullopt;
  if (!entry) throw usage_error("there is no object ov://" + wanted, "See the names there are: octavo ls");
  auto pids = pids_of(*registry);
  if (auto runs = pids.find(entry->object); runs != pids.end())
    throw refused("ov://" + wanted + " runs (pid " + std::to_string(runs->second) + "), and would save itself over what is restored",
                  "End it first: octavo kill " + std::to_string(runs->second));
  entry->generation = restore_previous(registry->directory(), entry->object).generation;
  registry->update(entry->object, {.generation = entry->generation});
  return saved_object(*registry, *entry, 0);
}

}  // namespace octavo
