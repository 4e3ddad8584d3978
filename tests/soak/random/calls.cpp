// SPDX-License-Identifier: Apache-2.0
// Calls: waited for, started, continued, nested, as coroutines, taken back, failed.
#include <algorithm>
#include <future>

#include "random/strand.hpp"

namespace soak {

using Answers = std::vector<ov::future<std::uint64_t>>;

void Strand::waited() {
  auto& to = any();
  for (std::uint64_t i = below(300); i > 0; --i) {
    const std::uint64_t x = random_();
    expect("add", to.pointer->add(x), to.add(x));
  }
}

// Many at once; some are dropped, the others taken in any order.
void Strand::started() {
  std::vector<std::pair<ov::future<std::uint64_t>, std::uint64_t>> under_way;
  for (std::uint64_t i = 1 + below(300); i > 0; --i) {
    auto& to = any();
    const std::uint64_t x = random_();
    auto answer = ov::start(to.pointer)->add(x);
    const std::uint64_t expected = to.add(x);
    if (below(10) != 0) under_way.emplace_back(std::move(answer), expected);
  }
  std::shuffle(under_way.begin(), under_way.end(), random_);
  for (auto& [answer, expected] : under_way) expect("a started add", answer.get(), expected);
}

void Strand::continued() {
  Answers answers;
  std::uint64_t sum = 0, expected = 0;
  for (std::uint64_t i = 1 + below(50); i > 0; --i) {
    auto &first = any(), &second = any();
    const std::uint64_t x = random_();
    auto to = second.pointer;
    answers.push_back(ov::start(first.pointer)->add(x).then([to](std::uint64_t y) { return ov::start(to)->add(y); }));
    expected += second.add(first.add(x));
  }
  if (below(2) == 0) {
    for (auto answer : ov::when_all(std::move(answers)).get()) sum += answer;
  } else {
    while (!answers.empty()) {
      auto some = ov::when_any(std::move(answers)).get();
      sum += some.futures.at(some.index).get();
      some.futures.erase(some.futures.begin() + static_cast<std::ptrdiff_t>(some.index));
      answers = std::move(some.futures);
    }
  }
  expect("the sum of continued calls", sum, expected);
}

// Those of one thread to one process run in the order made (C-2).
void Strand::ordered() {
  std::vector<ov::future<void>> under_way;
  for (std::uint64_t i = 1 + below(200); i > 0; --i) {
    const std::size_t to = below(world_.workers.size());
    auto answer = ov::start(world_.workers[to].pointer)->ordered(number_, calls_made_[to]++);
    if (below(4) == 0) answer.get();
    else under_way.push_back(std::move(answer));
  }
  ov::when_all(std::move(under_way)).get();
}

void Strand::bulk() {
  std::vector<std::pair<ov::future<Words>, std::uint64_t>> under_way;
  for (std::uint64_t i = 1 + below(8); i > 0; --i) {
    auto& to = any();
    const Words words(some_words(), random_());
    const std::uint64_t expected = words.empty() ? 0 : words.front() ^ to.key;
    if (below(2) == 0) {
      if (to.pointer->turn(words) != Words(words.size(), expected)) throw wrong("turn gave other words");
    } else {
      under_way.emplace_back(ov::start(to.pointer)->turn(words).then([size = words.size()](const Words& found) {
        if (found.size() != size) throw wrong("turn gave " + std::to_string(found.size()) + " words instead of " + std::to_string(size));
        return found;
      }),
                             expected);
    }
  }
  for (auto& [answer, expected] : under_way)
    for (auto word : answer.get()) expect("a word of a started turn", word, expected);
}

void Strand::chained() {
  Answers answers;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1 + below(20); i > 0; --i) {
    const auto along = path(false);
    std::uint64_t x = random_(), found = x;
    answers.push_back(ov::start(along.front()->pointer)->chain(pointers(along), 0, x));
    for (auto* each : along) found = each->add(found);
    for (auto each = along.rbegin(); each != along.rend(); ++each) found = mix(found + (*each)->key);
    expected.push_back(found);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) expect("a chain of coroutines", answers[i].get(), expected[i]);
}

// To one object, so that such calls come while it goes on with others.
void Strand::fanned() {
  auto& at = any();
  Answers answers;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1 + below(20); i > 0; --i) {
    auto &first = any(), &to = any();
    const std::uint64_t calls = below(60), x = random_();
    answers.push_back(ov::start(at.pointer)->fan(first.pointer, to.pointer, calls, x));
    const std::uint64_t seed = first.add(x);
    expected.push_back(0);
    for (std::uint64_t call = 0; call < calls; ++call) expected.back() += words_of_fan * ((seed + call) ^ to.key);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) expect("a coroutine with many calls", answers[i].get(), expected[i]);
}

