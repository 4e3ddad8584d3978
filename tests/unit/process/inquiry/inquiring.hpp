// SPDX-License-Identifier: Apache-2.0
// What the tests of the Inquirer share: rounds when the test wants them, and peers that answer what the test says.
#pragma once

#include <memory>
#include <vector>

#include "octavo/process/errors.hpp"
#include "process/inquiry/inquirer.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail {

class Inquiring final : public Serving {
 public:
  explicit Inquiring(kit::BareSurroundings& of) : Serving(of) {}
  void other(wire::Message& message, const PeerLink& from) override {
    if (message.header.kind == wire::frame_kind::inquiry) inquirer.take(message, from);
    else served.take(message, from);
  }
  void died(const Obituary& death) override {  // as Endpoint does
    calls.fail(std::make_exception_ptr(process_died(death)), [&](const PendingCall& call) { return call.to == death.facts.address; });
  }
  void something_changed(bool /*some_died*/) override { inquirer.fail_lost_calls(); }
  Inquirer inquirer{around, poller.waiters(), calls, sender, served, replies.owed()};
};

class InquirerTest : public PartTest {
 protected:
  std::shared_ptr<State<int>> call(const Peer& to) {
    auto state = std::make_shared<State<int>>();
    wire::Outgoing out;
    parts.calls.begin(state, to.address(), wire::frame_kind::call, 5, out);
    EXPECT_TRUE(to.hear());
    return state;
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // The watch thread's round, and the reader's look at what that found.
  void round() {
    inquirer.round();
    read();
  }
  void say(const Peer& by, std::uint64_t number, call_fate fate) {
    by.say(frame_of(wire::frame_kind::inquiry, number, 0, static_cast<std::uint8_t>(fate)));
    read();
  }
  // The calls that `at` was asked after.
  static std::vector<std::uint64_t> asked(const Peer& at) {
    std::vector<std::uint64_t> calls;
    while (const auto message = at.hear())
      if (message->header.kind == wire::frame_kind::inquiry && message->header.flags == 0) calls.push_back(message->header.call);
    return calls;
  }
  // What is answered to `by` of its call.
  call_fate fate_of(const Peer& by, std::uint64_t number) {
    say(by, number, call_fate::asked);
    const auto answer = by.hear();
    EXPECT_TRUE(answer && answer->header.kind == wire::frame_kind::inquiry && answer->header.call == number);
    return answer ? static_cast<call_fate>(answer->header.flags) : call_fate::asked;
  }
  // Asked once more, it says this.
  void hear_of(const StateBase& state, call_fate fate) {
    round();
    EXPECT_THAT(asked(peer), testing::ElementsAre(state.call));
    say(peer, state.call, fate);
  }
  Inquiring parts{mine};
  Inquirer& inquirer = parts.inquirer;
  Peer peer{machine, mine}, other{machine, mine};
};

}  // namespace octavo::detail
