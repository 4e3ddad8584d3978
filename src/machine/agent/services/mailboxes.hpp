// SPDX-License-Identifier: Apache-2.0
// The mailboxes of a program: its agent knows which process reads which. A name begins with the first post or the first reader, whichever comes first. Those
// with a name of the home, ov://home/..., the lasting agent of the machine of the program knows, for all that come there: the agents on the way pass requests
// on, and the deaths of the processes that asked. If it is killed, the next one goes by its note of the readers (ReaderRecord) until each program has told it
// that itself.
//
//   mailboxes.take(requester, request);          // answered now, or when there is a reader
//   mailboxes.process_died(facts);
//   mailboxes.lasting_agent_met(agent);          // tells it all that is read here; there, reads_told(program) follows
//
// Threading: the agent's. Failure: usage_error (another type, a bad name of the home), refused (a second reader), io_error (no note can be made), not_supported
// (of an object with a name).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "machine/agent/peers/routes.hpp"
#include "machine/lasting/reader_record.hpp"

namespace octavo::agent {

class Mailboxes {
 public:
  // `record`: of a lasting agent, which has those of the home only, for it outlives programs. Null: this is a program's.
  Mailboxes(ReaderRecord* record, const Routes& routes, PeerAgents& peers, DeathRegister& deaths);
  void take(const RequesterPtr& requester, const control::MailboxNotice& notice);
  void process_died(const ProcessFacts& who);
  // If it knew of readers here, the next one is begun.
  void lasting_agent_lost();
  void lasting_agent_met(const PeerAgent& lasting);
  // At a lasting agent: what the one before noted of readers in this program, and was not told now, is over.
  void reads_told(const PeerAgent& program);

 private:
  struct Mailbox {
    std::string type;
    ProcessFacts reader;
    std::vector<RequesterPtr> waiting;  // posters, until there is a reader
    ReadingProgram program{};           // the reader's
    bool noted = false;                 // by the lasting agent before, and its program has not told it yet
  };
  [[nodiscard]] Routes::To known_by(const std::string& name) const;
  void ask(PeerAgent& other, const RequesterPtr& requester, const control::MailboxRequest& request);
  void keep(const RequesterPtr& requester, const control::MailboxRequest& request);
  void find(const RequesterPtr& requester, const control::MailboxRequest& request);
  void leave(const RequesterPtr& requester, const std::string& name);
  void grant(Mailbox& box, const RequesterPtr& requester);
  void tell_read(const RequesterPtr& requester, const control::MailboxRequest& request);
  static void forget_reader(Mailbox& box);
  void look_at_note(const std::string& name);
  void note_readers() const;
  void forget_unused(bool readers_left);

  [[nodiscard]] bool of_program() const noexcept { return record_ == nullptr; }
  ReaderRecord* const record_;
  const Routes& routes_;
  PeerAgents& peers_;
  DeathRegister& deaths_;
  std::map<std::string, Mailbox> mailboxes_;
  std::map<std::pair<std::string, Address>, std::pair<RequesterPtr, control::MailboxRequest>> reads_;  // that another agent was asked for, and granted
};

}  // namespace octavo::agent
