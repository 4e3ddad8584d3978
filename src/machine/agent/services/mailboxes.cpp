// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/mailboxes.hpp"

#include <unistd.h>

#include <utility>

#include "base/delay_point.hpp"
#include "base/overloaded.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/notices/home_name.hpp"
#include "machine/registry/address_name.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::agent {

namespace {

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

Mailboxes::Mailboxes(ReaderRecord* record, const Routes& routes, PeerAgents& peers, DeathRegister& deaths)
    : record_(record), routes_(routes), peers_(peers), deaths_(deaths) {
  if (of_program()) return;
  attempt("looking at who reads mailboxes of the home", [this] {
    for (auto& [name, left] : record_->left())
      if (record_->lives(left.program)) mailboxes_.emplace(name, Mailbox{left.type, left.reader, {}, left.program, true});
  });
}

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
  peers_.ask(other, requester, request, [this, requester, request](PeerAgent&, const control::Notice& said, const PeerAgent::FarEnd&) {
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
  if (!reads_.empty()) tell_read(reads_.begin()->second.first, reads_.begin()->second.second);
}

void Mailboxes::lasting_agent_met(const PeerAgent& lasting) {
  for (const auto& [which, read] : reads_) tell_read(read.first, read.second);
  lasting.tell(talk::ReadsTold{});
}

void Mailboxes::tell_read(const RequesterPtr& requester, const control::MailboxRequest& request) {
  attempt("asking for a mailbox again", [&] { take(std::make_shared<AnsweredBefore>(requester, request.name), request); });
}

void Mailboxes::find(const RequesterPtr& requester, const control::MailboxRequest& request) {
  if (!of_program() && !is_of_home(request.name))
    throw not_supported("mailbox '" + request.name + "' was used by an object with a name, or one that such an object made: mailboxes belong to a program, " +
                            "which they outlive",
                        "Give it a name that begins with ov://home/: all programs and objects with names of this machine reach it");
  if (request.use == control::mailbox_use::leave) return leave(requester, request.name);
  look_at_note(request.name);
  auto& box = mailboxes_[request.name];
  if (!box.type.empty() && box.type != request.type)
    throw usage_error("mailbox '" + request.name + "' holds messages of type " + box.type + ", not of type " + request.type, "Use one type for one name");
  box.type = request.type;
  // It died on a machine whose agent has not told yet. A lasting agent hears of each death before posters do.
  if (of_program() && box.reader.address && request.lost.is_of(box.reader)) box.reader = {};
  const Address& reader = box.reader.address;
  if (request.use == control::mailbox_use::post) {
    if (reader && !box.noted) return requester->answer(control::MailboxAt{0, box.reader});
    box.waiting.push_back(requester);
    return;
  }
  const ProcessFacts& who = requester->facts();
  if (reader && !Life(who).is_of(box.reader))
    throw refused("mailbox '" + request.name + "' is read by process " + std::to_string(reader.object) + " (" + box.reader.class_name + ", pid " +
                      std::to_string(box.reader.pid) + "), and not by two",
                  "Post to it, or let that process hand on what it reads");
  delay_point("agent: about to give a mailbox its reader");
  grant(box, requester);
  requester->answer(control::Done{});
  for (const auto& each : std::exchange(box.waiting, {})) attempt("telling who reads a mailbox", [&] { each->answer(control::MailboxAt{0, who}); });
}

void Mailboxes::leave(const RequesterPtr& requester, const std::string& name) {
  auto box = mailboxes_.find(name);
  if (box != mailboxes_.end() && Life(requester->facts()).is_of(box->second.reader)) {
    forget_reader(box->second);
    forget_unused(true);
  }
  requester->answer(control::Done{});
}

void Mailboxes::process_died(const ProcessFacts& who) {
  std::erase_if(reads_, [&](const auto& each) { return each.first.second == who.address; });
  bool reader_left = false;
  for (auto& [name, box] : mailboxes_) {
    if (Life(who).is_of(box.reader)) {
      forget_reader(box);
      reader_left = true;
    }
    std::erase_if(box.waiting, [&](const auto& each) { return Life(who).is_of(each->facts()); });
  }
  forget_unused(reader_left);
}

void Mailboxes::reads_told(const PeerAgent& program) {
  bool reader_left = false;
  for (auto& [name, box] : mailboxes_) {
    if (!box.noted || box.program.agent != program.id) continue;
    forget_reader(box);
    reader_left = true;
  }
  forget_unused(reader_left);
}

// A program that was killed while there was no lasting agent tells none of its end.
void Mailboxes::look_at_note(const std::string& name) {
  auto found = mailboxes_.find(name);
  if (found == mailboxes_.end() || !found->second.noted || record_->lives(found->second.program)) return;
  forget_reader(found->second);
  forget_unused(true);
}

// A grant that the next lasting agent could not know of is none.
void Mailboxes::grant(Mailbox& box, const RequesterPtr& requester) {
  box.noted = false;
  if (box.reader.address) return;
  box.reader = requester->facts();
  if (of_program()) return;
  try {
    const auto* from = requester->peer();
    box.program = from != nullptr ? ReadingProgram::of(from->id, from->pid) : ReadingProgram::of(0, ::getpid());
    note_readers();
  } catch (...) {
    forget_reader(box);
    forget_unused(false);
    throw;
  }
}

void Mailboxes::forget_reader(Mailbox& box) {
  box.reader = {};
  box.noted = false;
}

void Mailboxes::note_readers() const {
  ReaderRecord::All all;
  for (const auto& [name, box] : mailboxes_)
    if (box.reader.address) all.emplace(name, HomeReader{box.type, box.reader, box.program});
  record_->keep(all);
}

// The next may use its name for another type.
void Mailboxes::forget_unused(bool readers_left) {
  if (readers_left && !of_program()) attempt("noting who reads mailboxes of the home", [this] { note_readers(); });
  std::erase_if(mailboxes_, [](const auto& each) { return !each.second.reader.address && each.second.waiting.empty(); });
}

}  // namespace octavo::agent
