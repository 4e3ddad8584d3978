// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of mailboxes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "octavo/machine/address.hpp"

namespace octavo::control {

enum class mailbox_use : std::uint8_t {
  post,  // answered MailboxAt, when it has a reader
  read,  // answered Done, or Failed if another process reads it
  leave  // the requester, which reads it, will not any more: answered Done
};
// Process to agent, and on to the agent that knows the mailbox. `lost`: the reader that the requester knew, which is dead.
struct MailboxRequest {
  std::uint64_t request = 0;
  std::string name, type;
  mailbox_use use = mailbox_use::post;
  Life lost;
};
struct MailboxAt {
  std::uint64_t request = 0;
  Life reader;
};

using MailboxNotice = std::variant<MailboxRequest, MailboxAt>;

}  // namespace octavo::control
