// SPDX-License-Identifier: Apache-2.0
// A timeline in bounded memory: what would be too fine for so many spans becomes coarser (PH-2).
//
//   SpanRecorder recorder(4096);
//   recorder.add({0, 700, phase::reading});   // spans in order, each beginning at or after the end of the one before
//   use(recorder.spans());
//
// Neighbours of one phase are one span. When there is no room, the least length of a span is doubled, at least, and shorter ones are joined: the
// result is of the phase that took most of it. Threading: none of its own.
#pragma once

#include "octavo/data/phases.hpp"

namespace octavo {

class SpanRecorder {
 public:
  explicit SpanRecorder(int most) : most_(static_cast<std::size_t>(most)) {}
  void add(const PhaseSpan& span);
  [[nodiscard]] const std::vector<PhaseSpan>& spans() const noexcept { return spans_; }

 private:
  void put(const PhaseSpan& span);
  void make_coarser();
  std::size_t most_;
  std::int64_t least_ = 0;                           // a span is closed once it is so long
  std::vector<PhaseSpan> spans_;                     // the last is open
  std::array<std::int64_t, phase_count> in_last_{};  // what is in it, by phase
};

}  // namespace octavo
