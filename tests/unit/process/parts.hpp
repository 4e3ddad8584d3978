// SPDX-License-Identifier: Apache-2.0
// What the tests of an endpoint's parts share. Nothing here runs by itself: the thread of the test reads, and the test is the peer.
//
//   FakeClient client;                                     // notes what it is told; a test overrides what it wants to have otherwise
//   Peer peer(machine, mine);                              // the far end of a connection with `mine`
//   peer.say(frame_of(wire::frame_kind::reply, 1));
//   if (auto asked = peer.hear()) peer.answer(*asked, 42);
//   Calling parts(mine);                                   // all that calls need; what comes goes where Endpoint leads it
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kit/bare/machine.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "process/calls/made_calls.hpp"
#include "process/polling/poller.hpp"
#include "process/sending/sender.hpp"
#include "process/serve/executor.hpp"
#include "process/serve/served_calls.hpp"

namespace octavo::detail {

// What an exception says; "" for none.
inline std::string text_of(const std::exception_ptr& error) {
  try {
    if (error) std::rethrow_exception(error);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

class FakeClient : public PollClient {
 public:
  [[nodiscard]] wire::Message* call_buffer() override { return nullptr; }
  [[nodiscard]] bool call_buffer_is_taken() const override { return false; }
  void leave_call_buffer() override {}
  bool take_small(const PeerLink& /*from*/) override { return false; }
  void take(wire::Message& message, const PeerLink& from) override {
    told.push_back("frame " + std::to_string(message.header.call) + " of " + std::to_string(from.facts.address.object));
  }
  [[nodiscard]] bool receives_in_place(const wire::FrameHeader& /*header*/) override { return false; }
  void damaged(const PeerLink& closed, const std::exception_ptr& why) override {
    told.push_back("damaged " + std::to_string(closed.facts.address.object) + ": " + text_of(why));
  }
  void died(const Obituary& death) override { told.push_back("death of " + std::to_string(death.facts.address.object)); }
  void something_changed(bool some_died) override { told.push_back(some_died ? "some died" : "changed"); }
  void go_on() override {}
  [[nodiscard]] bool may_go_on() const override { return false; }
  road::Deadline look_around(road::Deadline deadline) override { return deadline; }

  std::vector<std::string> told;
};

inline wire::Outgoing frame_of(wire::frame_kind kind, std::uint64_t call, std::uint64_t root = 0, std::uint8_t flags = 0) {
  wire::Outgoing out;
  out.header.kind = kind;
  out.header.call = call;
  out.header.root = root;
  out.header.flags = flags;
  return out;
}

class Peer {
 public:
  Peer(kit::BareMachine& machine, kit::BareSurroundings& other) : around(machine.add()), other_(other) {
    std::tie(link, back) = machine.connect(other, around);
  }

  // Whatever the header does not say of the two ends is filled in.
  void say(wire::Outgoing out) const {
    auto& header = out.header;
    if (header.caller == 0) header.caller = around.self.address.object;
    if (header.object == 0) header.object = other_.self.address.object;
    if (header.incarnation == 0) header.incarnation = other_.self.address.incarnation;
    pages_to_other(out);
    out.seal();
    back.connection->send(out, road::keep_rest);
  }
  [[nodiscard]] std::optional<wire::Message> hear() const {
    wire::Message message;
    if (!back.connection->receive(message)) return std::nullopt;
    return message;
  }
  // All that has come: "kind:call".
  [[nodiscard]] std::vector<std::uint64_t> calls_heard() const {
    std::vector<std::uint64_t> all;
    while (const auto message = hear()) all.push_back(message->header.call);
    return all;
  }
  template <class... Values>
  void answer(const wire::FrameHeader& asked, const Values&... values) const {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    (encoder(values), ...);
    out.header = asked;
    out.header.kind = wire::frame_kind::reply;
    out.header.flags = 0;
    say(std::move(out));
  }
  [[nodiscard]] const Address& address() const { return around.self.address; }

  kit::BareSurroundings& around;
  PeerLink link;  // of the other, to this one
  PeerLink back;  // of this one, to the other

 private:
  void pages_to_other(const wire::Outgoing& out) const {
    for (const auto& page : out.pages) around.pool.hand_over(page, *back.route);
  }
  kit::BareSurroundings& other_;
};

// The parts that make calls, and those that know which are served. A test that serves says context.serve_here() first.
class Calling : public FakeClient {
 public:
  explicit Calling(kit::BareSurroundings& of) : around(of.around()) {}
  ~Calling() override {
    sender.background()->end();
    calls.end();
    executor->close();
  }
  void take(wire::Message& message, const PeerLink& from) override {
    if (message.header.kind == wire::frame_kind::reply || message.header.kind == wire::frame_kind::error) calls.take(message, from);
    else other(message, from);
  }
  bool take_small(const PeerLink& from) override { return calls.take_small(from); }
  void go_on() override {
    if (on_go_on) on_go_on();
  }
  virtual void other(wire::Message& message, const PeerLink& from) { FakeClient::take(message, from); }
  virtual bool wait(StateBase& state, road::Deadline deadline) {
    return poller.wait([&] { return state.ready(); }, deadline);
  }

  const Surroundings around;
  std::function<void()> on_go_on;  // what the peer does meanwhile
  CallContext context;
  Poller poller{around, *this};
  Sender sender{around, poller, context, [] {}};
  std::shared_ptr<Executor> executor = std::make_shared<Executor>(Executor::Home{poller.waiters(), context, around.row});
  MadeCalls calls{around, poller, sender, context, [this](StateBase& state, road::Deadline deadline) { return wait(state, deadline); }};
  ServedCalls served{context, poller};
};

// A watched test with the surroundings of the part under test.
class PartTest : public testing::Test {
 protected:
  kit::Watchdog watchdog{30};
  kit::BareMachine machine;
  kit::BareSurroundings& mine = machine.add();
};

}  // namespace octavo::detail
