// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/locks.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "base/overloaded.hpp"

namespace octavo::agent {

Locks::Locks(Processes& processes, const Fd& memory, MutexTable::IsAlive is_taken)
    : processes_(processes),
      table_(
          memory, [this](const LockWaiter& who, lock_outcome outcome, const Obituary* died) { tell(who, outcome, died); }, std::move(is_taken)) {}

void Locks::tell(const LockWaiter& who, lock_outcome outcome, const Obituary* died) {
  Child* to = processes_.find(who.object);
  if (to == nullptr) return;
  control::LockAnswer answer{who.request, outcome, {}};
  if (died != nullptr) answer.died = *died;
  if (outcome == lock_outcome::held) {  // the waiting thread may be looking at the word, and need not wait for the answer then
    delay_point("agent: about to give a lock");
    table_.words().given_to(who.slot).store(who.request, std::memory_order_release);
    to->bell.ring();
  }
  delay_point("agent: gave a lock, about to answer");
  processes_.tell(*to, answer);
}

void Locks::take(const RequesterPtr& requester, const control::LockNotice& notice) {
  Child& from = own_process(requester);
  const auto object = from.facts.address.object;
  std::visit(overloaded{[&](const control::OpenLock& open) {
                          requester->answer(control::LockAt{0, table_.open(open.kind, open.name, open.initial)});
                        },
                        [&](const control::LockWish& wish) {
                          table_.wish(wish.call, {object, from.slot, wish.thread, wish.request});
                        },
                        [&](const control::LockRecall& recall) {
                          table_.give_up(recall.kind, recall.number, {object, from.slot, 0, recall.wish});
                        },
                        [&](const control::LockRelease& of) { release(from, of); }, [](const control::LockAt&) { refuse_told_to_processes(); },
                        [](const control::LockAnswer&) { refuse_told_to_processes(); }},
             notice);
}

void Locks::release(const Child& from, const control::LockRelease& release) {
  table_.release(release.kind, release.number, {from.facts.address.object, from.slot}, release.how_many);
}

void Locks::slot_given(unsigned slot) { table_.words().given_to(slot).store(0, std::memory_order_relaxed); }

void Locks::process_died(unsigned slot, std::uint64_t object, const Obituary& obituary) { table_.bury(slot, object, obituary); }

}  // namespace octavo::agent