void Strand::climbed() {
  for (std::uint64_t i = 1 + below(10); i > 0; --i) {
    const auto along = path(true);
    const std::uint64_t x = random_();
    std::uint64_t expected = x;
    for (auto* each : along) expected = mix(each->key ^ expected);
    for (std::size_t callback = 1; callback < along.size(); ++callback) expected ^= along.front()->add(1);
    expect("a climb", along.front()->pointer->climb(pointers(along), 0, x), expected);
  }
}

// By the method, or by threads of its own.
void Strand::gathered() {
  auto along = path(true);
  auto* at = along.front();
  along.erase(along.begin());
  Answers answers;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1 + below(10); i > 0; --i) {
    const std::uint64_t x = random_();
    const auto begin = ov::start(at->pointer);
    answers.push_back(below(2) == 0 ? begin->by_threads(pointers(along), x) : begin->gathered(pointers(along), x));
    expected.push_back(0);
    for (auto* each : along) expected.back() += each->add(x);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) expect("what a method gathered", answers[i].get(), expected[i]);
}

// Answered later, and not in the order of the calls.
void Strand::promised() {
  auto& to = any();
  std::vector<std::pair<std::uint64_t, ov::future<std::uint64_t>>> waiting;
  std::vector<std::uint64_t> numbers;
  for (std::uint64_t i = 1 + below(30); i > 0; --i) numbers.push_back(number_ << 32 | promises_++);
  for (auto number : numbers) waiting.emplace_back(number, ov::start(to.pointer)->promised(number));
  std::shuffle(numbers.begin(), numbers.end(), random_);
  for (auto number : numbers) {
    if (below(2) == 0) to.pointer->keep(number, mix(number));
    else (void)ov::start(to.pointer)->keep(number, mix(number));
  }
  for (auto& [number, answer] : waiting) expect("what was promised", answer.get(), mix(number));
}

// What was taken back has not run; what was not has.
void Strand::cancelled() {
  auto& to = any();
  std::vector<std::pair<ov::future<std::uint64_t>, std::uint64_t>> under_way;
  for (std::uint64_t i = 1 + below(40); i > 0; --i) {
    const std::uint64_t x = random_();
    under_way.emplace_back(ov::start(to.pointer)->add(x), x);
  }
  for (auto& [answer, x] : under_way) {
    const bool gone = below(2) == 0 && answer.cancel();
    if (!gone) {
      expect("what was not cancelled", answer.get(), to.add(x));
      continue;
    }
    try {
      (void)answer.get();
      throw wrong("a cancelled call gave something");
    } catch (const ov::cancelled&) {}
  }
}

// Told by the progress thread: this one waits for no call.
void Strand::told() {
  auto& to = any();
  const std::uint64_t count = 1 + below(40);
  struct Told {
    std::atomic<std::uint64_t> left, sum{0};
    std::promise<void> all;
  };
  auto told = std::make_shared<Told>();  // whoever tells the last may still be doing so when this returns
  told->left = count;
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t x = random_();
    ov::start(to.pointer)->add(x).then([told](std::uint64_t found) { told->sum += found; }).on_ready([told] {
      if (--told->left == 0) told->all.set_value();
    });
    expected += to.add(x);
  }
  told->all.get_future().wait();
  expect("the sum of what was told", told->sum, expected);
}

namespace {
ov::future<std::uint64_t> walk(Path path, std::uint64_t x) {
  for (const auto& each : path) {
    auto next = ov::start(each)->add(x);
    x = co_await next;
  }
  co_return x;
}
}  // namespace

void Strand::from_a_coroutine() {
  Answers answers;
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 1 + below(10); i > 0; --i) {
    const auto along = path(false);
    std::uint64_t x = random_();
    answers.push_back(walk(pointers(along), x));
    for (auto* each : along) x = each->add(x);
    expected.push_back(x);
  }
  for (std::size_t i = 0; i < answers.size(); ++i) expect("a coroutine of the program", answers[i].get(), expected[i]);
}

void Strand::thrown() {
  auto& to = any();
  for (std::uint64_t i = 1 + below(10); i > 0; --i) {
    const std::string why = "asked for " + std::to_string(random_());
    auto failing = ov::start(to.pointer)->fail(why);
    try {
      if (below(2) == 0) to.pointer->fail(why);
      else failing.get();
      throw wrong("fail gave nothing");
    } catch (const as_asked& e) {
      if (std::string(e.what()).find(why) == std::string::npos) throw wrong("fail threw '" + std::string(e.what()) + "'");
    }
    if (failing.valid()) {
      try {
        failing.get();
      } catch (const as_asked&) {}
    }
  }
}

}  // namespace soak
