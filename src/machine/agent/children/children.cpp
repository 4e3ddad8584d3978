// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/children.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

Children::Children(const Identity& self, std::uint64_t first_object, EventLoop& events, Slots& slots, StatusBoard& board, SharedMemory memory, Events told)
    : self_(self), next_object_(first_object), events_(events), slots_(slots), board_(board), memory_(memory), told_(std::move(told)) {}

Child& Children::adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named) {
  std::optional<unsigned> slot;
  std::optional<road::Doorbell> bell;
  try {
    slot = slots_.take();
    bell = bells_.make(*slot);
  } catch (...) {
    if (slot) slots_.release(*slot);
    spawn::discard(run);
    throw;
  }
  if (!named) facts.address = {self_.id, self_.incarnation, next_object_++};
  const auto object = facts.address.object;
  Child& child = children_.emplace(object, Child{std::move(facts), *slot, std::move(run), std::move(*bell), host}).first->second;
  try {
    welcome(child, std::move(named));
  } catch (...) {
    abandon(child);
    throw;
  }
  return child;
}

void Children::welcome(Child& child, std::optional<control::NamedHome> named) {
  told_.slot_given(child.slot);
  const auto object = child.facts.address.object;
  events_.watch(child.run.control.get(), on(object, &Children::hear_control));
  if (child.run.pidfd) events_.watch(child.run.pidfd.get(), on(object, &Children::hear_end));
  if (child.run.error_lines) events_.watch(child.run.error_lines.get(), on(object, &Children::hear_lines));
  board_.enter(child.slot, child.facts, child.host, named ? named->name : std::string());
  const std::array gifts{child.bell.descriptor(), memory_.pool, memory_.board, memory_.locks};
  tell(child, control::Welcome{child.facts, child.slot, std::move(named), child.run.mark}, gifts);
}

void Children::abandon(Child& child) {
  unwatch(child);
  spawn::discard(child.run);
  board_.leave(child.slot);
  slots_.release(child.slot);
  children_.erase(child.facts.address.object);
}

void Children::unwatch(const Child& child) {
  for (const Fd* each : {&child.run.control, &child.run.pidfd, &child.run.error_lines})
    if (*each) events_.unwatch(each->get());
}

Child Children::take(std::uint64_t object) {
  auto found = children_.find(object);
  Child child = std::move(found->second);
  children_.erase(found);
  unheard_.erase(object);  // an object's next life has lines of its own
  unwatch(child);
  attempt("freeing the pages of a dead process", [&] { slots_.release(child.slot); });
  board_.leave(child.slot);
  return child;
}

EventLoop::Ready Children::on(std::uint64_t object, void (Children::*handle)(Child&, std::uint32_t)) {
  return [this, object, handle](std::uint32_t events) {
    if (Child* child = find(object); child != nullptr) (this->*handle)(*child, events);
  };
}

void Children::hear_control(Child& from, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0 && from.outbox.go_on(from.run.control.get())) events_.also_writable(from.run.control.get(), false);
  if ((events & ~EPOLLOUT) == 0) return;
  control::Received received;
  auto what = in_context([&] { return from.facts.class_name + " (object " + std::to_string(from.facts.address.object) + ")"; },
                         [&] { return control::receive_now(from.run.control.get(), received); });
  if (what == control::heard::notice) return told_.said(from, received);
  if (what == control::heard::nothing) return;  // a fork of its process was quicker, or will be
  events_.unwatch(from.run.control.get());
  told_.silent(from);
}

void Children::hear_end(Child& child, std::uint32_t /*events*/) { told_.ended(child); }

void Children::hear_lines(Child& child, std::uint32_t /*events*/) {
  const bool more = child.lines.pass_on(child.run.error_lines.get(), standard_error_);
  if (more && standard_error_.is_free()) return;
  events_.unwatch(child.run.error_lines.get());
  if (more) unheard_.insert(child.facts.address.object);
  else child.run.error_lines.reset();
}

void Children::tell(Child& child, const control::Notice& notice, std::span<const int> descriptors) {
  if (!child.outbox.say(child.run.control.get(), notice, descriptors)) events_.also_writable(child.run.control.get(), true);
}

bool Children::lines_wait() { return !unheard_.empty() || !standard_error_.is_free(); }

void Children::look_again() {
  if (unheard_.empty() || !standard_error_.is_free()) return;
  for (auto object : std::exchange(unheard_, {}))
    if (Child* child = find(object); child != nullptr) events_.watch(child->run.error_lines.get(), on(object, &Children::hear_lines));
}

namespace {
// It is stopped: no signal but SIGKILL ends it.
bool stands_still(const spawn::Started& run) {
  siginfo_t how{};
  return ::waitid(P_PIDFD, static_cast<id_t>(run.pidfd.get()), &how, WSTOPPED | WNOHANG | WNOWAIT) == 0 && how.si_pid != 0;
}
}  // namespace

// The end of its control socket ends a process that is well (process/orderly_end.hpp); a process that was forked off this one may have the socket, too.
void Children::begin_to_end() {
  for (auto& [object, child] : children_)
    if (child.run.pidfd) ::shutdown(child.run.control.get(), SHUT_WR);
}

// What they say at their end is passed on meanwhile: none waits for room.
void Children::await_ends(std::chrono::steady_clock::time_point until) {
  std::vector<pollfd> polls;
  std::vector<Child*> whose;
  const auto watch = [&](Child& child, const Fd& descriptor) {
    polls.push_back({descriptor.get(), POLLIN, 0});
    whose.push_back(&child);
  };
  for (auto& [object, child] : children_)
    if (child.run.pidfd && !stands_still(child.run)) watch(child, child.run.pidfd);
  auto living = polls.size();
  for (std::size_t i = 0; i < living; ++i)
    if (whose[i]->run.error_lines) watch(*whose[i], whose[i]->run.error_lines);
  const auto ending = living;
  while (living != 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0 || (::poll(polls.data(), polls.size(), static_cast<int>(left)) < 0 && errno != EINTR)) return;
    for (std::size_t i = 0; i < polls.size(); ++i) {
      if (polls[i].revents == 0) continue;
      if (i >= ending) pass_on_last_lines(*whose[i]);
      const bool over = i < ending || (polls[i].revents & POLLIN) == 0;
      if (i < ending) --living;
      if (over) polls[i].fd = -1;
    }
  }
}

void Children::end_all() {
  constexpr auto patience = std::chrono::seconds(5);
  await_ends(std::chrono::steady_clock::now() + patience);
  for (auto& [object, child] : children_)
    if (child.run.pidfd) ::kill(child.run.pid, SIGKILL);
  for (auto& [object, child] : children_) {
    siginfo_t how{};
    if (child.run.pidfd)
      while (::waitid(P_PIDFD, static_cast<id_t>(child.run.pidfd.get()), &how, WEXITED) != 0 && errno == EINTR) {}
    if (child.run.error_lines) pass_on_last_lines(child);
  }
  standard_error_.finish();
  children_.clear();
}

}  // namespace octavo::agent
