// SPDX-License-Identifier: Apache-2.0
// The crews whose workers are threads of this program.
#pragma once

#include <algorithm>

#include "octavo/stream/detail/loop.hpp"

namespace octavo::stream {

// How many items a worker takes at once: those behind the first wait for it while others may be free, so together they are to take no longer than `stroke`.
class Portion {
 public:
  Portion(bool several, const Played* played) noexcept : Portion(16, std::chrono::microseconds(10)) {
    played_ = played;
    if (several) return;
    adapts_ = false;
    now_ = 64;
  }
  Portion(std::uint64_t most, std::chrono::microseconds stroke) noexcept : most_(most), stroke_(stroke) {}
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  void begin() {
    if (adapts_) begin_ = time();
  }
  void end() {
    if (!adapts_) return;
    const auto took = time() - begin_;
    if (2 * took < stroke_) now_ = std::min(most_, 2 * now_);
    else if (took > stroke_) now_ = std::max<std::uint64_t>(1, now_ / 2);
  }

 private:
  [[nodiscard]] Played::Clock::time_point time() const { return played_ != nullptr ? played_->now() : Played::Clock::now(); }
  const Played* played_ = nullptr;
  const std::uint64_t most_;
  const std::chrono::microseconds stroke_;
  bool adapts_ = true;
  std::uint64_t now_ = 1;
  std::chrono::steady_clock::time_point begin_;
};

template <class Source, class T>
class SourceCrew final : public Crew {
 public:
  SourceCrew(Source& source, std::shared_ptr<Belt<T>> out) : Crew({.name = "source"}, 1), source_(source), out_(std::move(out)) {}

 private:
  void work(std::size_t worker) override {
    Output<T> output(*out_, counters(worker));
    const auto give = [&](T&& item) {
      output.give(std::move(item));
      at_item(worker, counters(worker).given);
    };
    if constexpr (requires { source_.each(give, standing()); }) source_.each(give, standing());
    else source_.each(give);
  }
  void close_output() noexcept override { out_->close(out_->numbers_given()); }
  Source& source_;
  const std::shared_ptr<Belt<T>> out_;
};

// A stage, or a farm if there are several workers; a sink where there is no belt behind it.
template <class Is>
class ThreadCrew final : public Crew {
  using Entry = typename Ways<Is>::Entry;
  using Exit = typename Ways<Is>::Exit;
  using Body = typename Is::body_type;

 public:
  ThreadCrew(StageSettings settings, Body& body, std::shared_ptr<Entry> entry, std::shared_ptr<Exit> exit)
      : Crew(std::move(settings), exit->workers(), Is::numbers(exit->workers())), body_(body), entry_(std::move(entry)), exit_(std::move(exit)) {}

 private:
  void open() override {
    if constexpr (opens<typename Body::doer>) body_.one().open_in(standing());
  }
  void work(std::size_t worker) override {
    if constexpr (Is::is_farm) {
      auto doer = body_.each();
      work_with(worker, doer);
    } else {
      auto&& doer = body_.one();
      work_with(worker, doer);
    }
  }
  template <class Doer>
  void work_with(std::size_t worker, Doer& doer) {
    begin_doer(doer);
    Counters& mine = counters(worker);
    Portion portion(workers() > 1, played());
    for (;;) {
      const Claim claim = entry_->claim(worker, portion.now(), [&](auto wait) { mine.timed(doing::waits_for_input, wait); });
      if (claim.count == 0) break;
      portion.begin();
      for (std::uint64_t claimed = claim.first; claimed < claim.first + claim.count; ++claimed) {
        auto taken = entry_->take(worker, claimed);
        if (taken.number >= fails_at()) return;
        at_item(worker, taken.number);
        exit_->results_of(taken.number, worker, mine, [&](auto&& give) { do_slot(doer, mine, taken, give); });
      }
      portion.end();
    }
    end_doer(doer, standing());
  }
  template <class Doer, class Give>
  void do_slot(Doer& doer, Counters& mine, Taken<typename Ways<Is>::Slot>& taken, Give& give) {
    give_each(std::move(taken.slot), [&](typename Is::In&& item) {
      ++mine.taken;
      if constexpr (Is::loops) Is::svc::run_round(doer, std::move(item), give, [&](typename Is::In value) { entry_->again(taken.number, std::move(value)); });
      else Is::svc::run(doer, std::move(item), give);
    });
  }
  void leave(std::size_t worker) noexcept override { entry_->leave(worker); }
  void close_where_it_failed() noexcept override { exit_->close_in_order(fails_at()); }
  void close_output() noexcept override { exit_->close(std::min(entry_->end(), fails_at())); }

  Body& body_;
  const std::shared_ptr<Entry> entry_;
  const std::shared_ptr<Exit> exit_;
};

// Deals the items of a farm to its workers, where they do not take them.
template <class Is>
class DealCrew final : public Crew {
  using Slot = typename Is::Slot;

 public:
  DealCrew(StageSettings settings, typename Is::Dealing dealing, std::size_t workers, std::shared_ptr<Belt<Slot>> in, std::shared_ptr<Lanes<Is>> lanes)
      : Crew(std::move(settings), 1), dealing_(std::move(dealing)), to_(workers), in_(std::move(in)), lanes_(std::move(lanes)) {}
  [[nodiscard]] bool is_seen() const noexcept override { return false; }

 private:
  void work(std::size_t worker) override {
    Counters& mine = counters(worker);
    for (;;) {
      const Claim claim = in_->claim(64, 1, [&](auto wait) { mine.timed(doing::waits_for_input, wait); });
      if (claim.count == 0) return;
      for (std::uint64_t number = claim.first; number < claim.first + claim.count; ++number)
        give_each(in_->take(number), [&](typename Is::Comes&& item) {
          at_item(worker, mine.taken);
          deal(mine, std::move(item));
          ++mine.taken;
        });
    }
  }
  void deal(Counters& mine, typename Is::Comes&& item) {
    dealing_.deal(std::move(item), mine.taken, to_, [&](std::size_t to, typename Is::In&& part) {
      const std::uint64_t number = Is::numbers(to_) == 1 ? mine.taken : mine.taken * to_ + to;
      if (!lanes_->put(to, number, std::move(part), [&](auto wait) { mine.timed(doing::waits_for_room, wait); })) throw Stopped();
    });
  }
  void close_output() noexcept override { lanes_->close(); }

  typename Is::Dealing dealing_;
  const std::size_t to_;  // so many workers
  const std::shared_ptr<Belt<Slot>> in_;
  const std::shared_ptr<Lanes<Is>> lanes_;
};

// Where results are taken, and nobody wants them.
struct Dropped {
  template <class T>
  void operator()(T&&) const noexcept {}
};

}  // namespace octavo::stream
