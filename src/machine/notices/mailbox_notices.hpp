// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of mailboxes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "octavo/machine/address.hpp"

namespace octavo::control {

enum class mailbox_use : std::uint8_t {
  post,  // answered MailboxAt, when it has an owner
  read,  // answered Done, or Failed if another process reads it
  leave  // the requester, which reads it, will not any more: answered Done
};
// Process to agent. `lost`: the owner that the requester knew, which is dead.
struct MailboxRequest {
  std::uint64_t request = 0;
  std::string name, type;
  mailbox_use use = mailbox_use::post;
  Address lost;
};
struct MailboxAt {
  std::uint64_t request = 0;
  Address owner;
};

using MailboxNotice = std::variant<MailboxRequest, MailboxAt>;

}  // namespace octavo::control
