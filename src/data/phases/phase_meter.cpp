// SPDX-License-Identifier: Apache-2.0
#include "data/phases/phase_meter.hpp"

#include "data/phases/clock.hpp"

namespace octavo {

namespace {
constexpr std::array order = {phase::computing, phase::caching, phase::reading, phase::writing, phase::network, phase::waiting};
constexpr std::int64_t unknown = -1;  // the clock was not read yet

double seconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e9; }
}  // namespace

PhaseMeter::PhaseMeter(int spans) : made_(clock_now()), since_(made_) {
  if (spans > 0) recorder_.emplace(spans);
}

phase PhaseMeter::current() const {
  if (own_ != phase::idle) return own_;
  for (phase each : order)
    if (counted_[static_cast<std::size_t>(each)].open > 0) return each;
  return phase::idle;
}

void PhaseMeter::add(phase what, std::int64_t& at) {
  if (what == phase::idle || of(what).open++ > 0) return;
  if (at == unknown) at = clock_now();
  of(what).since = at;
}

void PhaseMeter::take(phase what, std::int64_t& at) {
  if (what == phase::idle || --of(what).open > 0) return;
  if (at == unknown) at = clock_now();
  of(what).under_way += at - of(what).since;
}

void PhaseMeter::change(std::int64_t& at) {
  const phase next = current();
  if (next == counts_) return;
  if (at == unknown) at = clock_now();
  close(at);
  counts_ = next;
}

void PhaseMeter::close(std::int64_t at) {
  of(counts_).exclusive += at - since_;
  if (recorder_) recorder_->add({since_, at, counts_});
  since_ = at;
}

void PhaseMeter::enter(phase now) {
  std::lock_guard lock(mutex_);
  if (now == own_) return;
  std::int64_t at = unknown;
  add(now, at);
  take(own_, at);
  own_ = now;
  change(at);
}

void PhaseMeter::waited_for(phase what) {
  std::lock_guard lock(mutex_);
  if (own_ != phase::idle || counts_ == what) return;
  counts_ = what;
  close(clock_now());
  counts_ = current();
}

void PhaseMeter::begin(phase what) {
  std::lock_guard lock(mutex_);
  std::int64_t at = unknown;
  add(what, at);
  change(at);
  if (at != unknown && since_ != at) close(at);  // what ends a wait (waited_for) counts from its own beginning at the earliest
}

void PhaseMeter::end(phase what) {
  std::lock_guard lock(mutex_);
  std::int64_t at = unknown;
  take(what, at);
  change(at);
}

void PhaseMeter::moved(phase what, std::int64_t bytes) {
  std::lock_guard lock(mutex_);
  of(what).bytes += bytes;
}

Phases PhaseMeter::sums() const {
  std::lock_guard lock(mutex_);
  const std::int64_t at = clock_now();
  const auto told = [&](phase which) -> Phase {
    const Counted& each = counted_[static_cast<std::size_t>(which)];
    return {seconds(each.exclusive + (which == counts_ ? at - since_ : 0)), seconds(each.under_way + (each.open > 0 ? at - each.since : 0)), each.bytes};
  };
  Phases sums{told(phase::reading), told(phase::caching), told(phase::computing), told(phase::network), told(phase::writing), told(phase::waiting)};
  sums.idle = told(phase::idle).seconds;
  sums.wall = seconds(at - made_);
  return sums;
}

Timeline PhaseMeter::timeline() const {
  std::lock_guard lock(mutex_);
  if (!recorder_) return {clock_now(), {}};
  auto whole = *recorder_;
  Timeline told{clock_now(), {}};
  whole.add({since_, told.now, counts_});
  told.spans = whole.spans();
  return told;
}

}  // namespace octavo
