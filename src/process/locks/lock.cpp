// SPDX-License-Identifier: Apache-2.0
#include "process/locks/lock.hpp"

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

// Shared by the thread that waits and the watch thread, which hears the agent.
struct AwaitedAnswer {
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

// An exception may end the wait: a lock that the agent gives to this thread nevertheless is given back, now or when the answer comes.
class Leaving : NoCopy {
 public:
  Leaving(AwaitedAnswer& awaited, LockClient& client, control::LockRecall recall) : awaited_(awaited), client_(client), recall_(recall) {}
  ~Leaving() {
    auto open = AwaitedAnswer::stage::open;
    if (has_heard) return;
    if (awaited_.at.compare_exchange_strong(open, AwaitedAnswer::stage::left)) client_.tell(recall_);
    else awaited_.give_back(client_);
  }
  bool has_heard = false;

 private:
  AwaitedAnswer& awaited_;
  LockClient& client_;
  control::LockRecall recall_;
};

}  // namespace

control::LockAnswer Lock::ask(const control::LockWish& wish, const Lock& wanted, road::Deadline deadline) const {
  auto& here = Endpoint::require();
  auto awaited = std::make_shared<AwaitedAnswer>();
  awaited->kind = wanted.kind_;
  awaited->number = wanted.number_;
  awaited->holder = mine(this_thread());
  auto hear = [awaited, client = client_, &here](const control::LockAnswer* answer, const std::exception_ptr& error) {
    delay_point("lock: heard the answer");
    if (answer != nullptr) awaited->answer = *answer;
    awaited->error = error;
    auto open = AwaitedAnswer::stage::open;
    if (awaited->at.compare_exchange_strong(open, AwaitedAnswer::stage::answered)) here.wake_waiters();
    else awaited->give_back(*client);
  };
  auto& given = client_->words().given_to(client_->slot());
  const control::LockRecall recall{here.around().agent.ask_later<control::LockAnswer>(wish, hear), kind_, number_};
  delay_point("lock: asked");
  Leaving leaving(*awaited, *client_, recall);
  const auto answered = [&] { return awaited->answered() || given.load(std::memory_order_acquire) == recall.wish; };
  if (!here.wait(answered, deadline)) {
    client_->tell(recall);
    here.wait(answered, road::never);
  }
  delay_point("lock: woke");
  leaving.has_heard = true;
  if (!awaited->answered()) return {recall.wish, lock_outcome::held, {}};
  if (awaited->error) std::rethrow_exception(awaited->error);
  return awaited->answer;
}

lock_outcome Lock::wish(const How& how, road::Deadline deadline) const {
  check_here();
  const Lock& wanted = how.mutex != nullptr ? *how.mutex : *this;
  const control::LockWish wish{0, {kind_, number_, how.at_once, wanted.number_}, this_thread().number};
  const auto answer = ask(wish, wanted, deadline);
  if (answer.outcome == lock_outcome::abandoned) throw lock_abandoned(to_string(wanted.kind_) + " '" + wanted.name_ + "'", answer.died.value_or(Obituary{}));
  // What the last holder did happens before what this thread does: this reads the word that the holder released, or what the agent, by a mapping of its own,
  // made of that.
  if (wanted.kind_ == lock_kind::mutex) static_cast<void>(wanted.word().load(std::memory_order_acquire));
  return answer.outcome;
}

}  // namespace octavo::detail
