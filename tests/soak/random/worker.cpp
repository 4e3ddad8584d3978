// SPDX-License-Identifier: Apache-2.0
#include "random/worker.hpp"

#include <cstring>
#include <future>

namespace soak {

OCTAVO_ERROR(wrong)
OCTAVO_ERROR(as_asked)

void expect(const std::string& what, std::uint64_t found, std::uint64_t expected) {
  if (found != expected) throw wrong(what + ": " + std::to_string(found) + " instead of " + std::to_string(expected));
}

Item Item::make(std::uint64_t poster, std::uint64_t number) {
  constexpr std::uint64_t sizes[] = {0, 1, 3, 20, 0, 2, 700, 9, 0, 5, 40'000};
  return {poster, number, Words(sizes[number % std::size(sizes)], mix(poster ^ number))};
}

void Item::check(std::uint64_t of, std::uint64_t expected) const {
  expect("the next number of poster " + std::to_string(of), number, expected);
  if (words != make(of, expected).words) throw wrong("the words of message " + std::to_string(number) + " of poster " + std::to_string(of));
}

ov::Page make_page(std::uint64_t words, std::uint64_t seed) {
  ov::Page page(static_cast<std::int64_t>(words * sizeof(std::uint64_t)));
  auto* bytes = page.mutable_data();
  for (std::uint64_t i = 0; i < words; ++i) {
    const std::uint64_t word = mix(seed + i);
    std::memcpy(bytes + i * sizeof word, &word, sizeof word);
  }
  return page;
}

std::uint64_t sum_of(const ov::Page& page) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < static_cast<std::size_t>(page.size()); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, page.data() + at, sizeof word);
    sum += word;
  }
  return sum;
}

std::uint64_t sum_of_page(std::uint64_t words, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < words; ++i) sum += mix(seed + i);
  return sum;
}

void Worker::ordered(std::uint64_t caller, std::uint64_t number) { expect("the next call of caller " + std::to_string(caller), number, next_[caller]++); }

Words Worker::turn(Words words) const {
  for (auto& word : words) word ^= key_;
  return words;
}

ov::future<std::uint64_t> Worker::chain(Path path, std::uint64_t at, std::uint64_t x) {
  std::uint64_t found = add(x);
  if (at + 1 < path.size()) {
    auto next = ov::start(path[at + 1])->chain(path, at + 1, found);
    found = co_await next;
  }
  co_return mix(found + key_);
}

ov::future<std::uint64_t> Worker::fan(ov::remote_ptr<Worker> first, ov::remote_ptr<Worker> to, std::uint64_t calls, std::uint64_t x) {
  auto begun = ov::start(first)->add(x);
  const std::uint64_t seed = co_await begun;
  std::vector<ov::future<Words>> answers;
  for (std::uint64_t i = 0; i < calls; ++i) answers.push_back(ov::start(to)->turn(Words(words_of_fan, seed + i)));
  std::uint64_t sum = 0;
  for (auto& answer : answers) {
    const Words words = co_await answer;
    for (auto word : words) sum += word;
  }
  co_return sum;
}

std::uint64_t Worker::climb(const Path& path, std::uint64_t at, std::uint64_t x) {
  std::uint64_t found = mix(key_ ^ x);
  if (at + 1 < path.size()) found = path[at + 1]->climb(path, at + 1, found);
  if (at > 0) found ^= path[0]->add(1);
  return found;
}

std::uint64_t Worker::gathered(const Path& others, std::uint64_t x) {
  std::vector<ov::future<std::uint64_t>> answers;
  answers.reserve(others.size());
  for (const auto& other : others) answers.push_back(ov::start(other)->add(x));
  std::uint64_t sum = 0;
  for (auto answer : ov::when_all(std::move(answers)).get()) sum += answer;
  return sum;
}

namespace {
ov::future<std::uint64_t> halfway(ov::remote_ptr<Worker> to, std::uint64_t x) { co_return co_await ov::start(to)->add(x); }
}  // namespace

std::uint64_t Worker::by_threads(const Path& others, std::uint64_t x) {
  std::vector<std::future<std::uint64_t>> threads;
  for (std::size_t i = 0; i < others.size(); ++i)
    threads.push_back(std::async(std::launch::async, [&to = others[i], x, i] { return i % 2 == 0 ? to->add(x) : halfway(to, x).get(); }));
  std::uint64_t sum = 0;
  for (auto& each : threads) sum += each.get();
  return sum;
}

