// SPDX-License-Identifier: Apache-2.0
// A small call that is answered at once, or else goes on while its caller does something: gives up Python's lock, looks for Ctrl-C; and one whose caller
// does not wait until a busy object takes it.
#pragma once

#include <memory>
#include <optional>

#include "octavo/machine/address.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

// One of the two; neither: the short way is not open, and nothing was sent.
struct QuickCall {
  std::optional<wire::Message> reply;
  std::shared_ptr<State<void>> begun;  // to be waited for
};
// Waits some microseconds at most. Throws what the call threw, if it has its answer by then.
QuickCall begin_quickly(const Address& to, const Method& method, wire::Outgoing& out);
// As begin_call(). Where there is no room on the way, a call of up to 4 KiB is kept and leaves by itself, in its order, as long as no 16384 are unanswered.
void begin_behind(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, wire::Outgoing& out);

}  // namespace octavo::detail
