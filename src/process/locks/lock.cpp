// SPDX-License-Identifier: Apache-2.0
#include "process/locks/lock.hpp"

#include "base/delay_point.hpp"
#include "octavo/base/error.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

ThisThread& this_thread() noexcept {
  static constinit std::atomic<std::uint32_t> last{0};
  // Small enough for the room that each thread has for libraries loaded late; found without a call, which is a third of what a free mutex costs.
  [[gnu::tls_model("initial-exec")]] static constinit thread_local ThisThread mine;
  if (mine.number == 0) mine.number = last.fetch_add(1, std::memory_order_relaxed) + 1;
  return mine;
}

WaitsFor::WaitsFor(const Lock& mutex) noexcept : word_(mutex.word()), outer_(std::exchange(this_thread().innermost, this)) {}
WaitsFor::~WaitsFor() { this_thread().innermost = outer_; }

std::shared_ptr<Lock> Lock::open(lock_kind kind, const std::string& name, std::int64_t initial) {
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
  throw usage_error(to_string(kind_) + " '" + name_ + "' was made in another object, or under another Runtime",
                    "Make one of this name where it is used, or pass it as an argument");
}

namespace {

// Shared by who waits and the watch thread, which hears the agent.
struct Waiting {
  enum class stage : std::uint8_t { open, answered, left };
  std::atomic<stage> at{stage::open};
  control::LockAnswer answer;
  std::exception_ptr error;

  [[nodiscard]] bool answered() const noexcept { return at.load(std::memory_order_acquire) == stage::answered; }
  // What nobody waits for any more.
  lock_kind kind = lock_kind::mutex;
  unsigned number = 0;
  std::uint64_t holder = 0;
  void give_back(LockClient& client) const {
    if (error || (answer.outcome != lock_outcome::held && answer.outcome != lock_outcome::timed_out)) return;
    if (kind == lock_kind::mutex) client.unlock(number, holder);
    else client.tell(control::LockRelease{kind, number, 1});
  }
};

// An exception may end the wait: what is given to him nevertheless is given back, now or when it comes.
class Leaving {
 public:
  Leaving(Waiting& waiting, LockClient& client, control::LockRecall recall) : waiting_(waiting), client_(client), recall_(recall) {}
  ~Leaving() {
    auto open = Waiting::stage::open;
    if (has_heard) return;
    if (waiting_.at.compare_exchange_strong(open, Waiting::stage::left)) client_.tell(recall_);
    else waiting_.give_back(client_);
  }
  Leaving(const Leaving&) = delete;
  Leaving& operator=(const Leaving&) = delete;
  bool has_heard = false;

 private:
  Waiting& waiting_;
  LockClient& client_;
  control::LockRecall recall_;
};

}  // namespace

control::LockAnswer Lock::ask(const control::LockWish& wish, const Lock& wanted, road::Deadline deadline) const {
  auto& here = Endpoint::require();
  auto waiting = std::make_shared<Waiting>();
  waiting->kind = wanted.kind_;
  waiting->number = wanted.number_;
  waiting->holder = mine(this_thread());
  auto hear = [waiting, client = client_, &here](const control::LockAnswer* answer, const std::exception_ptr& error) {
    delay_point("lock: heard the answer");
    if (answer != nullptr) waiting->answer = *answer;
    waiting->error = error;
    auto open = Waiting::stage::open;
    if (waiting->at.compare_exchange_strong(open, Waiting::stage::answered)) here.wake_waiters();
    else waiting->give_back(*client);
  };
  auto& given = client_->words().given_to(client_->slot());
  const control::LockRecall recall{here.around().agent.ask_later<control::LockAnswer>(wish, hear), kind_, number_};
  delay_point("lock: asked");
  Leaving leaving(*waiting, *client_, recall);
  const auto answered = [&] { return waiting->answered() || given.load(std::memory_order_acquire) == recall.wish; };
  if (!here.wait(answered, deadline)) {
    client_->tell(recall);
    here.wait(answered, road::never);
  }
  delay_point("lock: woke");
  leaving.has_heard = true;
  if (!waiting->answered()) return {recall.wish, lock_outcome::held, {}};
  if (waiting->error) std::rethrow_exception(waiting->error);
  return waiting->answer;
}

lock_outcome Lock::wish(const How& how, road::Deadline deadline) const {
  check_here();
  const Lock& wanted = how.mutex != nullptr ? *how.mutex : *this;
  const control::LockWish wish{0, {kind_, number_, how.at_once, wanted.number_}, this_thread().number};
  const auto answer = ask(wish, wanted, deadline);
  if (answer.outcome == lock_outcome::abandoned) throw lock_abandoned(to_string(wanted.kind_) + " '" + wanted.name_ + "'", answer.died.value_or(Obituary{}));
  // What its last holder did comes before what we do: he wrote the word last where we see it; the agent, who handed it on, elsewhere.
  if (wanted.kind_ == lock_kind::mutex) static_cast<void>(wanted.word().load(std::memory_order_acquire));
  return answer.outcome;
}

}  // namespace octavo::detail
