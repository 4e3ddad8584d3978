// SPDX-License-Identifier: Apache-2.0
// The processes of an agent, as its other parts see them: found by their object, and told something.
#pragma once

#include <cstdint>
#include <span>

#include "machine/agent/children/child.hpp"
#include "machine/control.hpp"

namespace octavo::agent {

class Processes {
 public:
  virtual ~Processes() = default;
  // Null: there is none.
  [[nodiscard]] virtual Child* find(std::uint64_t object) = 0;
  // Does not wait for the process to read.
  virtual void tell(Child& child, const control::Notice& notice, std::span<const int> descriptors) = 0;
  void tell(Child& child, const control::Notice& notice) { tell(child, notice, {}); }
  // Null: this life of the object has ended.
  [[nodiscard]] Child* living(const Address& who) {
    Child* child = find(who.object);
    return child != nullptr && child->facts.address == who ? child : nullptr;
  }
};

}  // namespace octavo::agent
