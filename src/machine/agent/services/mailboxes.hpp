// SPDX-License-Identifier: Apache-2.0
// The mailboxes of a program: its agent knows which process reads which. A name begins with the first post or the first reader, whichever comes first.
//
//   mailboxes.take(requester, request);          // answered now, or when there is a reader
//   mailboxes.owner_died(address);
//
// Threading: the agent's. Failure: usage_error (another type), refused (a second reader), not_supported (of an object with a name).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/agent/peers/routes.hpp"

namespace octavo::agent {

class Mailboxes {
 public:
  // `of_program`: a lasting agent has none, for it outlives programs.
  Mailboxes(bool of_program, const Routes& routes) : of_program_(of_program), routes_(routes) {}
  void take(const RequesterPtr& requester, const control::MailboxNotice& notice);
  void owner_died(const Address& who);

 private:
  struct Mailbox {
    std::string type;
    Address owner;
    std::vector<RequesterPtr> waiting;  // posters, until there is a reader
  };
  void find(const RequesterPtr& requester, const control::MailboxRequest& request);
  void leave(const RequesterPtr& requester, const std::string& name);

  const bool of_program_;
  const Routes& routes_;
  std::map<std::string, Mailbox> mailboxes_;
};

}  // namespace octavo::agent
