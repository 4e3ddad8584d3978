// SPDX-License-Identifier: Apache-2.0
// What workers do with each other: mailboxes, locks, collectives.
#include <unistd.h>

#include "random/strand.hpp"

namespace soak {

namespace {
ov::MailboxBound some_bound(std::uint64_t choice) {
  ov::MailboxBound bound;
  if (choice % 3 == 0) bound.messages = 1 + choice % 7;
  return bound;
}

// Of the program, or of the home, which other programs may have, too.
std::string some_name(const std::string& name, std::uint64_t choice) { return choice % 4 == 0 ? "ov://home/" + std::to_string(::getpid()) + "/" + name : name; }
}  // namespace

// This thread reads, others post, perhaps this one, too.
void Strand::mailbox_here() {
  const Items box(some_name(new_name("here"), below(4)), some_bound(below(100)));
  const std::uint64_t posters = 1 + below(4), count = below(200);
  std::vector<ov::future<void>> posting;
  for (std::uint64_t i = 0; i < posters; ++i) posting.push_back(ov::start(any().pointer)->post(box, i, count));
  std::vector<std::uint64_t> next(posters);
  for (std::uint64_t i = 0; i < posters * count; ++i) {
    const Item item = box.retrieve();
    item.check(item.poster, next.at(item.poster)++);
  }
  ov::when_all(std::move(posting)).get();
  if (box.try_retrieve()) throw wrong("a message more than was posted");
}

void Strand::mailbox_there() {
  const Items box(some_name(new_name("there"), below(4)), some_bound(below(100)));
  const std::uint64_t posters = 1 + below(4), count = below(200);
  auto& reader = own_[below(own_.size())];
  std::vector<ov::future<void>> posting;
  const bool first = below(2) == 0;
  ov::future<std::uint64_t> reading;
  if (first) reading = ov::start(reader.pointer)->drain(box, posters, count);
  for (std::uint64_t i = 1; i < posters; ++i) posting.push_back(ov::start(any().pointer)->post(box, i, count));
  if (!first) reading = ov::start(reader.pointer)->drain(box, posters, count);
  for (std::uint64_t i = 0; i < count; ++i) box.post(Item::make(0, i));
  expect("what came into a mailbox", reading.get(), drained(posters, count));
  ov::when_all(std::move(posting)).get();
}

void Strand::several_mailboxes() {
  const Items urgent(new_name("urgent")), other(new_name("other"));
  const std::uint64_t count = 1 + below(60);
  auto first = ov::start(any().pointer)->post(urgent, 0, count), second = ov::start(any().pointer)->post(other, 1, count);
  std::uint64_t next[2] = {0, 0};
  while (next[0] < count || next[1] < count) {
    const auto which = ov::select(urgent, other);
    (which == 0 ? urgent : other).retrieve().check(which, next[which]++);
  }
  first.get();
  second.get();
}

void Strand::mutexes() {
  const ov::Mutex mutex(new_name("mutex"));
  cells_->assign(0);
  std::vector<ov::future<void>> under_way;
  const std::uint64_t others = 1 + below(4), times = 1 + below(60);
  for (std::uint64_t i = 0; i < others; ++i) under_way.push_back(ov::start(any_here().pointer)->increment(mutex, cells_, times));
  for (std::uint64_t i = 0; i < times; ++i) {
    const std::lock_guard lock(mutex);
    const std::uint64_t before = cells_[0];
    cells_[0] = before + 1;
  }
  ov::when_all(std::move(under_way)).get();
  expect("what was counted under a mutex", cells_[0], (others + 1) * times);
}

void Strand::semaphores() {
  const std::uint64_t most = 1 + below(3), others = 1 + below(4), times = 1 + below(30);
  const ov::Semaphore units(new_name("semaphore"), static_cast<std::ptrdiff_t>(most));
  cells_->assign(0);
  std::vector<ov::future<void>> under_way;
  for (std::uint64_t i = 0; i < others; ++i) under_way.push_back(ov::start(any_here().pointer)->with_unit(units, cells_, most, times));
  ov::when_all(std::move(under_way)).get();
  expect("who has a unit still", cells_[0], 0);
  expect("how often a unit was had", cells_[1], others * times);
}

// The first two of its own, and this thread.
void Strand::conditions() {
  const ov::Mutex mutex(new_name("turns"));
  const ov::Condition turned(new_name("turned"));
  cells_->assign(0);
  const std::uint64_t rounds = 1 + below(30), players = 3;
  auto first = ov::start(own_[0].pointer)->take_turns(mutex, turned, cells_, 0, players, rounds);
  auto second = ov::start(own_[1].pointer)->take_turns(mutex, turned, cells_, 1, players, rounds);
  Worker(0).take_turns(mutex, turned, cells_, 2, players, rounds);
  first.get();
  second.get();
  expect("turns taken", cells_[0], players * rounds);
}

void Strand::segments() {
  const ov::Mutex mutex(new_name("segment"));
  const std::uint64_t words = 2 + some_words(), others = 1 + below(4), times = 1 + below(60);
  auto shared = below(2) == 0 ? Shared(words) : Shared(mutex.name(), words);
  std::vector<ov::future<void>> under_way;
  for (std::uint64_t i = 0; i < others; ++i) under_way.push_back(ov::start(any_here().pointer)->increment_shared(shared, mutex, times));
  if (below(2) == 0) Worker(0).increment_shared(shared, mutex, times);
  else ov::start(any_here().pointer)->increment_shared(std::move(shared), mutex, times).get();
  ov::when_all(std::move(under_way)).get();
  if (!shared) return;
  expect("what was counted in a segment", shared[0], (others + 1) * times);
  expect("the first word of a copy", any().pointer->first_of(shared.copy()), shared[0]);
}

void Strand::collectives() {
  const std::uint64_t seed = random_(), rounds = 1 + below(12);
  for (auto sum : group_->collectives(seed, rounds)) expect("what collectives gave", sum, collectives_give(seed, rounds));
  if (below(2) == 0) group_.barrier();
}

}  // namespace soak