ov::future<std::uint64_t> Worker::promised(std::uint64_t number) {
  ov::promise<std::uint64_t> answer;
  auto future = answer.get_future();
  if (auto kept = kept_.find(number); kept != kept_.end()) {
    answer.set_value(kept->second);
    kept_.erase(kept);
  } else {
    promised_.emplace(number, std::move(answer));
  }
  return future;
}

void Worker::keep(std::uint64_t number, std::uint64_t value) {
  if (auto waiting = promised_.extract(number)) waiting.mapped().set_value(value);
  else kept_.emplace(number, value);
}

ov::Page Worker::changed(ov::Page page) const {
  std::memcpy(page.mutable_data(), &key_, sizeof key_);
  return page;
}

void Worker::post(const Items& box, std::uint64_t poster, std::uint64_t count) const {
  for (std::uint64_t i = 0; i < count; ++i) box.post(Item::make(poster, i));
}

std::uint64_t Worker::drain(const Items& box, std::uint64_t posters, std::uint64_t count) const {
  std::vector<std::uint64_t> next(posters);
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < posters * count; ++i) {
    const Item item = box.retrieve();
    item.check(item.poster, next.at(item.poster)++);
    sum += mix(item.poster ^ item.number << 8);
  }
  if (box.try_retrieve()) throw wrong("a message more than was posted");
  return sum;
}

std::uint64_t drained(std::uint64_t posters, std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t poster = 0; poster < posters; ++poster)
    for (std::uint64_t i = 0; i < count; ++i) sum += mix(poster ^ i << 8);
  return sum;
}

ItemWriter Worker::write(ItemWriter out, std::uint64_t first, std::uint64_t count) const {
  for (std::uint64_t i = first; i < first + count; ++i) out.post(Item::make(0, i));
  return out;
}

ItemReader Worker::read(ItemReader in, std::uint64_t first, std::uint64_t count) const {
  Item item;
  for (std::uint64_t i = first; i < first + count; ++i) {
    if (!in.retrieve(item)) throw wrong("the end of a channel came before message " + std::to_string(i));
    item.check(0, i);
  }
  return in;
}

void Worker::increment(const ov::Mutex& mutex, const Cells& cells, std::uint64_t times) const {
  for (std::uint64_t i = 0; i < times; ++i) {
    const std::lock_guard lock(mutex);
    const std::uint64_t before = cells[0];
    cells[0] = before + 1;
  }
}

// By the argument, and by its name, if it has one.
void Worker::increment_shared(const Shared& given, const ov::Mutex& mutex, std::uint64_t times) const {
  const auto named = given.name().empty() ? given : Shared(given.name(), given.size());
  for (std::uint64_t i = 0; i < times; ++i) {
    const auto& shared = i % 2 == 0 ? given : named;
    const std::lock_guard lock(mutex);
    const std::uint64_t before = shared[0];
    expect("the last word of a segment", shared[shared.size() - 1], before == 0 ? 0 : mix(before));
    shared[0] = before + 1;
    shared[shared.size() - 1] = mix(before + 1);
  }
}

// Cell 0: how many have one now. Cell 1: how often one was had.
void Worker::with_unit(const ov::Semaphore& units, const Cells& cells, std::uint64_t most, std::uint64_t times) const {
  for (std::uint64_t i = 0; i < times; ++i) {
    units.acquire();
    if (const std::uint64_t before = cells.add(0, 1); before >= most) throw wrong(std::to_string(before + 1) + " have a unit of " + std::to_string(most));
    cells.add(1, 1);
    cells.add(0, ~std::uint64_t{0});
    units.release();
  }
}

void Worker::take_turns(ov::Mutex mutex, const ov::Condition& turned, const Cells& cells, std::uint64_t me, std::uint64_t players, std::uint64_t rounds) const {
  for (std::uint64_t i = 0; i < rounds; ++i) {
    std::unique_lock lock(mutex);
    turned.wait(lock, [&] { return cells[0] % players == me; });
    const std::uint64_t before = cells[0];
    expect("whose turn it is", before, i * players + me);
    cells[0] = before + 1;
    turned.notify_all();
  }
}

}  // namespace soak
