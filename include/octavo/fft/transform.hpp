// SPDX-License-Identifier: Apache-2.0
// A transform process: reads boxes, transforms them along the axes of a pass, writes them (Givelberg 4.2, FFT3).
//
//   auto worker = machine.make<octavo::fft::Transform>(plan, false);
//   worker->begin(0, source, target);
//   auto first = octavo::start(worker)->transform(0), second = octavo::start(worker)->transform(1);   // the second reads while the first computes
//
// transform() is a coroutine (C-12): the next box is read while one is transformed and another written; at most as many boxes are in
// memory as the caller has started. Threading: a remote object. Failure: what the devices throw.
#pragma once

#include <memory>

#include "octavo/data/array.hpp"
#include "octavo/fft/plan.hpp"

namespace octavo::fft {

// Where a transform process spent its time, and what it moved. reading, writing, network: while it computed nothing, it waited for those of a box; caching: it
// regrouped tiles.
struct TransformReport {
  std::int64_t boxes = 0, bytes = 0;
  std::uint64_t road_bytes = 0;
  Phases phases = {};
};

// Throws refused where the boxes of the plan do not fit a pool of so many bytes.
void check_fits(const FftPlan& plan, std::int64_t pool_bytes);

class Transform {
 public:
  explicit Transform(FftPlan plan, bool timeline = false);
  ~Transform();
  // Reserves room for the boxes of the whole plan in the pool of this machine, for as long as this process lives: where several transform processes of a job
  // are on it, one of them does. Waits so many milliseconds for other jobs; false: they have it still.
  bool reserve(std::int64_t milliseconds);
  // Makes the pass's plans of one-dimensional transforms. No box may be open.
  void begin(int pass, const Array& from, const Array& to);
  // Box number `index` of the pass, whole: answers when it is written. Gives the bytes read and written.
  future<std::int64_t> transform(std::int64_t index);
  TransformReport report();
  Timeline timeline();  // has spans if its constructor was told so

 private:
  struct Piece {
    Box box;
    ArrayPage block;
  };
  struct Work;
  void compute(const Box& box, std::vector<Piece>& pieces);
  [[nodiscard]] std::vector<TileFuture> begin_reading(const Box& box) const;
  [[nodiscard]] ArrayPage page_for(const Box& tile) const;
  std::vector<Piece> regrouped(const Box& box, const std::vector<Piece>& pieces) const;

  FftPlan plan_;
  std::unique_ptr<Work> work_;
};
OCTAVO_REMOTE(Transform, reserve, begin, transform, report, timeline)

}  // namespace octavo::fft
