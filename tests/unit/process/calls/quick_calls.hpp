// SPDX-License-Identifier: Apache-2.0
// What the tests of the short way share: a connection on which small frames go it, and a peer that answers when the call waits, or has done so before.
#pragma once

#include <cstring>
#include <functional>
#include <optional>

#include "process/calls/made_calls.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {

// The peer answers when the call waits.
class Quick final : public Calling {
 public:
  using Calling::Calling;
  bool wait(StateBase& state, road::Deadline deadline) override {
    ++waits;
    if (on_wait) on_wait();
    return Calling::wait(state, deadline);
  }
  int waits = 0;
  std::function<void()> on_wait;
};

class QuickCalls : public PartTest {
 protected:
  static constexpr std::uint64_t method = 5;

  // A first call and its answer, the long way: from then on small frames of this connection go the short one.
  void SetUp() override {
    auto state = begin();
    first = peer.hear()->header;
    peer.answer(first, 1);
    read();
    ASSERT_EQ(state->take(), 1);
  }
  std::shared_ptr<State<int>> begin() {
    auto state = std::make_shared<State<int>>();
    wire::Outgoing out;
    parts.calls.begin(state, peer.address(), wire::frame_kind::call, method, out);
    return state;
  }
  wire::Message call(const Address& to) {
    wire::Outgoing out;
    auto call = parts.calls.begin_quickly(to, method, out);
    if (call.reply) return std::move(*call.reply);
    parts.wait(*call.begun, road::never);
    return call.begun->take_reply();
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // The answer to the next call, as if the callee had been as quick as that.
  [[nodiscard]] wire::FrameHeader next_header() const {
    auto header = first;
    header.call = parts.calls.next_number();
    return header;
  }
  [[nodiscard]] wire::SmallFrame next_answer(std::uint64_t number, int value, std::uint8_t flags = 0) const {
    wire::SmallFrame answer;
    answer.kind = wire::frame_kind::reply;
    answer.call = number;
    answer.flags = flags;
    answer.root = root_of(mine.self.address, number);
    answer.size = sizeof value;
    std::memcpy(answer.body.data(), &value, sizeof value);
    return answer;
  }
  void say(const wire::SmallFrame& frame) const { ASSERT_EQ(peer.back.connection->send_small(frame), road::sent_now::sent); }
  int call_small(int argument) {
    int result = 0;
    parts.calls.call(peer.address(), method, bytes_of(argument), {reinterpret_cast<std::byte*>(&result), sizeof result});
    return result;
  }
  static ByteView bytes_of(const int& value) { return {reinterpret_cast<const std::byte*>(&value), sizeof value}; }
  static int value_of(const wire::Message& message) {
    int value = 0;
    EXPECT_EQ(message.body.size(), sizeof value);
    std::memcpy(&value, message.body.span().data(), sizeof value);
    return value;
  }
  // All that the callee sees, but the call's number and what follows from it.
  static void expect_same(const wire::FrameHeader& one, const wire::FrameHeader& other) {
    EXPECT_EQ(one.kind, other.kind);
    EXPECT_EQ(one.flags, other.flags);
    EXPECT_EQ(one.caller, other.caller);
    EXPECT_EQ(one.object, other.object);
    EXPECT_EQ(one.incarnation, other.incarnation);
    EXPECT_EQ(one.method, other.method);
    EXPECT_EQ(one.build, other.build);
  }

  Quick parts{mine};
  Peer peer{machine, mine};
  wire::FrameHeader first;
};

}  // namespace octavo::detail
