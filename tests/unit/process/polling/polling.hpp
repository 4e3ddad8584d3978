// SPDX-License-Identifier: Apache-2.0
// What the tests of the Poller share: it, a client that does what the test says, and two peers.
#pragma once

#include <functional>
#include <utility>

#include "process/polling/poller.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {

class PollerTest : public PartTest, protected FakeClient {
 protected:
  [[nodiscard]] wire::Message* call_buffer() override { return lies_in_place ? &here : nullptr; }
  [[nodiscard]] bool call_buffer_is_taken() const override { return taken; }
  void leave_call_buffer() override { ++rounds; }
  bool take_small(const PeerLink& /*from*/) override { return std::exchange(small_came, false); }
  void take(wire::Message& message, const PeerLink& from) override {
    FakeClient::take(message, from);
    if (on_take) on_take(message);
  }
  void something_changed(bool some_died) override {
    if (some_died) FakeClient::something_changed(some_died);
  }
  void died(const Obituary& death) override {
    FakeClient::died(death);
    EXPECT_FALSE(mine.links.link_if_there(death.facts.address, death.facts.pid)) << "a call that is entered now is to find that it is forgotten";
  }
  void go_on() override {
    if (on_go_on) on_go_on();
  }
  [[nodiscard]] bool may_go_on() const override { return goes_on; }
  road::Deadline look_around(road::Deadline deadline) override { return on_look ? on_look(deadline) : deadline; }

  void pump_all() {
    while (poller.incoming()) poller.pump();
  }
  static wire::Outgoing call(std::uint64_t number) { return frame_of(wire::frame_kind::call, number); }

  wire::Message here;
  bool lies_in_place = false, taken = false, goes_on = false, small_came = false;
  int rounds = 0;
  std::function<void(wire::Message&)> on_take;
  std::function<void()> on_go_on;
  std::function<road::Deadline(road::Deadline)> on_look;
  Poller poller{mine.around(), *this};
  Peer one{machine, mine}, other{machine, mine};
};

}  // namespace octavo::detail
