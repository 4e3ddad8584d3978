// SPDX-License-Identifier: Apache-2.0
// Entry and exit of a farm that feeds back (again.hpp): what is under way is counted, so that its end is found; in order, the results of what came of one item
// of the input are kept until all of it is done.
#pragma once

#include <algorithm>
#include <map>

#include "octavo/stream/detail/exit.hpp"

namespace octavo::stream {

class LoopBase {
 public:
  LoopBase(std::string stage, std::uint64_t most_bytes) : stage_(std::move(stage)), most_bytes_(most_bytes) {}

 protected:
  // With the mutex. Throws refused where what waits takes too much.
  void add_waiting(std::uint64_t bytes);
  void remove_waiting(std::uint64_t bytes) noexcept { bytes_ -= bytes; }
  std::mutex mutex_;

 private:
  const std::string stage_;
  const std::uint64_t most_bytes_;
  std::uint64_t bytes_ = 0;
};

template <class Is>
class Loop : public LoopBase {
  using In = typename Is::In;
  using OutSlot = typename Is::OutSlot;
  using Result = typename Is::Result;
  using InBelt = Belt<typename Is::Slot>;

 public:
  Loop(const StageSettings& settings, std::shared_ptr<InBelt> in, std::shared_ptr<Belt<OutSlot>> out, bool by_number)
      : LoopBase(settings.name, settings.bound.bytes),
        in_(std::move(in)),
        exit_(out, workers_of(settings), false),
        out_(std::move(out)),
        by_number_(by_number),
        most_roots_(workers() + settings.bound.items),
        taken_(workers()) {}
  [[nodiscard]] std::size_t workers() const noexcept { return exit_.workers(); }

  template <class Waiting>
  Claim claim(std::size_t worker, std::uint64_t most, Waiting&& waiting) {
    for (;;) {
      if (const auto claim = try_claim(worker, most)) return *claim;
      waiting([&] { in_->wait_to_read([&] { return may_go_on(); }); });
    }
  }
  std::optional<Claim> try_claim(std::size_t worker, std::uint64_t most) {
    const std::lock_guard lock(mutex_);
    if (in_->is_cancelled()) return Claim{};
    while (tasks_.empty() && may_take()) take_new(in_->try_claim(1, 1));
    if (tasks_.empty()) return is_done() ? std::optional(Claim{}) : std::nullopt;
    const std::uint64_t count = std::min<std::uint64_t>(most, (tasks_.size() + workers() - 1) / workers());
    auto& mine = taken_[worker];
    mine.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
      remove_waiting(bytes_of(tasks_.back().slot));
      mine.push_back(std::move(tasks_.back()));
      tasks_.pop_back();
    }
    return Claim{0, count};
  }
  Taken<In> take(std::size_t worker, std::uint64_t claimed) { return std::move(taken_[worker][claimed]); }
  [[nodiscard]] std::uint64_t end() const noexcept { return in_->claimed(); }

  // What came of the item `root` of the input goes round once more.
  void again(std::uint64_t root, In&& item) {
    {
      const std::lock_guard lock(mutex_);
      add(root, std::move(item));
    }
    in_->wake_readers();
  }

  template <class Run>
  void results_of(std::uint64_t root, std::size_t worker, Counters& mine, Run&& run) {
    if (!by_number_) {
      exit_.results_of(root, worker, mine, run);
      done(root, {});
    } else {
      std::vector<Result> results;
      run([&](Result&& result) { results.push_back(std::move(result)); });
      done(root, std::move(results));
      give_what_is_due(mine);
    }
    in_->wake_readers();
  }
  void close(std::uint64_t end) noexcept { exit_.close(end); }
  void close_in_order(std::uint64_t end) noexcept { exit_.close_in_order(end); }
  [[nodiscard]] bool is_cancelled() const noexcept { return exit_.is_cancelled(); }
  [[nodiscard]] bool is_cancelled(std::size_t /*worker*/) const noexcept { return in_->is_cancelled(); }
  void leave(std::size_t /*worker*/) noexcept {}

 private:
  struct Root {
    std::uint64_t under_way = 0;
    std::vector<Result> results;
  };

  // --- with the mutex ---
  [[nodiscard]] bool may_take() const noexcept { return (!by_number_ || roots_.size() < most_roots_) && !in_->is_over() && in_->holds_next(); }
  [[nodiscard]] bool is_done() const noexcept { return under_way_ == 0 && in_->is_over(); }
  void take_new(const std::optional<Claim>& claim) {
    if (!claim || claim->count == 0) return;  // it was cancelled meanwhile
    give_each(in_->take(claim->first), [&](In&& item) { add(claim->first, std::move(item)); });
  }
  void add(std::uint64_t root, In&& item) {
    add_waiting(bytes_of(item));
    tasks_.push_back({root, std::move(item)});
    ++under_way_;
    if (by_number_) ++roots_[root].under_way;
  }

  bool may_go_on() {
    const std::lock_guard lock(mutex_);
    return !tasks_.empty() || may_take() || is_done() || in_->is_cancelled();
  }
  void done(std::uint64_t number, std::vector<Result>&& results) {
    const std::lock_guard lock(mutex_);
    --under_way_;
    if (!by_number_) return;
    Root& root = roots_[number];
    --root.under_way;
    std::move(results.begin(), results.end(), std::back_inserter(root.results));
  }
  // By one worker, which waits for room while the others go on: what is due does not wait for them.
  void give_what_is_due(Counters& mine) {
    std::unique_lock lock(mutex_);
    if (gives_) return;
    gives_ = true;
    while (!roots_.empty() && roots_.begin()->second.under_way == 0) {
      auto root = roots_.extract(roots_.begin());
      lock.unlock();
      in_->wake_readers();
      Output<OutSlot> output(*out_, mine);
      for (auto&& each : root.mapped().results) output.give(Result(std::move(each)));
      lock.lock();
    }
    gives_ = false;
  }

  const std::shared_ptr<InBelt> in_;
  BeltExit<Is> exit_;
  const std::shared_ptr<Belt<OutSlot>> out_;
  const bool by_number_;
  const std::size_t most_roots_;
  std::vector<std::vector<Taken<In>>> taken_;  // of each worker
  std::vector<Taken<In>> tasks_;
  std::map<std::uint64_t, Root> roots_;
  std::uint64_t under_way_ = 0;
  bool gives_ = false;
};

// How items come to the workers of a stage, and its results away.
template <class Is>
struct Ways {
  using Entry = std::conditional_t<Is::loops, Loop<Is>, std::conditional_t<Is::is_dealt, Lanes<Is>, SharedEntry<Is>>>;
  using Exit = std::conditional_t<Is::loops, Loop<Is>, BeltExit<Is>>;
  using Slot = std::conditional_t<Is::loops || Is::is_dealt, typename Is::In, typename Is::Slot>;
};

}  // namespace octavo::stream
