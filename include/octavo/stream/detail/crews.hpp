// SPDX-License-Identifier: Apache-2.0
// The crews whose workers are threads of this program.
#pragma once

#include "octavo/stream/detail/bunch.hpp"
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
    const bool wanted = belt_.put(number, std::move(slot), [&](auto wait) { Counters::timed(counters_.waited_for_room, wait); });
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

// How many items a worker takes at once: those behind the first wait for it while others may be free, so together they are to take no longer than `stroke`.
class Portion {
 public:
  static constexpr std::uint64_t most = 16;
  static constexpr std::chrono::microseconds stroke{10};
  explicit Portion(bool several) noexcept : adapts_(several), now_(several ? 1 : 64) {}
  [[nodiscard]] std::uint64_t now() const noexcept { return now_; }
  void begin() noexcept {
    if (adapts_) begin_ = std::chrono::steady_clock::now();
  }
  void end() noexcept {
    if (!adapts_) return;
    const auto took = std::chrono::steady_clock::now() - begin_;
    if (2 * took < stroke) now_ = std::min(most, 2 * now_);
    else if (took > stroke) now_ = std::max<std::uint64_t>(1, now_ / 2);
  }

 private:
  bool adapts_;
  std::uint64_t now_;
  std::chrono::steady_clock::time_point begin_;
};

template <class Source, class T>
class SourceCrew final : public Crew {
 public:
  SourceCrew(Source& source, std::shared_ptr<Belt<T>> out) : Crew({.name = "source"}, 1), source_(source), out_(std::move(out)) {}

 private:
  void work(std::size_t worker) override {
    Output<T> output(*out_, counters(worker));
    source_.each([&](T&& item) {
      output.give(std::move(item));
      at_item(worker, counters(worker).given);
    });
  }
  void close_output() noexcept override { out_->close(out_->numbers_given()); }
  Source& source_;
  const std::shared_ptr<Belt<T>> out_;
};

// A stage, or a farm if there are several workers; a sink where there is no belt behind it.
template <class Body, bool several, class InSlot>
class ThreadCrew final : public Crew {
  using Is = Shape<Body, several, InSlot>;
  using OutSlot = typename Is::OutSlot;

 public:
  ThreadCrew(StageSettings settings, Body& body, std::shared_ptr<Belt<InSlot>> in, std::shared_ptr<Belt<OutSlot>> out)
      : Crew(settings, workers_of(settings)), body_(body), in_(std::move(in)), out_(std::move(out)), by_number_(several && settings.ordered) {}

 private:
  void work(std::size_t worker) override {
    if constexpr (several) {
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
    Portion portion(workers() > 1);
    for (;;) {
      const Claim claim = in_->claim(portion.now(), workers(), [&](auto wait) { Counters::timed(mine.waited_for_input, wait); });
      if (claim.count == 0) break;
      portion.begin();
      for (std::uint64_t number = claim.first; number < claim.first + claim.count; ++number) {
        if (number >= fails_at()) return;
        at_item(worker, number);
        do_slot(doer, mine, number);
      }
      portion.end();
    }
    end_doer(doer);
  }
  template <class Doer>
  void do_slot(Doer& doer, Counters& mine, std::uint64_t number) {
    const auto each = [&](auto&& give) {
      give_each(in_->take(number), [&](typename Is::In&& item) {
        ++mine.taken;
        Is::svc::run(doer, std::move(item), give);
      });
    };
    if constexpr (Is::is_last) {
      const auto nothing = [] {};
      each(nothing);
    } else {
      Output<OutSlot> output(*out_, mine);
      if (!several || !by_number_) {
        each([&](typename Is::Out&& result) { output.give(std::move(result)); });
      } else if constexpr (Is::bunched) {
        OutSlot bunch;
        each([&](typename Is::Out&& result) {
          bunch.add(std::move(result));
          ++mine.given;
        });
        output.put(number, std::move(bunch));
      } else {
        each([&](typename Is::Out&& result) {
          output.put(number, std::move(result));
          ++mine.given;
        });
      }
    }
  }
  void close_output() noexcept override {
    if (out_ == nullptr) return;
    out_->close(by_number_ ? std::min(in_->claimed(), fails_at()) : out_->numbers_given());
  }

  Body& body_;
  const std::shared_ptr<Belt<InSlot>> in_;
  const std::shared_ptr<Belt<OutSlot>> out_;
  const bool by_number_;
};

// Where results are taken, and nobody wants them.
struct Dropped {
  template <class T>
  void operator()(T&&) const noexcept {}
};

}  // namespace octavo::stream
