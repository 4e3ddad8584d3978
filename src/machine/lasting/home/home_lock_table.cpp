// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/home/home_lock_table.hpp"

#include "machine/registry/address_name.hpp"

namespace octavo {

HomeLockTable::HomeLockTable()
    : table_(
          LockWords::make(), [this](const LockWaiter& waiter, lock_outcome outcome, const Obituary* died) { tell(waiter, outcome, died); },
          [this](std::uint64_t slot) { return numbers_.contains(static_cast<Number>(slot)); }) {}

unsigned HomeLockTable::open(const control::HomeLock& lock) { return table_.open(lock.kind, "ov://" + address_name(lock.name), lock.initial); }

HomeLockTable::Number HomeLockTable::party(const ProcessFacts& who) {
  const auto [found, is_new] = parties_.try_emplace(who.address, next_);
  if (is_new) numbers_.emplace(next_++, who.address);
  return found->second;
}

void HomeLockTable::tell(const LockWaiter& waiter, lock_outcome outcome, const Obituary* died) {
  auto decided = waiting_.extract({static_cast<Number>(waiter.object), waiter.request});
  if (decided) decided.mapped()(outcome, died);
}

void HomeLockTable::request(const ProcessFacts& who, const control::HomeLockRequest& request, Decided decided) {
  const auto number = party(who), thread = request.thread;
  LockCall call{request.lock.kind, open(request.lock), request.at_once};
  if (call.kind == lock_kind::condition) call.mutex = open({lock_kind::mutex, request.mutex});
  const std::pair ticket(number, request.ticket);
  waiting_.insert_or_assign(ticket, std::move(decided));
  try {
    table_.request(call, {number, number, thread, request.ticket});
  } catch (...) {
    waiting_.erase(ticket);
    throw;
  }
}

void HomeLockTable::take(const ProcessFacts& who, const control::HomeLockSaid& said) {
  const auto number = party(who);
  const auto lock = open(said.lock);
  if (said.recalled != 0) table_.give_up(said.lock.kind, lock, number, said.recalled);
  if (said.how_many == 0) return;
  if (said.lock.kind == lock_kind::mutex) table_.unlock(lock, number, said.thread);
  else table_.release(said.lock.kind, lock, number, said.how_many);
}

void HomeLockTable::process_died(const Obituary& obituary) {
  const auto found = parties_.find(obituary.facts.address);
  if (found == parties_.end()) return;
  const auto number = found->second;
  parties_.erase(found);
  numbers_.erase(number);
  waiting_.erase(waiting_.lower_bound({number, 0}), waiting_.lower_bound({number + 1, 0}));
  table_.reap(number, number, obituary);
}

}  // namespace octavo
