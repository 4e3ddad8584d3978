// SPDX-License-Identifier: Apache-2.0
#include "message/mailbox_registry.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/delay_point.hpp"
#include "machine/notices/home_name.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

void wake_waiters() { Endpoint::require().wake_waiters(); }

void read_now() { Endpoint::require().poller().read_now(); }

bool agent_is_gone() noexcept {
  auto* here = Endpoint::current();
  return here == nullptr || here->around().links.orphaned();
}

void adopt_posted(wire::Message& message) { adopt_pages(Endpoint::require().around().pool, message); }

bool take_posted(std::uint64_t mailbox, Posted& into, const Predicate& here, road::Deadline deadline) {
  return MailboxRegistry::here().take_posted(mailbox, into, here, deadline);
}

std::shared_ptr<MailboxEndpointBase> mailbox_endpoint(const std::string& name, std::string_view type,
                                                      const std::function<std::shared_ptr<MailboxEndpointBase>()>& make) {
  if (name.empty()) throw usage_error("a mailbox without a name was used", "Give it one: octavo::Mailbox<T> box(\"name\")");
  if (name.starts_with("ov://") && !is_of_home(name))
    throw usage_error("'" + name + "' is no name of a mailbox", "Begin it with ov://home/ for all programs of this machine, or leave 'ov://' out");
  return MailboxRegistry::here().open(name, type, make);
}

MailboxRegistry::MailboxRegistry(Endpoint& core) : core_(core), around_(core.around()), poller_(core.poller()) {
  for (const auto kind : {wire::frame_kind::post, wire::frame_kind::taken}) core.frames().add<&MailboxRegistry::take>(kind, *this);
  core.frames().add_in_place<&MailboxRegistry::receives_in_place>(wire::frame_kind::post, *this);
}

std::shared_ptr<MailboxEndpointBase> MailboxRegistry::open(const std::string& name, std::string_view type,
                                                           const std::function<std::shared_ptr<MailboxEndpointBase>()>& make) {
  std::lock_guard lock(mutex_);
  const auto id = hash_of(name);
  if (!mailboxes_.contains(id)) mailboxes_.emplace(id, make());
  const auto& mailbox = mailboxes_.at(id);
  if (mailbox->name() != name)
    throw usage_error("mailboxes '" + name + "' and '" + mailbox->name() + "' cannot be told apart", "Give one of them another name");
  if (mailbox->type() != type)
    throw usage_error("mailbox '" + name + "' holds messages of type " + mailbox->type() + ", not of type " + std::string(type), "Use one type for one name");
  return mailbox;
}

namespace {
// It may have ended before there is a connection with it, and have a next life, which reads nothing.
void hear_of_its_end(const Surroundings& around, const Life& reader) {
  around.links.watch(reader);
  around.agent.tell(control::Watch{{reader}});
}
}  // namespace

// A thread that posts need not wait for anything afterwards: then a server's background sender sends what waits for the reader, or the program's progress
// thread does.
void MailboxRegistry::find_reader(const std::shared_ptr<MailboxEndpointBase>& mailbox, const Life& lost) {
  core_.need_progress();
  auto hear = [&core = core_, carrier = core_.sender().background(), mailbox](const control::MailboxAt* at, const std::exception_ptr& error) {
    delay_point("mailbox: heard who reads it");
    const Life reader = at != nullptr ? at->reader : Life{};
    if (!error && reader.who == core.around().self.address) return;  // another thread of this process is becoming the reader, and changes the state itself
    if (reader.who.lasting()) hear_of_its_end(core.around(), reader);
    mailbox->reader_found(reader, error);
    core.around().links.something_changed();
    core.wake_waiters();
    if (core.context().serves()) carrier->look_around_soon();
  };
  around_.agent.ask_later<control::MailboxAt>(control::MailboxRequest{0, mailbox->name(), mailbox->type(), control::mailbox_use::post, lost}, std::move(hear));
}

std::shared_ptr<MailboxEndpointBase> MailboxRegistry::find(std::uint64_t id) {
  std::lock_guard lock(mutex_);
  auto found = mailboxes_.find(id);
  return found == mailboxes_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<MailboxEndpointBase>> MailboxRegistry::all() const {
  std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<MailboxEndpointBase>> all;
  for (const auto& [id, mailbox] : mailboxes_) all.push_back(mailbox);
  return all;
}

void MailboxRegistry::take(wire::Message& message, const PeerLink& from) {
  const auto& poster = from.facts.address;
  const auto& header = message.header;
  if (header.kind == wire::frame_kind::taken) return hear_receipt(header.method, header.call, header.root, poster);
  auto mailbox = find(header.method);
  if (!mailbox) return log_line("process " + std::to_string(poster.object) + " posted to a mailbox that is not here: it is dropped");
  mailbox->arrived(std::move(message), from.facts);
}

// Of no message: the process reads it no more, or (no mailbox) none.
void MailboxRegistry::hear_receipt(std::uint64_t mailbox, std::uint64_t messages, std::uint64_t bytes, const Address& reader) {
  if (messages != 0) {
    if (auto found = find(mailbox)) found->were_taken(messages, bytes);
    return;
  }
  for (const auto& each : all())
    if (mailbox == 0 || each->id() == mailbox) each->reader_left(reader);
}

// Before the call that destroys the object is answered: what its caller, or a thread that the caller tells, posts then finds that the reader is gone.
void MailboxRegistry::object_destroyed() {
  ending();
  bool read_here = false;
  for (const auto& each : all()) read_here = each->stop_reading() || read_here;
  if (!read_here) return;
  std::vector<PeerLink> links;  // not the reader's view of them: this thread has lent that role
  std::uint64_t seen = 0;
  around_.links.refresh(links, seen);
  wire::SmallFrame none;
  none.kind = wire::frame_kind::taken;
  for (const auto& link : links) {
    try {
      core_.sender().post_small(link.facts.address, none, Sender::when_full::hand_over);
    } catch (const error&) {  // it is dead itself
    }
  }
}

void MailboxRegistry::ending() {
  for (const auto& each : all()) each->finish_posting();
}

bool MailboxRegistry::keeps_awake() const {
  const auto mailboxes = all();
  return std::any_of(mailboxes.begin(), mailboxes.end(), [](const auto& each) { return each->holds_something(); });
}

bool MailboxRegistry::receives_in_place(const wire::FrameHeader& header) {
  auto mailbox = find(header.method);
  return mailbox != nullptr && mailbox->receives_in_place();
}

void MailboxRegistry::something_changed() {
  for (const auto& mailbox : all()) {
    try {
      mailbox->look_around();
    } catch (const std::exception& e) {  // the thread that reads here waits for something else
      log_line("mailbox '" + mailbox->name() + "': " + e.what());
    }
  }
}

}  // namespace octavo::detail
