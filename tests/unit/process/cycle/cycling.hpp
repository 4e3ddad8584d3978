// SPDX-License-Identifier: Apache-2.0
// What the tests of the CycleFinder share: an endpoint that serves, waits, and sends probes when the time has come; its peers are the test. Time passes only
// when nothing else is to be done: so no test waits.
#pragma once

#include "octavo/process/errors.hpp"
#include "process/cycle/cycle_finder.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail {

class PlayedTime final : public ReaderClock {
 public:
  bool sleep(const std::function<bool()>& ready, road::Deadline deadline) override {
    if (ready()) return true;
    if (deadline == road::never) throw std::runtime_error("nothing will ever come");  // the test would hang
    now_ = std::max(now_, deadline);
    return false;
  }
  [[nodiscard]] road::Clock::time_point now() const override { return now_; }

 private:
  road::Clock::time_point now_ = road::Clock::time_point(std::chrono::hours(1));
};

class Cycling final : public Serving {
 public:
  explicit Cycling(kit::BareSurroundings& of) : Serving(of) {}
  void other(wire::Message& message, const PeerLink& from) override {
    if (message.header.kind == wire::frame_kind::probe) finder.take(message, from);
    else served.take(message, from);
  }
  road::Deadline look_around(road::Deadline deadline) override { return finder.look(deadline); }
  bool wait(StateBase& state, road::Deadline deadline) override { return finder.wait_for(state, deadline); }
  CycleFinder finder{around, poller, calls, context, served, executor};
};

class CyclingTest : public PartTest {
 protected:
  CyclingTest() {
    mine.clock = &time;
    parts = &made.emplace(mine);
  }

  std::shared_ptr<State<int>> call(const Peer& to) {
    auto state = std::make_shared<State<int>>();
    wire::Outgoing out;
    parts->calls.begin(state, to.address(), wire::frame_kind::call, 5, out);
    EXPECT_TRUE(to.hear());
    return state;
  }
  // A method runs that `by` has called, while `what` does.
  template <class What>
  void run_for(const Peer& by, std::uint64_t call_number, std::uint64_t root, What what) {
    CallContext::Scope scope(parts->context, root, 2);
    scope.nothing_else_runs(root_began_here);
    const ServedCalls::Running running(parts->served, by.address(), call_number);
    what();
  }
  // In each round of the wait, once it has looked around.
  void meanwhile(std::function<void()> what) { parts->on_go_on = std::move(what); }

  static std::optional<Probe> probe_in(const std::optional<wire::Message>& message) {
    if (!message || message->header.kind != wire::frame_kind::probe) return std::nullopt;
    wire::Message copy = wire::message_of(message->header, message->body.span());
    Probe probe;
    wire::Decoder in(copy);
    in(probe);
    return probe;
  }
  // `by` waits for call `call_number`, or for a group message: 0.
  static void say(const Peer& by, const Probe& probe, std::uint64_t call_number) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(probe);
    out.header.kind = wire::frame_kind::probe;
    out.header.call = call_number;
    by.say(std::move(out));
  }
  // Of another process, that has come this way.
  static Probe probe_of(const Address& first, std::uint64_t round = 1) {
    Probe probe;
    probe.first = first;
    probe.wait = 3;
    probe.round = round;
    probe.members = {"First waits for you"};
    return probe;
  }
  // The wait ends when the peer answers the call.
  void answer(const Peer& by, const StateBase& state, int value = 1) {
    wire::FrameHeader asked;
    asked.call = state.call;
    asked.caller = mine.self.address.object;
    asked.object = by.address().object;
    by.answer(asked, value);
  }

  PlayedTime time;
  bool root_began_here = false;
  std::optional<Cycling> made;
  Peer caller{machine, mine}, callee{machine, mine}, third{machine, mine};
  Cycling* parts = nullptr;
};

}  // namespace octavo::detail
