// SPDX-License-Identifier: Apache-2.0
// What the agent knows of messages between its processes: who reads which mailbox, and where the ends of channels are.
// Threading: the agent's.
#pragma once

#include "machine/agent/services/channels.hpp"
#include "machine/agent/services/mailboxes.hpp"

namespace octavo::agent {

struct MessageServices {
  MessageServices(ReaderRecord* record, const Routes& routes, PeerAgents& peers, DeathRegister& deaths)
      : mailboxes(record, routes, peers, deaths), channels(routes, deaths, record != nullptr) {}
  void process_died(const ProcessFacts& who) {
    mailboxes.process_died(who);
    channels.process_died(who);
  }

  Mailboxes mailboxes;
  Channels channels;
};

}  // namespace octavo::agent
