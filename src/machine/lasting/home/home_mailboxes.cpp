// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/home_mailboxes.hpp"

#include <algorithm>

#include "machine/board/layout.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/lasting/reader_record.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/machine/status.hpp"

namespace octavo {

namespace {

bool is_below(const std::string& name, const std::string& prefix) {
  const auto plain = address_name(name);
  return prefix.empty() || plain == prefix || plain.starts_with(prefix + "/");
}

std::optional<std::uint64_t> unread_of(const std::string& name, const Address& reader, const std::vector<ProcessStatus>& everyone) {
  const auto found = std::find_if(everyone.begin(), everyone.end(),
                                  [&](const auto& each) { return each.facts.address.agent == reader.agent && each.facts.address.object == reader.object; });
  if (found == everyone.end()) return std::nullopt;
  const auto shown = found->unread.find(board::mailbox_number(name));
  return shown == found->unread.end() ? std::nullopt : std::optional(shown->second);
}

}  // namespace

std::vector<MailboxStatus> home_mailboxes(std::string_view prefix, const std::string& home) {
  const auto wanted = address_prefix(prefix);
  const agent::FileReaderRecord record(home.empty() ? daemon::default_home() : home);
  const auto everyone = all_processes();
  std::vector<MailboxStatus> all;
  for (const auto& [name, noted] : record.left()) {
    if (!record.lives(noted.program) || !is_below(name, wanted)) continue;
    all.push_back({name, noted.type, noted.reader, unread_of(name, noted.reader.address, everyone)});
  }
  return all;
}

}  // namespace octavo
