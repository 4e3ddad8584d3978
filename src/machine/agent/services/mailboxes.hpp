// SPDX-License-Identifier: Apache-2.0
// The mailboxes of a program: its agent knows which process reads which. A name begins with the first post or the first reader, whichever comes first. Those
// with a name of the home, ov://home/..., the lasting agent of the machine of the program knows, for all that come there: the agents on the way pass requests
// on, and the deaths of who asked.
//
//   mailboxes.take(requester, request);          // answered now, or when there is a reader
//   mailboxes.process_died(facts);
//
// Threading: the agent's. Failure: usage_error (another type, a bad name of the home), refused (a second reader), not_supported (of an object with a name).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/agent/peers/routes.hpp"

namespace octavo::agent {

class Mailboxes {
 public:
  // `of_program`: else this is a lasting agent, which has those of the home only, for it outlives programs.
  Mailboxes(bool of_program, const Routes& routes, PeerAgents& peers, DeathRegister& deaths)
      : of_program_(of_program), routes_(routes), peers_(peers), deaths_(deaths) {}
  void take(const RequesterPtr& requester, const control::MailboxNotice& notice);
  void process_died(const ProcessFacts& who);
  // The next one is told which of these processes read there.
  void lasting_agent_lost();

 private:
  struct Mailbox {
    std::string type;
    ProcessFacts reader;
    std::vector<RequesterPtr> waiting;  // posters, until there is a reader
  };
  [[nodiscard]] Routes::To known_by(const std::string& name) const;
  void ask(PeerAgent& other, const RequesterPtr& requester, const control::MailboxRequest& request);
  void keep(const RequesterPtr& requester, const control::MailboxRequest& request);
  void find(const RequesterPtr& requester, const control::MailboxRequest& request);
  void leave(const RequesterPtr& requester, const std::string& name);
  void forget_unused();

  const bool of_program_;
  const Routes& routes_;
  PeerAgents& peers_;
  DeathRegister& deaths_;
  std::map<std::string, Mailbox> mailboxes_;
  std::map<std::pair<std::string, Address>, std::pair<RequesterPtr, control::MailboxRequest>> reads_;  // that another agent was asked for, and granted
};

}  // namespace octavo::agent
