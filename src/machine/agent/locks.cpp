// SPDX-License-Identifier: Apache-2.0
// The locks of this machine between the agent's own processes: those of another agent have others of the same names.
#include "base/delay_point.hpp"
#include "machine/agent/loop.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

void Agent::Loop::make_locks() {
  lock_memory_ = LockWords::make();
  auto tell = [this](const LockWaiter& who, lock_outcome outcome, const Obituary* died) {
    auto to = children_.find(who.object);
    if (to == children_.end()) return;
    control::LockAnswer answer{who.request, outcome, {}};
    if (died != nullptr) answer.died = *died;
    if (outcome == lock_outcome::held) {  // he may be looking, and need not wait for the answer then
      delay_point("agent: about to give a lock");
      locks_->words().given_to(who.slot).store(who.request, std::memory_order_release);
      to->second.bell.ring();
    }
    delay_point("agent: gave a lock, about to answer");
    this->tell(to->second, answer);
  };
  auto is_alive = [this](std::uint64_t slot) {
    for (const auto& [object, child] : children_)
      if (child.slot == slot) return true;
    return false;
  };
  locks_ = std::make_unique<LockTable>(lock_memory_, std::move(tell), std::move(is_alive));
}

bool Agent::Loop::hear_release(Child& from, const control::Notice& notice) {
  const auto* release = control::get_if<control::LockRelease>(&notice);
  if (release == nullptr) return false;
  locks_->release(release->kind, release->number, {from.facts.address.object, from.slot}, release->how_many);
  return true;
}

// True if it was of locks.
bool Agent::Loop::hear_lock(Child& from, const control::Notice& notice) {
  if (hear_release(from, notice)) return true;
  const auto object = from.facts.address.object;
  std::uint64_t request = 0;
  try {
    if (const auto* wish = control::get_if<control::LockWish>(&notice)) {
      request = wish->request;
      locks_->wish(wish->call, {object, from.slot, wish->thread, request});
    } else if (const auto* recall = control::get_if<control::LockRecall>(&notice)) {
      locks_->give_up(recall->kind, recall->number, {object, from.slot, 0, recall->wish});
    } else if (const auto* open = control::get_if<control::OpenLock>(&notice)) {
      request = open->request;
      tell(from, control::LockAt{request, locks_->open(open->kind, open->name, open->initial)});
    } else {
      return false;
    }
  } catch (const std::exception& why) {
    auto no = control::failed(why);
    no.request = request;
    tell(from, no);
  }
  return true;
}

}  // namespace octavo
