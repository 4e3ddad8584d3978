// SPDX-License-Identifier: Apache-2.0
// A process that the writer of a channel has left: the messages of these numbers may still come from there.
#pragma once

#include <cstdint>

#include "octavo/machine/address.hpp"

namespace octavo {

struct LeftBehind {
  Life who;
  std::uint64_t first = 0, last = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(who, first, last);
  }
};

}  // namespace octavo
