// SPDX-License-Identifier: Apache-2.0
// Which phase a process is in, from what its own thread does and what is under way beside it.
//
//   PhaseMeter meter(most_spans);          // or 0: sums alone
//   meter.begin(phase::reading);           // the disk has something to read
//   meter.enter(phase::caching);           // meanwhile the thread copies: that counts
//   meter.enter(phase::idle);              // it waits: the read counts again
//   meter.end(phase::reading);
//   const auto computes = meter.doing(phase::computing);   // enter() for a scope
//   const auto waits = meter->while_open(phase::waiting);  // begin() and end() for one, which may outlive the meter's owner
//
// Of what is under way while the thread is idle the first in this order counts: computing, caching, reading, writing, network, waiting.
// The clock is read only where something changes, so that a begin() beside others costs a lock that nobody else wants.
// Threading: any; enter(), doing() and waited_for() are for one thread.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "data/phases/span_recorder.hpp"
#include "octavo/base/no_copy.hpp"

namespace octavo {

class PhaseMeter : public std::enable_shared_from_this<PhaseMeter> {
 public:
  explicit PhaseMeter(int spans = 0);
  // Of the thread, from now on.
  void enter(phase now);
  // The thread was idle, and this is what it waited for until now, whatever else was under way.
  void waited_for(phase what);
  void begin(phase what);
  void end(phase what);
  void moved(phase what, std::int64_t bytes);

  class [[nodiscard]] Open : NoCopy {
   public:
    Open(std::shared_ptr<PhaseMeter> meter, phase what) : meter_(std::move(meter)), what_(what) { meter_->begin(what_); }
    ~Open() { meter_->end(what_); }

   private:
    std::shared_ptr<PhaseMeter> meter_;
    phase what_;
  };
  Open while_open(phase what) { return {shared_from_this(), what}; }

  class [[nodiscard]] Doing : NoCopy {
   public:
    Doing(PhaseMeter& meter, phase what) : meter_(meter), before_(meter.own_) { meter.enter(what); }
    ~Doing() { meter_.enter(before_); }

   private:
    PhaseMeter& meter_;
    phase before_;
  };
  Doing doing(phase what) { return {*this, what}; }

  [[nodiscard]] std::int64_t begun() const noexcept { return made_; }
  [[nodiscard]] Phases sums() const;
  [[nodiscard]] Timeline timeline() const;

 private:
  struct Counted {
    int open = 0;
    std::int64_t since = 0;                     // that it has been under way
    std::int64_t exclusive = 0, under_way = 0;  // nanoseconds
    std::int64_t bytes = 0;
  };
  [[nodiscard]] Counted& of(phase what) { return counted_[static_cast<std::size_t>(what)]; }
  [[nodiscard]] phase current() const;
  void add(phase what, std::int64_t& at);
  void take(phase what, std::int64_t& at);
  void change(std::int64_t& at);
  void close(std::int64_t at);

  mutable std::mutex mutex_;
  std::array<Counted, phase_count> counted_{};
  phase own_ = phase::idle, counts_ = phase::idle;  // of the thread; of the process
  const std::int64_t made_;
  std::int64_t since_;  // counts_ has counted
  std::optional<SpanRecorder> recorder_;
};

}  // namespace octavo
