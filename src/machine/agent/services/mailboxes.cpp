// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/mailboxes.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "base/overloaded.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

namespace {

bool is_of_home(const std::string& name) { return name.starts_with("ov://home/"); }

// A process that was answered before, by a lasting agent that is lost.
class AnsweredBefore final : public Requester {
 public:
  AnsweredBefore(RequesterPtr who, std::string mailbox) : who_(std::move(who)), mailbox_(std::move(mailbox)) {}
  [[nodiscard]] const ProcessFacts& facts() const override { return who_->facts(); }
  [[nodiscard]] Child* child() const override { return who_->child(); }
  [[nodiscard]] PeerAgent* peer() const override { return who_->peer(); }
  void answer(control::Notice notice) override {
    if (const auto* no = control::get_if<control::Failed>(&notice))
      log_line("process " + std::to_string(facts().address.object) + " goes on reading mailbox '" + mailbox_ +
               "', and new posters do not hear of it: " + no->message);
  }
  void hand_to(PeerAgent& other, const control::Notice& request, Otherwise otherwise) override { who_->hand_to(other, request, std::move(otherwise)); }

 private:
  void introduce_to(Child& there) override { who_->connect(there); }

  const RequesterPtr who_;
  const std::string mailbox_;
};

}  // namespace

void Mailboxes::take(const RequesterPtr& requester, const control::MailboxNotice& notice) {
  std::visit(overloaded{[&](const control::MailboxRequest& request) {
                          const bool of_home = is_of_home(request.name);
                          if (of_home) static_cast<void>(address_name(request.name));
                          if (PeerAgent* from = requester->peer(); from != nullptr && of_home)
                            from->theirs.try_emplace(requester->facts().address, requester->facts());
                          const auto to = known_by(request.name);
                          if (of_home && to && *to != nullptr) ask(**to, requester, request);
                          else if (!routes_.forward(to, requester, request)) find(requester, request);
                        },
                        [](const control::MailboxAt&) { refuse_told_to_processes(); }},
             notice);
}

Routes::To Mailboxes::known_by(const std::string& name) const {
  if (PeerAgent* hub = routes_.hub(); hub != nullptr) return hub;
  return is_of_home(name) ? routes_.names_of({}) : nullptr;
}

// The other agent hears of the requester's death: a dead reader is none.
void Mailboxes::ask(PeerAgent& other, const RequesterPtr& requester, const control::MailboxRequest& request) {
  if (deaths_.find(requester->facts()) != nullptr) return;  // it died while the lasting agent was looked for
  deaths_.watch(other.listener(), requester->facts());
  peers_.ask(other, requester, request, [this, requester, request](PeerAgent&, const control::Notice& said, std::uint64_t) {
    if (control::get_if<control::Done>(&said) != nullptr) keep(requester, request);
    requester->answer(said);
  });
}

void Mailboxes::keep(const RequesterPtr& requester, const control::MailboxRequest& request) {
  const std::pair which(request.name, requester->facts().address);
  if (request.use == control::mailbox_use::leave) reads_.erase(which);
  else if (deaths_.find(requester->facts()) == nullptr) reads_.try_emplace(which, requester, request);
}

void Mailboxes::lasting_agent_lost() {
  for (const auto& [which, read] : reads_)
    attempt("asking for a mailbox again", [&, &read = read] { take(std::make_shared<AnsweredBefore>(read.first, read.second.name), read.second); });
}

void Mailboxes::find(const RequesterPtr& requester, const control::MailboxRequest& request) {
  if (!of_program_ && !is_of_home(request.name))
    throw not_supported("mailbox '" + request.name + "' was used by an object with a name, or one that such an object made: mailboxes belong to a program, " +
                            "which they outlive",
                        "Give it a name that begins with ov://home/: all programs and objects with names of this machine reach it");
  if (request.use == control::mailbox_use::leave) return leave(requester, request.name);
  auto& box = mailboxes_[request.name];
  if (!box.type.empty() && box.type != request.type)
    throw usage_error("mailbox '" + request.name + "' holds messages of type " + box.type + ", not of type " + request.type, "Use one type for one name");
  box.type = request.type;
  // It died on a machine whose agent has not told yet. A lasting agent hears of each death before posters do.
  if (of_program_ && box.reader.address && request.lost.is_of(box.reader)) box.reader = {};
  const Address& reader = box.reader.address;
  if (request.use == control::mailbox_use::post) {
    if (reader) return requester->answer(control::MailboxAt{0, box.reader});
    box.waiting.push_back(requester);
    return;
  }
  const ProcessFacts& who = requester->facts();
  if (reader && !Life(who).is_of(box.reader))
    throw refused("mailbox '" + request.name + "' is read by process " + std::to_string(reader.object) + " (" + box.reader.class_name + ", pid " +
                      std::to_string(box.reader.pid) + "), and not by two",
                  "Post to it, or let that process hand on what it reads");
  delay_point("agent: about to give a mailbox its reader");
  box.reader = who;
  requester->answer(control::Done{});
  for (const auto& each : std::exchange(box.waiting, {})) attempt("telling who reads a mailbox", [&] { each->answer(control::MailboxAt{0, who}); });
}

void Mailboxes::leave(const RequesterPtr& requester, const std::string& name) {
  auto box = mailboxes_.find(name);
  if (box != mailboxes_.end() && Life(requester->facts()).is_of(box->second.reader)) box->second.reader = {};
  requester->answer(control::Done{});
  forget_unused();
}

void Mailboxes::process_died(const ProcessFacts& who) {
  std::erase_if(reads_, [&](const auto& each) { return each.first.second == who.address; });
  for (auto& [name, box] : mailboxes_) {
    if (Life(who).is_of(box.reader)) box.reader = {};
    std::erase_if(box.waiting, [&](const auto& each) { return Life(who).is_of(each->facts()); });
  }
  forget_unused();
}

// A lasting agent outlives those who used a box: the next may use its name for another type.
void Mailboxes::forget_unused() {
  if (!of_program_) std::erase_if(mailboxes_, [](const auto& each) { return !each.second.reader.address && each.second.waiting.empty(); });
}

}  // namespace octavo::agent
