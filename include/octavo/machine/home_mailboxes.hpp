// SPDX-License-Identifier: Apache-2.0
// The mailboxes of the home, "ov://home/...", that somebody reads: what `octavo ls` shows of them.
//
//   for (const auto& each : octavo::home_mailboxes()) std::cout << each.name << " " << each.reader.pid << " " << each.unread.value_or(0) << "\n";
//
// Read from what the lasting agent notes and the readers show as they work, so nobody is asked, and a reader that does not answer is seen as well. It asks for
// no Runtime. One that nobody reads is in no list: what was posted to it lies with those who posted.
// Threading: any. Failure: io_error (the note cannot be read), usage_error (no such prefix).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/machine/address.hpp"

namespace octavo {

struct MailboxStatus {
  std::string name, type;               // "ov://home/...", and of its messages
  ProcessFacts reader;                  // that reads it
  std::optional<std::uint64_t> unread;  // that came from other processes, and were not taken. None: it is on another machine, or reads more than eight
};
// Those at `prefix` and below, by name. `home`: the default one, if it is empty.
std::vector<MailboxStatus> home_mailboxes(std::string_view prefix = {}, const std::string& home = {});

}  // namespace octavo
