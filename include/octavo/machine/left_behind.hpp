// SPDX-License-Identifier: Apache-2.0
// A process that the writer of a channel has left: the messages up to this number may still come from there.
#pragma once

#include <cstdint>

#include "octavo/machine/address.hpp"

namespace octavo {

struct LeftBehind {
  Life who;
  std::uint64_t last = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, last);
  }
};

}  // namespace octavo
