// SPDX-License-Identifier: Apache-2.0
// The mailboxes of a program: its agent knows who owns which. A name begins with the first post or the first owner, whichever comes first.
#include "base/delay_point.hpp"
#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

void Agent::Loop::find_mailbox(const std::shared_ptr<Requester>& requester, const control::MailboxWish& wish) {
  if (registry_)
    throw not_supported("mailbox '" + wish.name + "' was used by an object with a name, or one that such an object made: mailboxes belong to a program, " +
                            "which they outlive",
                        "Let them return what they have to say, or take it as an argument");
  auto& box = mailboxes_[wish.name];
  if (!box.type.empty() && box.type != wish.type)
    throw usage_error("mailbox '" + wish.name + "' holds messages of type " + box.type + ", not of type " + wish.type, "Use one type for one name");
  box.type = wish.type;
  if (box.owner && box.owner == wish.lost) box.owner = {};  // on another machine, whose agent has not told us yet
  if (!wish.own) {
    if (box.owner) return requester->answer(control::MailboxAt{0, box.owner});
    box.waiting.push_back(requester);
    return;
  }
  const Address& who = requester->facts().address;
  if (box.owner && box.owner != who)
    throw refused("mailbox '" + wish.name + "' is read by process " + std::to_string(box.owner.object) + ", and not by two",
                  "Post to it, or let that process hand on what it reads");
  delay_point("agent: about to give a mailbox its reader");
  box.owner = who;
  requester->answer(control::Done{});
  for (const auto& each : std::exchange(box.waiting, {})) attempt("telling who reads a mailbox", [&] { each->answer(control::MailboxAt{0, who}); });
}

}  // namespace octavo
