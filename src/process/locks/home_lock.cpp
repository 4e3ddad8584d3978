// SPDX-License-Identifier: Apache-2.0
// Locks of the home at their process: each use is a request to the lasting agent. What the process itself knows is which of its threads has a mutex.
#include "base/delay_point.hpp"
#include "machine/notices/home_name.hpp"
#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"
#include "process/locks/lock.hpp"
#include "process/locks/lock_request.hpp"

namespace octavo::detail {

namespace {

AgentClient& agent() { return Endpoint::require().around().agent; }

// By a thread that cannot wait: the watch thread, or one that an error takes away.
void say_aside(AgentClient& agent, const control::HomeLockSaid& said) noexcept {
  try {
    static_cast<void>(agent.ask_later<control::Done>(said, [](const control::Done*, const std::exception_ptr&) {}));
  } catch (const error&) {  // there is no agent any more, and so nothing that this process has
  }
}

}  // namespace

std::shared_ptr<Lock> Lock::open_home(const control::HomeLock& lock) {
  if (!is_of_home(lock.name))
    throw usage_error("'" + lock.name + "' is no name of a " + to_string(lock.kind),
                      "Begin it with ov://home/ for all programs of this machine, or leave 'ov://' out");
  if (lock.kind == lock_kind::barrier || lock.kind == lock_kind::event)
    throw usage_error("'" + lock.name + "' is no name of a " + to_string(lock.kind) + ": none is of the home",
                      "Give it a name of this program, and it to who needs it; between programs use a Condition of the home");
  const auto made = std::make_shared<Lock>(Endpoint::require().around().locks, lock);
  made->say({});  // the lasting agent says what is wrong with it
  return made;
}

void Lock::say(const Said& said) const { agent().ask<control::Done>(control::HomeLockSaid{0, *home_, this_thread().number, said.how_many, said.recalled}); }

// Returns when others can have it: also a process that ends now has given it back.
bool Lock::unlock_home() const {
  auto seen = mine(this_thread());
  if (!word_.compare_exchange_strong(seen, lock_word::free, std::memory_order_release, std::memory_order_relaxed)) return false;
  if (Endpoint::current() != nullptr) say({.how_many = 1});  // without a Runtime its agent has told of the end of this process
  return true;
}

control::LockAnswer Lock::ask_home(const control::HomeLockRequest& request, const Lock& wanted, road::Deadline deadline) const {
  auto& here = Endpoint::require();
  const auto pending = std::make_shared<LockRequestState>();
  const control::HomeLockSaid give_back{0, *wanted.home_, request.thread, 1, 0}, recall{0, request.lock, request.thread, 0, request.ticket};
  auto hear = [pending, &here, give_back](const control::LockAnswer* answer, const std::exception_ptr& error) {
    delay_point("home lock: heard the answer");
    if (answer != nullptr) pending->answer = *answer;
    pending->error = error;
    if (pending->leave_open(LockRequestState::stage::answered)) here.wake_waiters();
    else if (pending->granted()) say_aside(here.around().agent, give_back);
  };
  here.around().agent.ask_later<control::LockAnswer>(request, hear);
  const auto answered = [&] { return pending->answered(); };
  try {
    if (!here.wait(answered, deadline)) {
      say_aside(here.around().agent, recall);
      here.wait(answered, road::never);
    }
  } catch (...) {
    if (pending->leave_open(LockRequestState::stage::left)) say_aside(here.around().agent, recall);
    else if (pending->granted()) say_aside(here.around().agent, give_back);
    throw;
  }
  if (pending->error) std::rethrow_exception(pending->error);
  return pending->answer;
}

lock_outcome Lock::request_home(const RequestOptions& options, const Lock& wanted, road::Deadline deadline) const {
  const auto& thread = this_thread();
  const bool waits_at_condition = options.mutex != nullptr;
  const control::HomeLockRequest request{0, *home_, options.at_once, waits_at_condition ? wanted.name_ : std::string(), thread.number, client_->new_ticket()};
  if (waits_at_condition) wanted.word_.store(lock_word::free, std::memory_order_release);
  control::LockAnswer answer;
  try {
    answer = ask_home(request, wanted, deadline);
  } catch (const error& e) {
    if (waits_at_condition && (e.kind() == error_kind::usage || e.kind() == error_kind::refused))
      wanted.word_.store(wanted.mine(thread));  // it was not given up
    throw;
  }
  if (answer.outcome == lock_outcome::abandoned) throw lock_abandoned(to_string(wanted.kind_) + " '" + wanted.name_ + "'", answer.died.value_or(Obituary{}));
  if (wanted.kind_ == lock_kind::mutex && LockRequestState::is_granted(answer)) wanted.word_.store(wanted.mine(thread), std::memory_order_release);
  return answer.outcome;
}

}  // namespace octavo::detail
