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

void check_redo(const StageSettings& settings, bool has_state, bool can_be_copied) {
  if (!settings.redo) return;
  if (has_state && !settings.stateless)
    throw usage_error("stage '" + settings.name + "' of a stream is to be redone, and is of a class, which may have state",
                      "Add .stateless(), if what its svc gives depends on the item alone; or leave on_death() out");
  if (!can_be_copied)
    throw usage_error("stage '" + settings.name + "' of a stream is to be redone, and its items cannot be copied",
                      "Leave on_death() out, or give it items that can");
}

}  // namespace octavo::stream
