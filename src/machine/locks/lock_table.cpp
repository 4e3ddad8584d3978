// SPDX-License-Identifier: Apache-2.0
#include "machine/locks/lock_table.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

static_assert(most_locks == LockWords::count);

namespace {

std::size_t place_of(lock_kind kind) {
  if (static_cast<std::size_t>(kind) >= lock_kinds) throw usage_error("there is no such kind of lock");
  return static_cast<std::size_t>(kind);
}

}  // namespace

std::string to_string(lock_kind kind) {
  constexpr std::array<const char*, lock_kinds> names{"mutex", "semaphore", "condition", "barrier", "event"};
  return names.at(place_of(kind));
}

LockTable::LockTable(const Fd& memory, TellWaiter tell, MutexTable::IsAlive is_alive)
    : words_(memory), mutexes_(words_, tell, std::move(is_alive)), semaphores_(tell), conditions_(mutexes_), barriers_(tell), events_(std::move(tell)) {}

bool LockTable::is_open(lock_kind kind, unsigned number) const { return number < numbers_.at(place_of(kind)).size(); }

template <class Use>
void LockTable::with_table(lock_kind kind, const Use& use) {
  switch (kind) {
    case lock_kind::mutex: return use(mutexes_);
    case lock_kind::semaphore: return use(semaphores_);
    case lock_kind::condition: return use(conditions_);
    case lock_kind::barrier: return use(barriers_);
    case lock_kind::event: return use(events_);
  }
}

void LockTable::check_initial(lock_kind kind, unsigned number, std::int64_t initial) const {
  const auto is_counted = kind == lock_kind::semaphore || kind == lock_kind::barrier;
  const auto began = kind == lock_kind::semaphore ? semaphores_.initial(number) : kind == lock_kind::barrier ? barriers_.parties(number) : 0;
  if (!is_counted || began == initial) return;
  const std::string things = kind == lock_kind::semaphore ? " units" : " parties";
  throw usage_error("a " + to_string(kind) + " of this name began with " + std::to_string(began) + things + ", not with " + std::to_string(initial),
                    "Use one number for one name");
}

void LockTable::check_new(lock_kind kind, const std::string& name, std::int64_t initial) const {
  if (name.empty() || name.size() > longest_lock_name)
    throw usage_error("the name of a " + to_string(kind) + " has " + std::to_string(name.size()) + " bytes, not 1 to " + std::to_string(longest_lock_name));
  if (kind == lock_kind::semaphore && (initial < 0 || initial > most_units))
    throw usage_error("semaphore '" + name + "' cannot have " + std::to_string(initial) + " units", "Use 0 to " + std::to_string(most_units));
  if (kind == lock_kind::barrier && (initial < 1 || initial > static_cast<std::int64_t>(most_lock_waiters)))
    throw usage_error("barrier '" + name + "' cannot be for " + std::to_string(initial), "Use 1 to " + std::to_string(most_lock_waiters));
  if (numbers_.at(place_of(kind)).size() == most_locks)
    throw refused("more than " + std::to_string(most_locks) + " names of a " + to_string(kind) + " on one machine", "Use a name for several things");
}

unsigned LockTable::number_of(lock_kind kind, const std::string& name, std::int64_t initial) {
  auto& numbers = numbers_.at(place_of(kind));
  if (auto found = numbers.find(name); found != numbers.end()) {
    in_context([&] { return "'" + name + "'"; }, [&] { check_initial(kind, found->second, initial); });
    return found->second;
  }
  check_new(kind, name, initial);
  const auto number = static_cast<unsigned>(numbers.size());
  with_table(kind, [&](auto& table) { table.add(initial); });
  numbers.emplace(name, number);
  return number;
}

unsigned LockTable::open(lock_kind kind, const std::string& name, std::int64_t initial, std::uint64_t object) {
  const auto number = number_of(kind, name, initial);
  if (kind == lock_kind::barrier) barriers_.take_in(number, object);
  return number;
}

void LockTable::request(const LockCall& call, const LockWaiter& waiter) {
  if (!is_open(call.kind, call.number)) throw usage_error("there is no " + to_string(call.kind) + " " + std::to_string(call.number));
  if (call.kind == lock_kind::condition && !is_open(lock_kind::mutex, call.mutex)) throw usage_error("there is no mutex " + std::to_string(call.mutex));
  with_table(call.kind, [&](auto& table) { table.request(call, waiter); });
}

void LockTable::release(lock_kind kind, unsigned number, std::uint64_t object, std::uint64_t how_many) {
  if (is_open(kind, number)) with_table(kind, [&](auto& table) { table.release(number, object, how_many); });
}

bool LockTable::unlock(unsigned number, unsigned slot, std::uint32_t thread) {
  if (!is_open(lock_kind::mutex, number) || !mutexes_.is_held_by(number, slot, thread)) return false;
  mutexes_.unlock(number);
  return true;
}

void LockTable::give_up(lock_kind kind, unsigned number, std::uint64_t object, std::uint64_t request) {
  if (is_open(kind, number)) with_table(kind, [&](auto& table) { table.give_up(number, object, request); });
}

void LockTable::reap(unsigned slot, std::uint64_t object, const Obituary& obituary) {
  const auto waited = mutexes_.reap(slot, object, obituary);
  conditions_.reap(object, waited);
  semaphores_.reap(object, obituary);
  barriers_.reap(object, obituary);
  events_.reap(object);
}

}  // namespace octavo
