// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/mailboxes.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "base/overloaded.hpp"
#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

void Mailboxes::take(const RequesterPtr& requester, const control::MailboxNotice& notice) {
  std::visit(overloaded{[&](const control::MailboxRequest& request) {
                          if (!routes_.forward(routes_.hub(), requester, request)) find(requester, request);
                        },
                        [](const control::MailboxAt&) { refuse_told_to_processes(); }},
             notice);
}

void Mailboxes::find(const RequesterPtr& requester, const control::MailboxRequest& request) {
  if (!of_program_)
    throw not_supported("mailbox '" + request.name + "' was used by an object with a name, or one that such an object made: mailboxes belong to a program, " +
                            "which they outlive",
                        "Let them return what they have to say, or take it as an argument");
  if (request.use == control::mailbox_use::leave) return leave(requester, request.name);
  auto& box = mailboxes_[request.name];
  if (!box.type.empty() && box.type != request.type)
    throw usage_error("mailbox '" + request.name + "' holds messages of type " + box.type + ", not of type " + request.type, "Use one type for one name");
  box.type = request.type;
  if (box.owner && box.owner == request.lost) box.owner = {};  // it died on a machine whose agent has not told yet
  if (request.use == control::mailbox_use::post) {
    if (box.owner) return requester->answer(control::MailboxAt{0, box.owner});
    box.waiting.push_back(requester);
    return;
  }
  const Address& who = requester->facts().address;
  if (box.owner && box.owner != who)
    throw refused("mailbox '" + request.name + "' is read by process " + std::to_string(box.owner.object) + ", and not by two",
                  "Post to it, or let that process hand on what it reads");
  delay_point("agent: about to give a mailbox its reader");
  box.owner = who;
  requester->answer(control::Done{});
  for (const auto& each : std::exchange(box.waiting, {})) attempt("telling who reads a mailbox", [&] { each->answer(control::MailboxAt{0, who}); });
}

void Mailboxes::leave(const RequesterPtr& requester, const std::string& name) {
  auto box = mailboxes_.find(name);
  if (box != mailboxes_.end() && box->second.owner == requester->facts().address) box->second.owner = {};
  requester->answer(control::Done{});
}

void Mailboxes::owner_died(const Address& who) {
  for (auto& [name, box] : mailboxes_)
    if (box.owner == who) box.owner = {};
}

}  // namespace octavo::agent
