// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/exchange.hpp"

#include "process/endpoint.hpp"

namespace octavo::detail {

void begin_call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, const Method& method, wire::Outgoing& out) {
  Endpoint::require().call(state, to, kind, method.hash, out);
}

std::optional<wire::Message> call_quickly(const Address& to, const Method& method, wire::Outgoing& out) {
  return Endpoint::require().call_quickly(to, method.hash, out);
}

bool call_small(const Address& to, const Method& method, ByteView arguments, ByteSpan result) {
  return Endpoint::require().call_small(to, method.hash, arguments, result);
}

bool start_small(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, ByteView arguments) {
  return Endpoint::require().start_small(state, to, method.hash, arguments);
}

Address begin_make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where) {
  return Endpoint::require().make(state, constructor, out, where);
}

void begin_destroy(const std::shared_ptr<StateBase>& state, const Address& to) {
  wire::Outgoing out;
  Endpoint::require().call(state, to, wire::frame_kind::destroy, 0, out);
}

bool cancel(StateBase& state) {
  try {
    return Endpoint::require().cancel(state);
  } catch (const process_died&) {  // it ended meanwhile: the call is done, or has failed with it
    return false;
  }
}

bool wait_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline) { return Endpoint::require().wait(done, deadline); }

void raise_lost_errors(const Address& of) {
  if (auto error = Endpoint::require().take_lost_error(of)) std::rethrow_exception(error);
}

}  // namespace octavo::detail
