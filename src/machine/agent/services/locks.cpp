// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/locks.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "base/overloaded.hpp"

namespace octavo::agent {

Locks::Locks(Processes& processes, const Fd& memory, MutexTable::IsAlive is_taken)
    : processes_(processes),
      table_(
          memory, [this](const LockWaiter& waiter, lock_outcome outcome, const Obituary* died) { tell(waiter, outcome, died); }, std::move(is_taken)) {}

void Locks::tell(const LockWaiter& waiter, lock_outcome outcome, const Obituary* died) {
  Child* to = processes_.find(waiter.object);
  if (to == nullptr) return;
  control::LockAnswer answer{waiter.request, outcome, {}, waiter.value};
  if (died != nullptr) answer.died = *died;
  if (outcome == lock_outcome::held) {  // a waiting thread that polls the word need not wait for the answer
    delay_point("agent: about to give a lock");
    table_.words().given_to(waiter.slot).store(waiter.request, std::memory_order_release);
    to->bell.ring();
  }
  delay_point("agent: gave a lock, about to answer");
  processes_.tell(*to, answer);
}

void Locks::take(const RequesterPtr& requester, const control::LockNotice& notice) {
  Child& from = own_process(requester);
  const auto object = from.facts.address.object;
  std::visit(overloaded{[&](const control::OpenLock& open) {
                          requester->answer(control::LockAt{0, table_.open(open.kind, open.name, open.initial, object)});
                        },
                        [&](const control::LockRequest& request) {
                          table_.request(request.call, {object, from.slot, request.thread, request.request});
                        },
                        [&](const control::LockRecall& recall) { table_.give_up(recall.kind, recall.number, object, recall.recalled); },
                        [&](const control::LockRelease& of) { release(from, of); }, [](const control::LockAt&) { refuse_told_to_processes(); },
                        [](const control::LockAnswer&) { refuse_told_to_processes(); }},
             notice);
}

void Locks::release(const Child& from, const control::LockRelease& release) {
  table_.release(release.kind, release.number, from.facts.address.object, release.how_many);
}

}  // namespace octavo::agent
