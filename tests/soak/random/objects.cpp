// SPDX-License-Identifier: Apache-2.0
// Objects that begin and end, one that is killed, functions, remote data, pages.
#include <csignal>

#include "random/strand.hpp"

namespace soak {

namespace {
std::uint64_t mixed(std::uint64_t x) { return mix(x); }
ov::future<std::uint64_t> mixed_later(ov::remote_ptr<Worker> by, std::uint64_t x) {
  auto answer = ov::start(by)->add(x);
  co_return co_await answer;
}
}  // namespace

void Strand::short_lives() {
  const auto place = world_.places[below(world_.places.size())];
  std::vector<ov::future<ov::remote_ptr<Worker>>> making;
  std::vector<std::uint64_t> keys;
  for (std::uint64_t i = 1 + below(3); i > 0; --i) {
    keys.push_back(random_());
    making.push_back(below(2) == 0 ? ov::start(place).make<Worker>(keys.back()) : ov::start(ov::thread).make<Worker>(keys.back()));
  }
  for (std::size_t i = 0; i < making.size(); ++i) {
    const ov::scoped<Worker> made(making[i].get());
    expect("the first call of an object", made->add(i), mix(keys[i] ^ i));
    for (std::uint64_t x = below(20); x > 0; --x) (void)ov::start(made)->add(x);  // it ends after them
  }
}

void Strand::functions() {
  const std::uint64_t x = random_();
  auto& by = any();
  auto later = ov::start(ov::thread, mixed_later, by.pointer, x);
  expect("a function in a process of its own", ov::call(world_.places[below(world_.places.size())], mixed, x), mix(x));
  expect("a coroutine on a thread of its own", later.get(), by.add(x));
}

// Each call is answered, and rightly, or throws that its object died.
void Strand::killed() {
  const std::uint64_t key = random_();
  const auto victim = make_worker(world_, below(world_.places.size()), key);
  std::vector<ov::future<std::uint64_t>> answers;
  const std::uint64_t calls = 1 + below(60), last = below(calls);
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (i == last) world_.runtime.kill(victim.address(), SIGKILL);
    try {
      answers.push_back(ov::start(victim)->add(i));
    } catch (const ov::process_died&) {
      break;
    }
  }
  for (std::size_t i = 0; i < answers.size(); ++i) {
    try {
      expect("a call to one who is killed", answers[i].get(), mix(key ^ i));
    } catch (const ov::process_died&) {}
  }
  try {
    for (;;) victim->add(1);  // it dies soon
  } catch (const ov::process_died&) {}
}

void Strand::remote_data() {
  const std::uint64_t size = 1 + some_words();
  const auto place = below(3) == 0 ? ov::Place(ov::thread) : world_.places[below(world_.places.size())];
  const auto data = place.make<std::uint64_t[]>(size);
  Words mine(size);
  for (std::uint64_t i = 1 + below(30); i > 0; --i) {
    const std::uint64_t at = below(size), x = random_();
    switch (below(4)) {
      case 0: data[at] = mine[at] = x; break;
      case 1: (void)ov::start(data)->add(at, x), mine[at] += x; break;
      case 2: expect("one element", data[at], mine[at]); break;
      default: {
        const std::uint64_t count = 1 + below(size - at);
        std::fill_n(mine.begin() + static_cast<std::ptrdiff_t>(at), count, x);
        data.write(at, std::span(mine).subspan(at, count));
      }
    }
  }
  if (data->items() != mine) throw wrong("remote data of " + std::to_string(size) + " words");
  ov::destroy(data);
}

void Strand::pages_given() {
  for (std::uint64_t i = 1 + below(8); i > 0; --i) {
    auto& to = any();
    const std::uint64_t words = 1 + some_words(), seed = random_(), sum = sum_of_page(words, seed);
    auto page = below(2) == 0 ? make_page(words, seed) : to.pointer->new_page(words, seed);
    const auto shared = below(2) == 0 ? page : ov::Page();
    auto reading = ov::start(any().pointer)->read_page(page);
    const auto changed = to.pointer->changed(std::move(page));
    expect("a page that one changed", sum_of(changed), sum - mix(seed) + to.key);
    expect("a page that one read", reading.get(), sum);
    if (shared) expect("a page that was kept", sum_of(shared), sum);
  }
}

// More than the pool has room for: making one waits until those before have been read.
void Strand::pages_in_a_crowd() {
  auto& reader = own_[below(own_.size())];
  std::vector<std::pair<ov::future<std::uint64_t>, std::uint64_t>> under_way;
  for (std::uint64_t i = 0, count = 5 + below(40); i < count; ++i) {
    constexpr std::uint64_t words = 1 << 17;
    under_way.emplace_back(ov::start(reader.pointer)->read_page(make_page(words, i)), sum_of_page(words, i));
  }
  for (auto& [answer, expected] : under_way) expect("a page in a crowd", answer.get(), expected);
}

}  // namespace soak
