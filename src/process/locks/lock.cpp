// SPDX-License-Identifier: Apache-2.0
#include "process/locks/lock.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "process/endpoint.hpp"
#include "process/forked.hpp"
#include "process/locks/lock_request.hpp"

namespace octavo::detail {

ThisThread& this_thread() noexcept {
  static constinit std::atomic<std::uint32_t> last{0};
  // Small enough for the static TLS room that is left for libraries loaded late. Found without a call, which would be a third of what a free mutex costs.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local ThisThread mine;
  if (mine.number == 0) mine.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine;
}

WaitsFor::WaitsFor(const Lock& mutex) noexcept : word(mutex.word()), outer(std::exchange(this_thread().innermost, this)) {}
WaitsFor::~WaitsFor() { this_thread().innermost = outer; }

std::shared_ptr<Lock> Lock::open(lock_kind kind, const std::string& name, std::int64_t initial) {
  if (name.starts_with("ov://")) return open_home({kind, name, initial});
  const auto& around = Endpoint::require().around();
  const auto& client = around.locks;
  auto number = client->number_of(kind, name, initial);
  if (!number) {
    number = around.agent.ask<control::LockAt>(control::OpenLock{0, kind, name, initial}).number;
    if (*number >= most_locks) throw io_error("an agent has no lock " + std::to_string(*number));
    client->remember(kind, name, initial, *number);
  }
  return std::make_shared<Lock>(client, kind, name, *number);
}

void Lock::check_here() const {
  auto* here = Endpoint::current();
  if (here != nullptr && here->around().locks == client_) return;
  check_process();
  if (here == nullptr) Endpoint::raise_none("a lock was used");
  throw usage_error(to_string(kind_) + " '" + name_ + "' was made in another object, or under another Runtime",
                    "Make one of this name where it is used, or pass it as an argument");
}

void Lock::check_process() const {
  if (is_inherited()) raise_forked(process_);
}

namespace {

struct PendingRequest : LockRequestState {
  PendingRequest(std::shared_ptr<LockClient> asked, lock_kind of, unsigned its_number, std::uint64_t wanted_by)
      : client(std::move(asked)), kind(of), number(its_number), holder(wanted_by) {}
  const std::shared_ptr<LockClient> client;
  const lock_kind kind;
  const unsigned number;
  const std::uint64_t holder;

  // A lock that was granted after the thread had left.
  void give_back() const {
    if (!granted()) return;
    if (kind == lock_kind::mutex) client->unlock(number, holder);
    else client->tell(control::LockRelease{kind, number, 1});
  }
};

constexpr std::chrono::milliseconds between_looks{100};

bool wait_looking_up(Endpoint& here, const std::function<bool()>& answered, road::Deadline deadline, LookUp look) {
  if (look == nullptr) return here.wait(answered, deadline);
  for (;;) {
    const auto next = std::min(deadline, road::Clock::now() + between_looks);
    if (here.wait(answered, next)) return true;
    if (next == deadline) return false;
    look();
  }
}

}  // namespace

control::LockAnswer Lock::ask(const control::LockRequest& request, const Lock& wanted, road::Deadline deadline, LookUp look) const {
  auto& here = Endpoint::require();
  auto pending = std::make_shared<PendingRequest>(client_, wanted.kind_, wanted.number_, mine(this_thread()));
  auto hear = [pending, &here](const control::LockAnswer* answer, const std::exception_ptr& error) {
    delay_point("lock: heard the answer");
    if (answer != nullptr) pending->answer = *answer;
    pending->error = error;
    if (pending->leave_open(PendingRequest::stage::answered)) here.wake_waiters();
    else pending->give_back();
  };
  auto& given = client_->words().given_to(client_->slot());
  const control::LockRecall recall{here.around().agent.ask_later<control::LockAnswer>(request, hear), kind_, number_};
  delay_point("lock: asked");
  const auto answered = [&] { return pending->answered() || given.load(std::memory_order_acquire) == recall.recalled; };
  try {
    if (!wait_looking_up(here, answered, deadline, look)) {
      client_->tell(recall);
      here.wait(answered, road::never);
    }
  } catch (...) {  // what is granted nevertheless is given back: now, or by the watch thread when the answer comes
    if (pending->leave_open(PendingRequest::stage::left)) client_->tell(recall);
    else pending->give_back();
    throw;
  }
  delay_point("lock: woke");
  if (!pending->answered()) return {recall.recalled, lock_outcome::held, {}, 0};
  if (pending->error) std::rethrow_exception(pending->error);
  return pending->answer;
}

lock_outcome Lock::request(const RequestOptions& options, road::Deadline deadline) const {
  const Visit visit;  // the Runtime may end meanwhile, in another thread
  check_here();
  const Lock& wanted = options.mutex != nullptr ? *options.mutex : *this;
  if (wanted.of_home() != of_home())
    throw usage_error(to_string(kind_) + " '" + name_ + "' was used with mutex '" + wanted.name_ + "', and only one of them is of the home",
                      "Give both a name that begins with ov://home/, or none of them");
  if (of_home()) return request_home(options, wanted, deadline);
  const auto answer = ask({0, {kind_, number_, options.at_once, wanted.number_}, this_thread().number}, wanted, deadline);
  if (answer.outcome == lock_outcome::abandoned) throw lock_abandoned(to_string(wanted.kind_) + " '" + wanted.name_ + "'", answer.died.value_or(Obituary{}));
  // What the last holder did happens before what this thread does: the holder released the word, the agent acquired it and released it with the new holder,
  // and this thread acquires that here. An answer by the socket orders nothing.
  if (wanted.kind_ == lock_kind::mutex) static_cast<void>(wanted.word().load(std::memory_order_acquire));
  return answer.outcome;
}

Lock::Told Lock::tell(lock_verb verb, road::Deadline deadline, LookUp look) const {
  const Visit visit;
  check_here();
  auto answer = ask({0, {kind_, number_, false, 0, verb}, this_thread().number}, *this, deadline, look);
  return {answer.outcome, answer.value, std::move(answer.died)};
}

}  // namespace octavo::detail
