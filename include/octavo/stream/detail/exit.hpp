// SPDX-License-Identifier: Apache-2.0
// Where the results of a stage's workers go: to the belt behind it, as they come, or under the number of what they came of, or gathered from all workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>

#include "octavo/stream/detail/entry.hpp"
#include "octavo/stream/detail/run.hpp"

namespace octavo::stream {

// Puts results on the belt behind a stage; in an ordered farm under the number of what they came of.
template <class Slot>
class Output {
 public:
  Output(Belt<Slot>& belt, Counters& counters) : belt_(belt), counters_(counters) {}
  template <class T>
  void give(T&& value) {
    Slot slot = slot_of(std::move(value));
    put(belt_.next_number(), std::move(slot));
    ++counters_.given;
  }
  // Throws Stopped where nobody wants it.
  void put(std::uint64_t number, Slot&& slot) {
    const bool wanted = belt_.put(number, std::move(slot), [&](auto wait) { counters_.timed(doing::waits_for_room, wait); });
    if (!wanted) throw Stopped();
  }

 private:
  template <class T>
  static Slot slot_of(T&& value) {
    if constexpr (item_in<Slot>::is_bunch && !std::is_same_v<T, Slot>) {
      Slot slot;
      slot.add(std::move(value));
      return slot;
    } else return Slot(std::move(value));
  }
  Belt<Slot>& belt_;
  Counters& counters_;
};

// What all workers of a farm gave to one item, each to its part.
template <class T>
class Gathering {
 public:
  // All of it, in the order of the workers, if this part is the last to come.
  std::optional<std::vector<T>> add(std::uint64_t number, std::size_t worker, std::size_t workers, std::vector<T>&& part) {
    const std::lock_guard lock(mutex_);
    auto& parts = parts_[number];
    parts.emplace(worker, std::move(part));
    if (parts.size() < workers) return std::nullopt;
    std::vector<T> all;
    for (auto& [from, each] : parts) std::move(each.begin(), each.end(), std::back_inserter(all));
    parts_.erase(number);
    return all;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::map<std::size_t, std::vector<T>>> parts_;
};

template <class Is>
class BeltExit {
  using OutSlot = typename Is::OutSlot;
  using Result = typename Is::Result;

 public:
  BeltExit(std::shared_ptr<Belt<OutSlot>> belt, std::size_t workers, bool by_number) : belt_(std::move(belt)), workers_(workers), by_number_(by_number) {}
  [[nodiscard]] std::size_t workers() const noexcept { return workers_; }

  // Calls run() with what takes one result: all are those of this number.
  template <class Run>
  void results_of(std::uint64_t number, std::size_t worker, Counters& mine, Run&& run) {
    if constexpr (Is::is_last) {
      const auto nothing = [](auto&&...) {};
      run(nothing);
    } else {
      Output<OutSlot> output(*belt_, mine);
      if constexpr (Is::gathers) {
        std::vector<Result> part;
        run([&](Result&& result) { part.push_back(std::move(result)); });
        if (auto all = gathering_.add(number, worker, workers_, std::move(part))) give(output, mine, number, std::move(*all));
      } else if (!by_number_) {
        run([&](Result&& result) { output.give(std::move(result)); });
      } else if constexpr (Is::bunched) {
        OutSlot bunch;
        bool some = false;
        try {
          run([&](Result&& result) {
            bunch.add(std::move(result));
            some = true;
            ++mine.given;
          });
        } catch (...) {
          if (some) put_before_error(output, number, std::move(bunch));
          throw;
        }
        output.put(number, std::move(bunch));
      } else {
        run([&](Result&& result) { give(output, mine, number, std::move(result)); });
      }
    }
  }
  // All workers have ended; in order nothing from `end` on will come.
  void close(std::uint64_t end) noexcept {
    if (belt_ != nullptr) belt_->close(by_number_ ? with_what_came_before(end) : belt_->numbers_given());
  }
  // In order nothing from `end` on will come; what comes before it still may.
  void close_in_order(std::uint64_t end) noexcept {
    if (belt_ != nullptr && by_number_) belt_->close(with_what_came_before(end));
  }
  // Nobody wants results; where none are given that is not known here.
  [[nodiscard]] bool is_cancelled() const noexcept { return belt_ != nullptr && belt_->is_cancelled(); }

 private:
  // A bunch that failed in its middle: what it gave until then comes before the error. Closed first: a reader that has it would go on to what lies behind.
  void put_before_error(Output<OutSlot>& output, std::uint64_t number, OutSlot&& bunch) {
    auto least = in_part_.load();
    while (number < least && !in_part_.compare_exchange_weak(least, number)) {}
    belt_->close(number + 1);
    try {
      output.put(number, std::move(bunch));
    } catch (const Stopped&) {  // NOLINT(bugprone-empty-catch): an earlier one failed, or nobody wants it: the error is thrown on
    }
  }
  [[nodiscard]] std::uint64_t with_what_came_before(std::uint64_t end) const noexcept { return end != UINT64_MAX && end == in_part_.load() ? end + 1 : end; }
  void give(Output<OutSlot>& output, Counters& mine, std::uint64_t number, OutSlot&& result) {
    if (!by_number_) return output.give(std::move(result));
    output.put(number, std::move(result));
    ++mine.given;
  }

  const std::shared_ptr<Belt<OutSlot>> belt_;
  const std::size_t workers_;
  const bool by_number_;
  Gathering<Result> gathering_;
  std::atomic<std::uint64_t> in_part_{UINT64_MAX};  // the least number of which only a part was given
};

}  // namespace octavo::stream
