// SPDX-License-Identifier: Apache-2.0
// Random streams of all forms at places, against their functions one after the other: dealt, to all, in parts, nested, fed back; with bounds of 1, 2 and 3.
// Some stages throw, some streams are left, and workers are killed, at any instant: ST-1 to ST-4, ST-7 to ST-9.
#include <signal.h>
#include <unistd.h>

#include <random>

#include "conformance/stream/stages.hpp"

namespace stream_tests {
namespace {

struct Part {
  int most, fails_at;
  Part(int results, int at) : most(results), fails_at(at) {}
  void svc(int item, ov::emit<int>& out) const {
    if (item == fails_at) throw std::domain_error(std::to_string(item));
    for (int i = 0; i < (most > 1 ? item % (most + 1) : 1); ++i) out(item + i);
  }
};
struct Down {
  void svc(int item, ov::emit<int>& out, ov::again<int>& more) const { item % 10 == 0 ? out(item) : more(item - 1); }
};
std::vector<int> parts_of(int item, std::size_t workers) {
  std::vector<int> parts;
  for (std::size_t i = 0; i < workers; ++i) parts.push_back(10 * item + static_cast<int>(i));
  return parts;
}
int sum_of(const std::vector<int>& parts) { return std::accumulate(parts.begin(), parts.end(), 0); }

enum class form : std::uint8_t { free, in_turn, by_key, to_all, in_parts, nested, loop };

struct Choice {
  form what = form::free;
  Part first{1, -1}, second{1, -1};
  std::size_t workers = 1;
  std::uint64_t bound = 1;
  ov::Place place = ov::process;
  bool redo = false;
};

class Given final : public ov::emit<int> {
 public:
  std::vector<int> all;
  void operator()(int value) override { all.push_back(value); }
};
std::vector<int> of_part(const Part& part, int item) {
  Given given;
  part.svc(item, given);
  return given.all;
}

// What a stage of this form gives to an item.
std::vector<int> of_form(const Choice& choice, int item) {
  std::vector<int> all;
  const auto add = [&](const std::vector<int>& more) { all.insert(all.end(), more.begin(), more.end()); };
  switch (choice.what) {
    case form::to_all:
      for (std::size_t i = 0; i < choice.workers; ++i) add(of_part(choice.first, item));
      return all;
    case form::in_parts:
      for (int part : parts_of(item, choice.workers)) add(of_part(choice.first, part));
      return {sum_of(all)};
    case form::nested:
      for (int between : of_part(choice.first, item)) add(of_part(choice.second, between));
      return all;
    case form::loop: return {item - item % 10};
    default: return of_part(choice.first, item);
  }
}

struct Outcome {
  std::vector<int> items;
  std::size_t whole = 0;  // so many came of the source's items before the one that failed
  bool failed = false;
};

Outcome one_after_the_other(int items, const Choice& choice, const Part& last) {
  Outcome outcome;
  for (int item = 0; item < items; ++item) {
    try {
      std::vector<int> results;
      for (int between : of_form(choice, item))
        for (int result : of_part(last, between)) results.push_back(result);
      outcome.items.insert(outcome.items.end(), results.begin(), results.end());
    } catch (const std::domain_error&) {
      outcome.failed = true;
      break;
    }
  }
  outcome.whole = outcome.items.size();
  return outcome;
}

auto stage_of(const Part& part) { return ov::stage<Part>(part.most, part.fails_at); }
template <class Farm>
auto settled(Farm farm, const Choice& choice) {
  auto made = std::move(farm).workers(choice.workers).bound({.items = choice.bound}).on(choice.place);
  if (choice.redo) return std::move(made).stateless().on_death("redo");
  return made;
}

// Leaves after so many results; 0: never.
template <class Stream>
Outcome outcome_of(const Stream& stream, std::size_t leaves) {
  Outcome outcome;
  try {
    for (int x : stream) {
      outcome.items.push_back(x);
      if (outcome.items.size() == leaves) break;
    }
  } catch (const std::domain_error&) {
    outcome.failed = true;
  }
  return outcome;
}

Outcome run(int items, const Choice& choice, const Part& last, std::size_t leaves) {
  const auto farm = [&] { return settled(ov::farm<Part>(choice.first.most, choice.first.fails_at), choice); };
  const auto with = [&](auto... stages) { return outcome_of(ov::pipeline(numbers(items), std::move(stages)..., stage_of(last).bound({.items = 1})), leaves); };
  switch (choice.what) {
    case form::free: return with(farm());
    case form::in_turn: return with(farm().round_robin());
    case form::by_key: return with(farm().by([](int item) { return item % 10; }));
    case form::to_all: return with(farm().broadcast());
    case form::in_parts: return with(farm().scatter(parts_of).gather(), ov::stage(sum_of));
    case form::nested: return with(settled(ov::farm(ov::pipeline(stage_of(choice.first), stage_of(choice.second))), choice));
    case form::loop: break;
  }
  return with(settled(ov::farm<Down>(), choice));
}

class RandomForms : public testing::TestWithParam<unsigned> {
 protected:
  Part part(bool fails) { return {1 + any(3), fails && any(3) != 0 ? any(200) : -1}; }
  Choice choose(bool fails) {
    return {.what = static_cast<form>(any(7)),
            .first = part(fails),
            .second = part(fails),
            .workers = static_cast<std::size_t>(1 + any(3)),
            .bound = std::vector<std::uint64_t>{1, 2, 3, 64}[static_cast<std::size_t>(any(4))],
            .place = any(2) == 0 ? ov::Place(ov::thread) : ov::Place(ov::process)};
  }
  int any(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  // Workers, fewer than an item may be the death of.
  void kill_some(const std::atomic<bool>& over, unsigned seed) {
    std::mt19937 random(seed);
    for (int killed = 0; killed < 2 && !over;) {
      std::vector<int> workers;
      for (const auto& each : runtime_.processes())
        if (each.pid != getpid()) workers.push_back(each.pid);
      if (workers.empty() || random() % 4 != 0) continue;
      ::kill(workers[random() % workers.size()], SIGKILL);
      ++killed;
    }
  }

  ov::kit::Watchdog watchdog_{120};
  ov::Runtime runtime_;
  std::mt19937 random_{GetParam()};
};

TEST_P(RandomForms, ST3_AreAsTheirFunctionsOneAfterTheOther) {
  for (int round = 0; round < 8; ++round) {
    const int items = any(200);
    const bool fails = any(2) == 0;
    const Choice choice = choose(fails);
    const Part last = part(fails);
    const auto expected = one_after_the_other(items, choice, last);
    const std::size_t leaves = any(3) == 0 ? static_cast<std::size_t>(any(100)) : 0;
    auto got = run(items, choice, last, leaves);
    const auto text = testing::Message() << "round " << round << ", form " << static_cast<int>(choice.what) << ", of " << choice.workers << " workers";
    if (leaves != 0 && leaves <= expected.items.size()) {
      EXPECT_EQ(got.items, std::vector<int>(expected.items.begin(), expected.items.begin() + static_cast<std::ptrdiff_t>(leaves))) << text;
      continue;
    }
    if (leaves == 0 || got.items.size() < leaves) {
      EXPECT_EQ(got.failed, expected.failed) << text;
    }
    ASSERT_GE(got.items.size(), expected.whole) << text;
    if (expected.failed) got.items.resize(expected.whole);  // some of the item that failed may have gone on
    EXPECT_EQ(got.items, expected.items) << text;
  }
}

TEST_P(RandomForms, ST9_AreTheSameWhenTheirWorkersAreKilled) {
  for (int round = 0; round < 4; ++round) {
    Choice choice = choose(false);
    choice.place = ov::process;
    choice.redo = true;
    const int items = any(200);
    std::atomic<bool> over = false;
    std::thread killer([&, seed = random_()] { kill_some(over, seed); });
    Outcome got;
    try {
      got = run(items, choice, Part(1, -1), 0);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
    over = true;
    killer.join();
    EXPECT_EQ(got.items, one_after_the_other(items, choice, Part(1, -1)).items) << "round " << round << ", form " << static_cast<int>(choice.what);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomForms, testing::Range(0U, 4U));

}  // namespace
}  // namespace stream_tests
