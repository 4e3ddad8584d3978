// SPDX-License-Identifier: Apache-2.0
// The state of an object with a name: written to its agent's directory, and read from it. A state is stored as one frame.
#pragma once

#include "machine/control.hpp"
#include "machine/registry/state_header.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

class StateKeeper {
 public:
  StateKeeper(const ProcessFacts& mine, control::NamedHome home) : object_(mine.address.object), class_name_(mine.class_name), home_(std::move(home)) {}

  [[nodiscard]] const control::NamedHome& home() const noexcept { return home_; }
  [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }
  // Throws usage_error (this program does not know the class), not_supported (a later version wrote it), io_error.
  std::unique_ptr<Hosted> restore();
  // Returns when it is durable. Throws io_error, refused.
  void save(Hosted& object);

 private:
  [[nodiscard]] const Method& how() const;
  std::uint64_t object_;
  std::string class_name_;
  control::NamedHome home_;
  std::uint64_t generation_ = 0;
};

}  // namespace octavo::detail
