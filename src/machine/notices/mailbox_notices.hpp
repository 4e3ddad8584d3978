// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of mailboxes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "octavo/machine/address.hpp"

namespace octavo::control {

// Process to agent: the requester reads this mailbox (`own`: answered Done, or Failed if another process does), or posts to it: answered MailboxAt, when it has
// an owner. `lost`: the owner that the requester knew, which is dead.
struct MailboxRequest {
  std::uint64_t request = 0;
  std::string name, type;
  bool own = false;
  Address lost;
};
struct MailboxAt {
  std::uint64_t request = 0;
  Address owner;
};

using MailboxNotice = std::variant<MailboxRequest, MailboxAt>;

}  // namespace octavo::control
