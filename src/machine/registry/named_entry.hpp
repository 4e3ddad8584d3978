// SPDX-License-Identifier: Apache-2.0
// What the registry keeps of a persistent object: its name, and how to bring it back to life.
//
//   NamedEntry entry{.name = address_name("ov://data/set/PageDevice/34"), .class_name = "PageDevice", .command = {"/home/ada/bin/fft"}};
//   entry.policy.every_call = true;
//   entry = registry.add(entry);            // now with its object id and when it was made
//
// Plain values. What is allowed in them is checked by Registry::add.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "octavo/machine/placement.hpp"

namespace octavo {

// Ids of named objects have this bit, so that none is ever one of an agent's running numbers.
inline constexpr std::uint64_t named_object_bit = std::uint64_t{1} << 63;
// As in messages and the names of state files: 16 hex digits.
inline std::string object_text(std::uint64_t object) {
  std::array<char, 20> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(object));
  return text.data();
}

struct NamedEntry {
  std::string name;                        // as address_name gives it
  std::uint64_t object = 0;                // permanent and never used again; given by the registry
  std::string class_name;                  // UTF-8
  std::uint32_t state_version = 0;         // of the class that wrote the last state
  std::vector<std::string> command{};      // the executable that made it or saved it last, and knows the class; of an interpreter, with its arguments
  std::uint32_t build = 0;                 // of that executable
  std::vector<std::byte> construction{};   // the constructor's key and arguments, encoded; opaque here
  std::vector<std::string> environment{};  // "NAME=value"
  std::string directory{};                 // it works in
  double made = 0;                         // seconds since 1970; 0 in add(): now
  Keeping policy{};
  std::uint64_t generation = 0;  // of the last saved state; 0: none. The state file itself decides, this may be one behind after a crash
  bool operator==(const NamedEntry&) const = default;
};

}  // namespace octavo
