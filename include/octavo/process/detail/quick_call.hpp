// SPDX-License-Identifier: Apache-2.0
// A call whose caller has its reply at once, or does something while it goes on: gives up Python's lock, looks for Ctrl-C; and one whose caller does not wait
// until a busy object takes it.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "octavo/machine/address.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

// One of the two.
struct QuickCall {
  std::optional<wire::Message> reply;
  std::shared_ptr<State<void>> begun;  // to be waited for
};
// Runs `send`, which may have to wait until there is room on the way.
using SendAside = void (*)(const std::function<void()>& send);
// Waits some microseconds at most, or within `aside`. Throws what the call threw, if it has its answer by then; and as begin_call().
QuickCall begin_quickly(const Address& to, const Method& method, wire::Outgoing& out, SendAside aside = nullptr);
// As begin_call(). Where there is no room on the way, a call of up to 4 KiB is kept and leaves by itself, in its order, as long as no 16384 are unanswered.
void begin_behind(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, wire::Outgoing& out);

}  // namespace octavo::detail
