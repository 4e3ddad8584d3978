// SPDX-License-Identifier: Apache-2.0
// What the tests of MadeCalls share: calls that go the long way, and two peers that answer when the test does.
#pragma once

#include <memory>

#include "octavo/process/errors.hpp"
#include "process/calls/made_calls.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {

class MadeCallsTest : public PartTest {
 protected:
  // Its call goes the long way: the reader has not looked at its links.
  std::shared_ptr<State<int>> begin(const Address& to, std::uint64_t method = 5) {
    auto state = std::make_shared<State<int>>();
    begin(state, to, method);
    return state;
  }
  void begin(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method = 5) {
    wire::Outgoing out;
    parts.calls.begin(state, to, wire::frame_kind::call, method, out);
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // As Endpoint does.
  void died(const Address& who, std::int64_t life) {
    Obituary death;
    death.facts.address = who;
    death.facts.pid = life;
    parts.calls.fail(std::make_exception_ptr(process_died(death)), [&](const PendingCall& call) { return call.to == who && call.life == life; });
  }
  Calling parts{mine};
  Peer peer{machine, mine}, other{machine, mine};
};

}  // namespace octavo::detail
