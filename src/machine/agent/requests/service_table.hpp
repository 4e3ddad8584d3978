// SPDX-License-Identifier: Apache-2.0
// The doors of an agent: which part takes the notices of which service.
//
//   ServiceTable table({door<control::LockNotice>(locks), door<control::MailboxNotice>(mailboxes), ...});
//   table.take(requester, notice);             // what the part throws is the answer to a request; of anything else it is thrown on
//   table.take_last_word(child, notice);       // of a process that has died: only what it says of itself, nothing that it asks for
//
// A part has `void take(const RequesterPtr&, const Notice&)` for the variant of its service, and `void take_last_word(Child&, const Notice&)` if a dead process
// may have said something that matters.
// Threading: the agent's. Failure: the constructor throws usage_error for two doors of one service; a service without a door is refused.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "machine/agent/common/requester.hpp"

namespace octavo::agent {

class ServiceTable {
 public:
  struct Door {
    control::service of;
    std::function<void(const RequesterPtr& requester, const control::Notice& notice)> take;
    std::function<void(Child& dead, const control::Notice& notice)> take_last_word;
  };
  explicit ServiceTable(std::vector<Door> doors);

  // Every request is answered, now or later, or its requester is gone.
  void take(const RequesterPtr& requester, const control::Notice& notice) const;
  void take_last_word(Child& dead, const control::Notice& notice) const;

 private:
  [[nodiscard]] const Door* door_of(const control::Notice& notice) const;
  std::map<control::service, Door> doors_;
};

template <class Notice, class Part>
ServiceTable::Door door(Part& part) {
  ServiceTable::Door made{control::service_of<Notice>,
                          [&part](const RequesterPtr& requester, const control::Notice& notice) { part.take(requester, std::get<Notice>(notice)); },
                          {}};
  if constexpr (requires(Child & dead, const Notice& notice) { part.take_last_word(dead, notice); })
    made.take_last_word = [&part](Child& dead, const control::Notice& notice) { part.take_last_word(dead, std::get<Notice>(notice)); };
  return made;
}

// For a part that is told what agents tell processes, never the other way.
[[noreturn]] void refuse_told_to_processes();
// The process itself, for what only an agent's own processes say.
Child& own_process(const RequesterPtr& requester);

}  // namespace octavo::agent
