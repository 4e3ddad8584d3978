// SPDX-License-Identifier: Apache-2.0
// The processes of an agent, as its other parts see them: found by their object, told something, and taken in.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "machine/agent/children/child.hpp"
#include "machine/control.hpp"

namespace octavo::agent {

class Processes {
 public:
  virtual ~Processes() = default;
  // `host`: the object on whose process's thread it lives; 0: it has a process. Without `named` it gets an address.
  virtual Child& adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named) = 0;
  // Does not wait for the process to read.
  virtual void tell(Child& child, const control::Notice& notice, std::span<const int> descriptors) = 0;
  void tell(Child& child, const control::Notice& notice) { tell(child, notice, {}); }
  [[nodiscard]] std::map<std::uint64_t, Child>& all() noexcept { return children_; }
  // Null: there is none.
  [[nodiscard]] Child* find(std::uint64_t object) {
    auto found = children_.find(object);
    return found == children_.end() ? nullptr : &found->second;
  }
  // Null: this life of the object has ended.
  [[nodiscard]] Child* living(const Life& who) {
    Child* child = find(who.who.object);
    return child != nullptr && who.is_of(child->facts) ? child : nullptr;
  }

 protected:
  std::map<std::uint64_t, Child> children_;  // by object; the program is object 1
};

}  // namespace octavo::agent
