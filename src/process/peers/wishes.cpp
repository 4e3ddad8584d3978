// SPDX-License-Identifier: Apache-2.0
// What a process asks its agent for, and tells it.
#include <algorithm>
#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/errors.hpp"
#include "process/peers/peers.hpp"

namespace octavo::detail {

void Peers::answer(std::uint64_t request, const std::function<void(Answer&)>& fill) {
  delay_point("peers: an answer of the agent came");
  std::unique_lock lock(mutex_);
  auto found = answers_.find(request);
  if (found == answers_.end()) return log_line("the agent answers request " + std::to_string(request) + ", for which nobody waits");
  fill(found->second);
  found->second.there = true;
  if (!found->second.then && !found->second.then_locked) return answered_.notify_all();
  Answer told = std::move(found->second);
  answers_.erase(found);
  lock.unlock();
  tell(told);
}

void Peers::tell(const Answer& answer) {
  std::exception_ptr error;
  try {
    if (answer.failed) raise(*answer.failed);
  } catch (...) {
    error = std::current_exception();
  }
  if (answer.then) answer.then(answer.link.facts.address, error);
  if (answer.then_locked) answer.then_locked(answer.lock_answer, error);
}

// `then` is in what nobody waits for.
template <class Wish>
std::uint64_t Peers::ask_later(Wish wish, Answer then) {  // NOLINT(performance-unnecessary-value-param): it is moved, which is not seen in a template
  {
    std::lock_guard lock(mutex_);
    if (orphaned()) throw gone_error("the agent of this program is gone");
    wish.request = next_request_++;
    answers_[wish.request] = std::move(then);
  }
  if (!control::send(control_.get(), wish)) throw gone_error("the agent of this program is gone");
  return wish.request;
}

template <class Wish>
Peers::Answer Peers::ask(Wish wish) {
  std::unique_lock lock(mutex_);
  if (orphaned()) throw gone_error("the agent of this program is gone");
  wish.request = next_request_++;
  answers_[wish.request];
  lock.unlock();
  if (!control::send(control_.get(), wish)) throw gone_error("the agent of this program is gone");
  lock.lock();
  answered_.wait(lock, [&] { return answers_[wish.request].there; });
  Answer answer = std::move(answers_[wish.request]);
  answers_.erase(wish.request);
  lock.unlock();
  if (answer.failed) raise(*answer.failed);
  return answer;
}

void Peers::raise(const control::Failed& failed) {
  if (failed.obituary) throw process_died(*failed.obituary);
  throw_error(failed.kind, failed.message, failed.cure);
}

Peers::Link Peers::link_to(const Address& to) {
  if (!to) throw usage_error("a call through a remote pointer that points nowhere", "Make it with machine.make<Class>(...) first");
  {
    std::lock_guard lock(mutex_);
    auto dead = dead_.find(to);
    if (dead != dead_.end() && !to.lasting()) throw process_died(dead->second);
    auto found = links_.lower_bound(to);
    auto stale = [&](const Link& link) {  // an earlier life, or parted
      bool died = dead != dead_.end() && dead->second.facts.pid == link.facts.pid;
      return died || (link.connection->lost() && (to.lasting() || self_.address.lasting()));
    };
    while (found != links_.end() && found->first == to && stale(found->second)) ++found;
    if (found != links_.end() && found->first == to) return found->second;
  }
  auto link = ask(control::Connect{0, to}).link;
  delay_point("peers: asked for a connection");
  // The peer may have asked for a connection at the same moment: all our calls take the one that was here first (C-2).
  std::lock_guard lock(mutex_);
  auto first = links_.lower_bound(to);
  while (first != links_.end() && first->first == to && first->second.facts.pid != link.facts.pid) ++first;
  return first != links_.end() && first->first == to ? first->second : link;
}

std::shared_ptr<road::Connection> Peers::way_to(const Address& to) const {
  std::lock_guard lock(mutex_);
  const auto [first, last] = links_.equal_range(to);
  auto found = std::find_if(first, last, [](const auto& each) { return each.second.connection->lost(); });
  if (found == last) found = first;
  return found == last ? nullptr : found->second.connection;
}

road::sent_now Peers::send_small(const Address& to, const wire::SmallFrame& frame) {
  std::lock_guard lock(mutex_);
  auto found = links_.lower_bound(to);
  if (to.lasting() || found == links_.end() || found->first != to) return road::sent_now::no;
  return found->second.connection->send_small(frame);
}

Peers::Link Peers::spawn(control::Spawn wish) { return ask(std::move(wish)).link; }
Peers::Link Peers::open(const std::string& machine, const std::string& name, const std::vector<std::string>& command, std::vector<control::StateClass> known) {
  return ask(control::Open{0, machine, name, command, std::move(known)}).link;
}
std::vector<NamedFacts> Peers::names(const std::string& machine, const std::string& prefix) { return ask(control::Names{0, machine, prefix}).names; }
void Peers::go_back(const std::string& machine, const std::string& name) { ask(control::GoBack{0, machine, name}); }
void Peers::end_lasting(const std::string& machine) { ask(control::EndLasting{0, machine}); }
void Peers::own_mailbox(const std::string& name, const std::string& type) { ask(control::MailboxWish{0, name, type, true, {}}); }
void Peers::find_mailbox(const std::string& name, const std::string& type, const Address& lost, WhenFound then) {
  Answer found;
  found.then = std::move(then);
  ask_later(control::MailboxWish{0, name, type, false, lost}, std::move(found));
}

unsigned Peers::open_lock(lock_kind kind, const std::string& name, std::int64_t initial) {
  const std::pair key(kind, name);
  {
    std::lock_guard lock(mutex_);
    if (auto found = opened_locks_.find(key); found != opened_locks_.end() && found->second.second == initial) return found->second.first;
  }
  const auto number = ask(control::OpenLock{0, kind, name, initial}).lock;
  if (number >= most_locks) throw io_error("an agent has no lock " + std::to_string(number));
  std::lock_guard lock(mutex_);
  opened_locks_.emplace(key, std::pair(number, initial));
  return number;
}

std::uint64_t Peers::ask_for_lock(control::LockWish wish, WhenLocked then) {
  Answer answer;
  answer.then_locked = std::move(then);
  return ask_later(wish, std::move(answer));
}
void Peers::say_ready(std::uint64_t generation) const { control::send(control_.get(), control::Ready{generation}); }
void Peers::say_idle() const { control::send(control_.get(), control::Idle{}); }
void Peers::say_unmade(const error& why) const { control::send(control_.get(), control::Unmade{why.kind(), why.message(), why.cure()}); }
std::vector<ProcessFacts> Peers::list() { return ask(control::List{}).list; }
MachineFacts Peers::facts_of(const std::string& machine) { return ask(control::AskFacts{0, machine}).facts; }
void Peers::kill(const Address& who, int signal) { ask(control::Kill{0, who, signal}); }
void Peers::say_bye(bool resting) const { control::send(control_.get(), control::Bye{resting}); }

}  // namespace octavo::detail
