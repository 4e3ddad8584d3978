// SPDX-License-Identifier: Apache-2.0
// A stream of random length and bounds on a schedule, and what is to come of it: who takes the results, when it leaves, who cancels, which stage fails at which
// item, the seed says.
//
//   Mill mill(seed, {.fails = true});
//   mill.run([&](Mill& m) { m.play(std::tuple(m.stage(1), m.farm(2)), model); });
//
// Threading: run() by one thread.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "octavo/stream.hpp"
#include "schedule/stream/played_turns.hpp"

namespace octavo::schedule {

// An item that has bytes, so that bounds of bytes are met.
struct Grain {
  int value = 0;
  [[nodiscard]] std::uint64_t bytes() const noexcept { return 1 + static_cast<std::uint64_t>(value) % 7; }
  friend bool operator==(const Grain&, const Grain&) = default;
};

}  // namespace octavo::schedule

namespace octavo::stream {

template <>
inline constexpr bool is_played<schedule::Grain> = true;

}  // namespace octavo::stream

namespace octavo::schedule {

// Numbers of the source are told apart by this, whatever stages make of them.
inline constexpr int root = 1024;

struct Broken : std::exception {
  int item;
  explicit Broken(int at) : item(at) {}
  [[nodiscard]] const char* what() const noexcept override { return "a stage that was to fail"; }
};

struct MillOptions {
  bool fails = false, cancels = false, leaves = false;
  bool ordered = true, feeds_back = false;
};

class Mill {
 public:
  static constexpr std::size_t most_stages = 3;
  Mill(std::uint64_t seed, MillOptions options) : turns_(seed), options_(options) {}

  // `body` by the thread that takes the results.
  void run(const std::function<void(Mill&)>& body);
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  // What this run gave, to be compared with that of another one.
  [[nodiscard]] const std::vector<int>& got() const noexcept { return got_; }

  // --- by the body ---

  int draw(int below) { return static_cast<int>(turns_.draw(static_cast<std::uint64_t>(below))); }
  // A stage, from 0, has an item in its hands, and may fail there; others come between.
  void work(std::size_t stage, int value);
  // Of a stage: random, and small.
  [[nodiscard]] StreamBound bound(std::size_t stage);
  // Each of the stages gives one result to each item, so that what lies between them can be counted.
  void counts_what_lies(std::array<std::size_t, most_stages> workers) { workers_ = workers; }
  // Runs these stages on numbers. `results_of`: what all of them give for a number of the source.
  template <class Item, class... S>
  void play(std::tuple<S...> stages, const std::function<std::vector<int>(int)>& results_of);

 private:
  static int value_of(const Grain& item) { return item.value; }
  static int value_of(int item) { return item; }
  void choose();
  std::optional<int> next();
  template <class Source, class... S>
  void read(Source& source, std::tuple<S...>& stages);
  template <class Source, class... S>
  void run_to_end(Source& source, std::tuple<S...>& stages);
  // What `work` throws is noted; nobody cancels the run behind it.
  void noting(const std::function<void()>& work);
  void took(int value);
  void cancel_some_time();
  void check_what_lies(std::size_t stage);
  void check(const std::function<std::vector<int>(int)>& results_of);
  [[nodiscard]] std::vector<int> in_order(std::vector<int> values) const;
  void check_part(const std::vector<int>& expected, const std::vector<int>& got);
  void wrong(const std::string& text);

  Turns turns_;
  PlayedTurns played_{turns_};
  const MillOptions options_;
  int items_ = 0, next_ = 0;
  int fails_at_ = -1;                                        // which number
  std::size_t fails_in_ = 0;                                 // which stage; most_stages: the source
  std::size_t leaves_after_ = static_cast<std::size_t>(-1);  // so many results
  stream::Run* run_ = nullptr;                               // that somebody may cancel
  std::vector<int> got_;
  std::optional<int> broken_;  // what was thrown was of this number
  bool was_cancelled_ = false, has_left_ = false;
  std::array<StreamBound, most_stages> bounds_{};
  std::optional<std::array<std::size_t, most_stages>> workers_;
  std::array<int, most_stages> begun_{};
  std::string failure_;
};

template <class Item, class... S>
void Mill::play(std::tuple<S...> stages, const std::function<std::vector<int>(int)>& results_of) {
  choose();
  auto source = stream::source_of([this] {
    const auto value = next();
    return value ? std::optional(Item{*value}) : std::nullopt;
  });
  if (options_.leaves || draw(2) == 0) {
    read(source, stages);
  } else {
    auto whole = std::tuple_cat(std::move(stages), std::tuple(octavo::stage([this](auto&& item) { took(value_of(item)); })));
    run_to_end(source, whole);
  }
  check(results_of);
}

// As Pipeline has it, but for who has the threads.
template <class Source, class... S>
void Mill::read(Source& source, std::tuple<S...>& stages) {
  stream::RunsOnce once;
  auto run = std::make_unique<stream::Run>(once.begin());
  run->play(played_);
  auto belt = stream::Builder<S...>(*run, stages).build(source);
  run_ = run.get();
  noting([&] {
    stream::Reading<typename stream::EndOf<typename Source::item, S...>::type> reading(std::move(run), std::move(belt), nullptr);
    for (; reading != std::default_sentinel && !has_left_; ++reading) {
      took(value_of(*reading));
      has_left_ = got_.size() >= leaves_after_;
      if (has_left_) break;
    }
    run_ = nullptr;
  });
}

template <class Source, class... S>
void Mill::run_to_end(Source& source, std::tuple<S...>& stages) {
  stream::RunsOnce once;
  stream::Run run(once.begin());
  run.play(played_);
  static_assert(std::is_null_pointer_v<decltype(stream::Builder<S...>(run, stages).build(source))>);
  stream::Builder<S...>(run, stages).build(source);
  run_ = &run;
  noting([&] {
    run.begin(false);
    run.work_here();
    run.raise();
  });
}

}  // namespace octavo::schedule
