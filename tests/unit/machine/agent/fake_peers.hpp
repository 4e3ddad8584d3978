// SPDX-License-Identifier: Apache-2.0
// What the parts of an agent that have to do with other agents stand on, in tests of one part: processes, and other agents at the far ends of links of the
// test.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "machine/agent/peers/routes.hpp"
#include "unit/machine/agent/fake_links.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent::fake {

class PeersTest : public testing::Test {
 protected:
  explicit PeersTest(std::uint32_t incarnation = 1, bool daemon = false) : self{17, incarnation, "here", daemon, 0} {}
  // Another agent, which has said who it is.
  PeerAgent& meet(std::uint64_t id = 18, peer_kind kind = peer_kind::machine) {
    PeerAgent& peer = peers.meet(nullptr, "box", kind);
    peer.id = id;
    return peer;
  }

  const Identity self;
  const Address far{18, 1, 4};  // of an object of that agent
  Processes processes;
  Links links;
  std::vector<Listener> told_of_death;
  int postponed = 0;
  DeathRegister deaths{[this](const Listener& who, const Obituary&) { told_of_death.push_back(who); }};
  PeerAgents peers{
      self,
      deaths,
      [](const std::function<void()>& work) { work(); },
      links.open,
      {.requested = {}, .died = [](const Obituary&) {}, .lost = [](const PeerAgent&) {}, .ask_again = [](const auto&, const auto&) { return false; }}};
  Routes routes{self, peers, {}, [this](const RequesterPtr&, const control::Notice&) { ++postponed; }};
};

}  // namespace octavo::agent::fake
