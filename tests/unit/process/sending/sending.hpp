// SPDX-License-Identifier: Apache-2.0
// What the tests of the Sender share: it, and a peer that reads only when the test does.
#pragma once

#include <functional>

#include "process/sending/sender.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {

inline constexpr std::uint64_t many = 300;  // more than a road takes that nobody reads

class SenderTest : public PartTest, protected FakeClient {
 protected:
  ~SenderTest() override { sender.background()->end(); }
  void leave_call_buffer() override {  // the first thing of each round of reading
    if (on_pump) on_pump();
  }
  void send(std::uint64_t call, Sender::when_full how = Sender::when_full::wait_for_room) {
    auto out = frame_of(wire::frame_kind::call, call);
    sender.send(peer.address(), out, how);
  }
  void look_at_links() { poller.pump(); }
  // Until so many have come, in their order.
  void expect_all(std::uint64_t count) const {
    for (std::uint64_t next = 1; next <= count; ++next) {
      wire::Message message;
      ASSERT_TRUE(peer.around.bell.wait([&] { return peer.back.connection->receive(message); }));
      ASSERT_EQ(message.header.call, next);
    }
  }
  std::function<void()> on_pump;
  CallContext context;
  Poller poller{mine.around(), *this};
  Sender sender{mine.around(), poller, context, [] {}};
  Peer peer{machine, mine};
};

}  // namespace octavo::detail
