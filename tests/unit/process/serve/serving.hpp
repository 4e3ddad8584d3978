// SPDX-License-Identifier: Apache-2.0
// What the tests of the parts that serve calls share: all but the part itself, with answers by the test where a part asks. The thread of the test is the one
// of methods.
#pragma once

#include "process/serve/reply.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {

class Serving : public Calling {
 public:
  explicit Serving(kit::BareSurroundings& of) : Calling(of) { context.serve_here(); }
  [[nodiscard]] wire::Message* call_buffer() override { return served.call_buffer(); }
  [[nodiscard]] bool call_buffer_is_taken() const override { return served.call_buffer_is_taken(); }
  void leave_call_buffer() override { served.leave_call_buffer(); }
  void other(wire::Message& message, const PeerLink& from) override { served.take(message, from); }
  void died(const Obituary& /*death*/) override {}
  void something_changed(bool /*some_died*/) override {}

  // A call as it would have come from this peer.
  [[nodiscard]] ArrivedCall arrived(const Peer& from, std::uint64_t call, std::uint64_t root = 0, std::uint8_t flags = 0) const {
    ArrivedCall one;
    one.message.header = frame_of(wire::frame_kind::call, call, root, flags).header;
    one.message.header.caller = from.address().object;
    one.message.header.object = around.self.address.object;
    one.message.header.incarnation = around.self.address.incarnation;
    one.from = Origin(from.link, poller.view().round());
    return one;
  }
  // It has come, behind those that lie in the queue.
  void queue(const Peer& from, std::uint64_t call, std::uint64_t root = 0, std::uint8_t flags = 0, wire::frame_kind kind = wire::frame_kind::call) {
    auto message = std::move(arrived(from, call, root, flags).message);
    message.header.kind = kind;
    served.take(message, from.link);
  }

  // What is said to replies, and what they say.
  bool more_may_run = false;
  std::vector<std::uint64_t> come_later;
  std::function<void()> on_before_reply;
  Replies replies{around,
                  poller,
                  sender,
                  context,
                  {[this](std::uint64_t, bool) { return more_may_run; },
                   [this](const Address&, std::uint64_t call, const std::shared_ptr<StateBase>&) { come_later.push_back(call); },
                   [this] {
                     if (on_before_reply) on_before_reply();
                   },
                   [](const CallToAll&, const std::exception_ptr&) {}}};
};

}  // namespace octavo::detail
