// SPDX-License-Identifier: Apache-2.0
// Taking a call back that has not begun.
#include <algorithm>

#include "octavo/process/errors.hpp"
#include "process/serve/reply.hpp"

namespace octavo::detail {

std::deque<Endpoint::Arrived>::iterator Endpoint::find_queued(const PeerLink& from, std::uint64_t call) {
  return std::find_if(queue_.begin(), queue_.end(),
                      [&](const Arrived& each) { return each.message.header.call == call && each.from.caller() == from.facts.address; });
}

bool Endpoint::cancel(StateBase& state) {
  if (state.call == 0 || state.ready()) return false;
  auto answer = std::make_shared<State<bool>>();
  send_cancel(answer, state.call, state.callee);
  wait([&] { return answer->ready(); }, road::never);
  return answer->take();
}

void Endpoint::send_cancel(const std::shared_ptr<StateBase>& answer, std::uint64_t number, const Address& to) {
  wire::Outgoing out;
  out.header.root = number;
  call(answer, to, wire::frame_kind::cancel, 0, out);
}

void Endpoint::take_cancel(wire::Message& message, const PeerLink& from) {
  auto queued = find_queued(from, message.header.root);
  bool found = queued != queue_.end();
  if (found) {
    Arrived dropped = std::move(*queued);
    queue_.erase(queued);
    peers_.row().call_begins();
    peers_.row().call_ends();
    Reply::Impl call(*this, dropped, methods_.find(dropped.message.header.method));
    Reply(call).fail(std::make_exception_ptr(cancelled("the call was cancelled before it began")));
  }
  const Arrived wish{std::move(message), Origin(from, links_round_)};
  Reply::Impl call(*this, wish, nullptr);
  Reply(call).value([found](wire::Encoder& out) { out(found); });
}

}  // namespace octavo::detail
