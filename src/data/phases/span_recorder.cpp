// SPDX-License-Identifier: Apache-2.0
#include "data/phases/span_recorder.hpp"

#include <algorithm>
#include <utility>

namespace octavo {

void SpanRecorder::add(const PhaseSpan& span) {
  if (span.end <= span.begin || most_ == 0) return;
  put(span);
  if (spans_.size() > most_) make_coarser();
}

// A gap, in which nothing is known, is not covered by joining.
void SpanRecorder::put(const PhaseSpan& span) {
  const auto share = static_cast<std::size_t>(span.what);
  if (!spans_.empty() && spans_.back().end == span.begin) {
    PhaseSpan& last = spans_.back();
    if (last.what == span.what || last.end - last.begin < least_) {
      in_last_[share] += span.end - span.begin;
      last.end = span.end;
      last.what = static_cast<phase>(std::max_element(in_last_.begin(), in_last_.end()) - in_last_.begin());
      return;
    }
  }
  spans_.push_back(span);
  in_last_ = {};
  in_last_[share] = span.end - span.begin;
}

// Each span but those before gaps is then as long as half of an even share, at least: so there is room, unless gaps take it.
void SpanRecorder::make_coarser() {
  const std::int64_t whole = spans_.back().end - spans_.front().begin;
  least_ = std::min(whole, std::max(2 * least_, 2 * whole / static_cast<std::int64_t>(most_)));
  auto fine = std::exchange(spans_, {});
  for (const auto& each : fine) put(each);
  if (spans_.size() > most_) spans_.erase(spans_.begin(), spans_.end() - static_cast<std::ptrdiff_t>(most_));
}

}  // namespace octavo
