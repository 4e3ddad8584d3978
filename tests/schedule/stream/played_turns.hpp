// SPDX-License-Identifier: Apache-2.0
// The threads of a stream on a schedule: bodies of Turns that wait for what the stream gives them to do.
//
//   PlayedTurns played(turns);
//   turns.run({consumer, played.thread(), played.thread(), ...});        // as many as the stream begins
//   run.play(played);  ...  played.end();                                // by the consumer, which is the last
//
// Threading: as Turns.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include "octavo/stream/detail/gate.hpp"
#include "schedule/turns.hpp"

namespace octavo::schedule {

class PlayedTurns final : public stream::Played {
 public:
  explicit PlayedTurns(Turns& turns) : turns_(turns) {}

  void start(std::function<void()> work) override {
    works_.push_back(std::move(work));
    ++open_;
    turns_.something_happened();
    turns_.step();
  }
  void join() override {
    turns_.sleep([this] { return open_ == 0 && !is_held_; }, road::never);
  }
  void step() override {
    if (!is_stuck_) turns_.step();
  }
  bool sleep(const std::function<bool()>& ready, std::chrono::microseconds time) override {
    return turns_.sleep(ready, time == std::chrono::microseconds::max() ? road::never : turns_.now() + time);
  }
  [[nodiscard]] Clock::time_point now() const override { return turns_.now(); }

  [[nodiscard]] std::function<void()> thread() {
    return [this] {
      for (;;) {
        turns_.sleep([this] { return !works_.empty() || ended_; }, road::never);
        if (works_.empty()) return;
        const auto work = std::exchange(works_.front(), {});
        works_.pop_front();
        work();
        --open_;
        turns_.something_happened();
      }
    };
  }
  void end() noexcept { ended_ = true; }
  // By a thread beside the stream's, which is in a call of its run: that does not go meanwhile.
  void held(const std::function<void()>& call) {
    is_held_ = true;
    call();
    is_held_ = false;
    turns_.something_happened();
  }
  // In on_stuck, where no other thread can come between.
  void while_stuck(const std::function<void()>& work) {
    is_stuck_ = true;
    work();
    is_stuck_ = false;
  }
  [[nodiscard]] bool has_ended() const noexcept { return ended_; }
  // So many of the stream's threads have not ended.
  [[nodiscard]] int open() const noexcept { return open_; }

 private:
  Turns& turns_;
  std::deque<std::function<void()>> works_;
  int open_ = 0;
  bool ended_ = false, is_stuck_ = false, is_held_ = false;
};

}  // namespace octavo::schedule
