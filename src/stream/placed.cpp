// SPDX-License-Identifier: Apache-2.0
#include "octavo/stream/detail/placed.hpp"

#include <csignal>

#include "machine/control.hpp"
#include "process/endpoint.hpp"

namespace octavo::stream {

void end_at_once(const Address& who) noexcept {
  try {
    octavo::detail::Endpoint::require().around().agent.ask<control::Done>(control::Kill{0, who, SIGKILL});
  } catch (const std::exception&) {  // it is gone already; or on a thread of this program, and ends with it
  }
}

}  // namespace octavo::stream
