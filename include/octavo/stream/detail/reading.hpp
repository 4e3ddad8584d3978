// SPDX-License-Identifier: Apache-2.0
// A stream that is read by a loop, and one whose results nobody reads.
#pragma once

#include <deque>
#include <iterator>

#include "octavo/stream/detail/crews.hpp"

namespace octavo::stream {

// As a last crew: takes results, and drops them.
template <class Slot>
class DropCrew;
template <class Slot>
class DropCrew<Belt<Slot>> final : public Crew {
 public:
  explicit DropCrew(std::shared_ptr<Belt<Slot>> in) : Crew({.name = "sink"}, 1), in_(std::move(in)) {}

 private:
  void work(std::size_t worker) override {
    Counters& mine = counters(worker);
    for (;;) {
      const Claim claim = in_->claim(64, 1, [&](auto wait) { mine.timed(doing::waits_for_input, wait); });
      if (claim.count == 0) return;
      for (auto number = claim.first; number < claim.first + claim.count; ++number) give_each(in_->take(number), [&](auto&&) { ++mine.taken; });
    }
  }
  void close_output() noexcept override {}
  const std::shared_ptr<Belt<Slot>> in_;
};

// The iterator of a loop over a stream. Its end ends the stream.
template <class Slot>
class Reading {
 public:
  using value_type = item_t<Slot>;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  Reading(std::unique_ptr<Run> run, std::shared_ptr<Belt<Slot>> belt, std::shared_ptr<void> description)
      : description_(std::move(description)), belt_(std::move(belt)), run_(std::move(run)) {
    run_->begin(true);
    advance();
  }
  Reading(Reading&&) noexcept = default;
  Reading& operator=(Reading&&) noexcept = default;

  // It is given away.
  value_type&& operator*() const { return std::move(*item_); }
  Reading& operator++() {
    advance();
    return *this;
  }
  void operator++(int) { advance(); }
  friend bool operator==(const Reading& here, std::default_sentinel_t /*end*/) { return !here.item_.has_value(); }

 private:
  void advance() {
    item_.reset();
    while (left_.empty()) {
      const Claim claim = belt_->claim(1, 1, [&](auto wait) { run_->reader().timed(doing::waits_for_input, wait); });
      if (claim.count == 0) {
        run_->join();
        run_->raise();
        return;
      }
      give_each(belt_->take(claim.first), [&](value_type&& item) { left_.push_back(std::move(item)); });
    }
    item_.emplace(std::move(left_.front()));
    left_.pop_front();
    ++run_->reader().taken;
  }

  std::shared_ptr<void> description_;  // outlives the run
  std::shared_ptr<Belt<Slot>> belt_;
  std::deque<value_type> left_;  // of a slot
  mutable std::optional<value_type> item_;
  std::unique_ptr<Run> run_;
};

}  // namespace octavo::stream
