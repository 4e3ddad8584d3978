// SPDX-License-Identifier: Apache-2.0
// What a device says of the pool it lives with (DeviceFacts).
#pragma once

#include "octavo/machine/pool.hpp"
#include "process/endpoint.hpp"

namespace octavo {

// 0 where it is used without a Runtime.
inline std::int64_t pool_bytes_here() {
  const auto* here = detail::Endpoint::current();
  return here == nullptr ? 0 : here->around().pool.bytes();
}

}  // namespace octavo
