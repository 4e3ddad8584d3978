// SPDX-License-Identifier: Apache-2.0
// The saved states of objects, one file each in `state/` of the registry's directory: reading, going back, removing. StateWriter writes them.
//
//   StoredState stored = read_state(registry.directory(), entry.object, entry.name);
//   if (stored.facts.state_version != now) convert(stored.facts, stored.payload());
//
//   restore_previous(registry.directory(), entry.object);     // what `octavo restore NAME` does
//
// A state is believed only if its checksums are right. One that is damaged is an io_error whose cure says which earlier state is whole.
// Threading: any; between processes by a lock for each object. Failure: io_error; not_supported (a later Octavo wrote it); refused (being saved).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "machine/registry/state_header.hpp"
#include "machine/registry/state_place.hpp"

namespace octavo {

struct StoredState {
  StateFacts facts;
  std::unique_ptr<std::byte[]> bytes;
  [[nodiscard]] ByteView payload() const noexcept { return {bytes.get(), static_cast<std::size_t>(facts.payload_bytes)}; }
};

// All of it, checked. `name` is for the error's cure only.
StoredState read_state(const std::string& directory, std::uint64_t object, std::string_view name = {});
// What its header says, without reading the rest; nothing if the object was never saved.
std::optional<StateFacts> state_facts(const std::string& directory, std::uint64_t object);

// The state before the current one, if it is whole; reads it all.
std::optional<StateFacts> previous_state(const std::string& directory, std::uint64_t object);
// Makes that one current and keeps what was current as ID.damaged. The next save must have a later generation than the one returned.
// Throws io_error if there is none that is whole.
StateFacts restore_previous(const std::string& directory, std::uint64_t object, const StateSteps& steps = {});

// All that is kept of the object; false if there was nothing. Durable when it returns.
bool remove_state(const std::string& directory, std::uint64_t object);

}  // namespace octavo
