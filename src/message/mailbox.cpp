// SPDX-License-Identifier: Apache-2.0
// How the reader of a mailbox is found: the agent knows it by the mailbox's name.
#include "octavo/message/mailbox.hpp"

#include "base/delay_point.hpp"
#include "machine/notices/home_name.hpp"
#include "message/channel/edges.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

class MeetingAtMailbox final : public Meeting {
 public:
  MeetingAtMailbox(std::string name, std::string type) : name_(std::move(name)), type_(std::move(type)) {}

  // Where other programs post, a reader that is busy takes what comes in: a program that posts and ends waits only for so long.
  std::atomic<std::uint64_t>* read_here() override {
    auto& here = Endpoint::require();
    if (is_of_home(name_)) here.need_progress();
    here.around().agent.ask<control::Done>(request(control::mailbox_use::read));
    return is_of_home(name_) ? here.around().row.show_mailbox(name_) : nullptr;
  }
  void leave() override {
    const auto& around = Endpoint::require().around();
    around.row.hide_mailbox(name_);
    around.agent.ask<control::Done>(request(control::mailbox_use::leave));
  }

  // A thread that posts need not wait for anything afterwards: then a server's background sender sends what waits for the reader, or the program's progress
  // thread does.
  void find_reader(const std::shared_ptr<EdgeBase>& edge, const Life& lost) override {
    auto& core = Endpoint::require();
    core.need_progress();
    auto hear = [&core, background = core.sender().background(), edge](const control::MailboxAt* at, const std::exception_ptr& error) {
      delay_point("mailbox: heard who reads it");
      const Life reader = at != nullptr ? at->reader : Life{};
      if (!error && reader.who == core.around().self.address) return;  // another thread of this process is becoming the reader, and changes the state itself
      if (reader.who.lasting())
        watch(core.around(), reader);  // it may have ended before there is a connection with it, and have a next life, which reads nothing
      edge->reader_found(reader, error);
      look_at_edges(core, *background);
    };
    core.around().agent.ask_later<control::MailboxAt>(request(control::mailbox_use::post, lost), std::move(hear));
  }

 private:
  [[nodiscard]] control::MailboxRequest request(control::mailbox_use use, const Life& lost = {}) const { return {0, name_, type_, use, lost}; }

  const std::string name_, type_;
};

// Channels have numbers of their own.
std::uint64_t number_of(std::string_view name) { return hash_of(name) & ~(std::uint64_t{1} << 63); }

std::string text_of(const std::string& name) { return "mailbox '" + name + "'"; }

}  // namespace

EdgeFacts mailbox_facts(std::string name, std::string type, const Bound& bound) { return {number_of(name), text_of(name), std::move(type), bound, false}; }

std::unique_ptr<Meeting> meeting_at_mailbox(const std::string& name, const std::string& type) { return std::make_unique<MeetingAtMailbox>(name, type); }

std::shared_ptr<EdgeBase> mailbox_endpoint(const std::string& name, std::string_view type, const std::function<std::shared_ptr<EdgeBase>()>& make) {
  if (name.empty()) throw usage_error("a mailbox without a name was used", "Give it one: octavo::Mailbox<T> box(\"name\")");
  if (name.starts_with("ov://") && !is_of_home(name))
    throw usage_error("'" + name + "' is no name of a mailbox", "Begin it with ov://home/ for all programs of this machine, or leave 'ov://' out");
  auto mailbox = Edges::here().open(number_of(name), make);
  const auto& facts = mailbox->facts();
  if (facts.text != text_of(name)) throw usage_error(text_of(name) + " and " + facts.text + " cannot be told apart", "Give one of them another name");
  if (facts.type != type)
    throw usage_error(facts.text + " holds messages of type " + facts.type + ", not of type " + std::string(type), "Use one type for one name");
  return mailbox;
}

std::shared_ptr<EdgeBase> known_mailbox(const std::string& name) { return Endpoint::current() == nullptr ? nullptr : Edges::here().find(number_of(name)); }

}  // namespace octavo::detail
