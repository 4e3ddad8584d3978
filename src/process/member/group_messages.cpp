// SPDX-License-Identifier: Apache-2.0
// An endpoint as a member of groups: what the layer of groups asks of it.
#include "octavo/base/log.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "process/errors/loss.hpp"
#include "process/member/group_member.hpp"
#include "process/sending/pages.hpp"

namespace octavo::detail {

namespace {

constexpr auto first_question = std::chrono::milliseconds(10), next_questions = std::chrono::milliseconds(500);
constexpr auto failures_come_within = std::chrono::milliseconds(50);

Endpoint& of_object() {
  auto& here = Endpoint::require();
  if (here.context().serves()) return here;
  throw usage_error("octavo::self was called in the program, outside of any object", "Call it within a method of an object that place.make<Class>(...) made");
}

Inbox& inbox_of(const Endpoint& core) { return core.feature<GroupMember>().inbox(); }
Inbox& inbox_here() { return inbox_of(Endpoint::require()); }

}  // namespace

usage_error different_collectives(std::uint32_t mine, const std::string& my_text, std::uint32_t other, const std::string& other_text) {
  return usage_error("member " + std::to_string(mine) + " is in " + my_text + " and member " + std::to_string(other) + " in " + other_text,
                     "Let all members call the same collectives in the same order");
}

namespace {
std::exception_ptr never_comes(std::uint32_t member, const std::string& collective) {
  return std::make_exception_ptr(usage_error("member " + std::to_string(member) + " has returned from the call to all without calling " + collective,
                                             "Let all members call the same collectives in the same order"));
}
}  // namespace

void GroupMember::take(wire::Message& message, const PeerLink& from) {
  if (auto out = inbox_.put(std::move(message), from.connection)) answer(from.connection, *out);
  core_.poller().waiters().wake();
}

void GroupMember::call_to_all_answered(const CallToAll& which, const std::exception_ptr& error) noexcept {
  try {
    for (const auto& each : inbox_.answered(which.number, error)) {
      auto out = inbox_.left_out(each, error);
      answer(each.by.lock(), out);
    }
  } catch (const std::exception& e) {
    log_line(std::string("members that wait for one that has answered could not be told: they ask again: ") + e.what());
  }
}

void GroupMember::answer(const std::shared_ptr<road::Connection>& by, wire::Outgoing& out) const {
  if (!by) return;
  out.header.caller = core_.around().self.address.object;
  out.seal();
  try {
    by->send(out, road::keep_rest);
  } catch (const gone_error&) {}
}

void DeathWatch::begin() {
  constexpr std::size_t at_once = 1000;  // a notice has a bound
  const auto& around = Endpoint::require().around();
  for (const auto& each : members_)
    if (each.pid != 0) around.links.watch(each);
  for (std::span<const Life> left = members_; !left.empty();) {
    const auto some = left.first(std::min(at_once, left.size()));
    around.agent.tell(control::Watch{{some.begin(), some.end()}});
    left = left.subspan(some.size());
  }
}

const Obituary* DeathWatch::look() {
  const auto& links = Endpoint::require().around().links;
  if (!dead_ && links.changed(seen_)) {
    seen_ = links.version();
    for (const auto& each : members_)
      if (!dead_) dead_ = links.obituary_of(each);
  }
  return dead_ ? &*dead_ : nullptr;
}

void raise_death(const Life& of) {
  const auto& around = Endpoint::require().around();
  around.links.watch(of);
  around.agent.tell(control::Watch{{of}});
  around.links.raise_gone(of);
}

const ProcessFacts& facts_of_object() { return of_object().around().self; }

void check_object(const std::type_info& type, std::string_view class_name) {
  if (auto* object = of_object().server().object()) view_as(*object, type, class_name);
}

void* kept_with_object(const std::function<std::shared_ptr<void>()>& make) { return inbox_of(of_object()).keep(make); }

std::uint64_t new_number() {
  const auto& here = Endpoint::require();
  return root_of(here.around().self.address, inbox_of(here).count_up());
}

void address_group_message(wire::Outgoing& out, const GroupMessageKey& key, group_message what) {
  out.header.kind = wire::frame_kind::member;
  out.body.append(&key.round, sizeof key.round);
  out.header.root = key.group;
  out.header.call = key.sequence;
  out.header.method = key.from;
  out.header.flags = static_cast<std::uint8_t>(what);
}

void send_group_message(const Life& to, const GroupMessageKey& key, group_message what, wire::Outgoing& out) {
  address_group_message(out, key, what);
  auto& here = Endpoint::require();
  if (what == group_message::value) inbox_of(here).count_sent(key, to.who);  // first: it may arrive before this thread looks again
  here.sender().send(to, out);
}

void send_failure(const Life& to, const GroupMessageKey& key, const std::exception_ptr& error, const std::string& during) noexcept {
  try {
    wire::Outgoing out;
    encode_error(out, error, Endpoint::require().around().self, during);
    send_group_message(to, key, group_message::failure, out);
  } catch (const gone_error&) {  // it needs no telling
  } catch (const std::exception& e) {
    log_line("the failure of " + during + " could not be told to process " + std::to_string(to.who.object) + ": " + e.what());
  }
}

// A failure of the call to all before was sent before that ended, but by another road than the call that runs now.
std::exception_ptr enter_collective(const GroupMessageKey& mine, const std::string& text) {
  auto& here = Endpoint::require();
  auto& inbox = inbox_of(here);
  auto told = [&] { return !inbox.would_tell_of_other_rounds(mine); };
  if (!told()) here.poller().wait(told, road::Clock::now() + failures_come_within);
  return inbox.enter(mine, text);
}
void leave_collective(const GroupMessageKey& mine, bool well) { inbox_here().leave(mine, well); }

CallToAll call_to_all_here() { return Endpoint::require().context().to_all(); }

void forget_group(std::uint64_t group) { inbox_here().forget(group); }

Awaited await_group_message(const GroupMessageKey& key, const std::string& during, DeathWatch& deaths, const std::function<void()>& ask,
                            const std::function<bool()>& came) {
  const Visit visit;  // the Runtime may end meanwhile, in another thread
  auto& here = Endpoint::require();
  auto& inbox = inbox_of(here);
  const auto& links = here.around().links;
  // No number of messages: a member that is in that collective owes none.
  const auto taken_before = came ? UINT64_MAX : inbox.taken(key);
  AwaitedGroupMessage awaited{deaths.members()[key.from], {key.round, key.group, key.sequence, taken_before, during}};
  CycleFinder::Wait wait(here.cycles(), nullptr, &awaited);
  auto answered = [&] { return (came && came()) || inbox.has(key) || deaths.look() != nullptr || links.orphaned() || wait.cycle() != nullptr; };
  std::optional<OwnRow::Wait> published;
  const auto begun = road::Clock::now();
  for (auto patience = first_question;; patience = next_questions) {
    here.poller().wait(answered, road::Clock::now() + patience);
    if (came && came()) return {};
    if (auto taken = inbox.take(key)) {
      adopt_pages(here.around().pool, taken->message);
      if (taken->earlier) return {{}, taken->earlier, false};
      return {std::move(taken->message), nullptr, false};
    }
    if (auto failure = inbox.failure(key)) return {{}, failure->error ? failure->error : never_comes(failure->from, during), failure->by_message};
    if (const auto* dead = deaths.look()) return {{}, loss_of(*dead), !is_unreached(*dead)};
    if (links.orphaned()) return {{}, std::make_exception_ptr(gone_error(gone_text())), true};
    if (auto cycle = wait.cycle()) return {{}, cycle, false};
    ask();
    if (!published) published.emplace(here.around().row, !here.context().runs_methods(), OwnRow::Awaited{awaited.from.who, 0, during}, begun);
  }
}

std::size_t connections_of_object() {
  std::vector<PeerLink> links;
  std::uint64_t version = 0;
  Endpoint::require().around().links.refresh(links, version);
  std::set<Address> peers;  // two that ask for each other at one moment have two connections
  for (const auto& link : links) peers.insert(link.facts.address);
  return peers.size();
}

}  // namespace octavo::detail
