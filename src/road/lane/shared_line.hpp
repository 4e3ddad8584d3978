// SPDX-License-Identifier: Apache-2.0
// The shortest way of a connection: one cache line that both directions share, a half each. Where frames and answers take turns, as calls do, it goes
// to and fro with them; a line for each direction would have to be taken back from the other core each time before it can be written.
//
//   | mark | taken, call | root | body, 8 B |   the same of the other direction
//
// It holds one small frame of a direction, in the place of that lane's next line, which is passed over; of the method of the frame before it.
// The half is free when the other end has said in its own that it has taken what lay there, or has gone on beyond that in the lane.
// The other process may be broken: what it says may cost its own frames, nothing else.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "octavo/wire/frame.hpp"

namespace octavo::road {

struct alignas(64) SharedLine {
  struct alignas(32) Half {
    std::atomic<std::uint64_t> mark{0};   // as a line's
    std::atomic<std::uint32_t> taken{0};  // the number of what its writer has taken last from the other half
    std::uint32_t call = 0;
    std::uint64_t root = 0, body = 0;
  };
  static constexpr std::size_t most = sizeof(Half::body);
  std::array<Half, 2> halves;
};
static_assert(sizeof(SharedLine) == 64);

// One end of it. put() and forget() are the writer's, the rest the reader's.
class SharedLineEnd {
 public:
  SharedLineEnd(SharedLine& line, std::size_t side) noexcept : mine_(&line.halves.at(side)), theirs_(&line.halves.at(1 - side)) {}

  // False: it goes another way. `mark` and `position`: of its place; `method`: of the frame before; `head`: the reader has gone on to there.
  bool put(const wire::SmallFrame& frame, std::uint64_t mark, std::uint64_t position, std::uint64_t method, std::uint64_t head) noexcept {
    // Nothing came since the last frame went: a writer that writes again and again goes faster through lines that only it writes.
    const auto came = came_.load(std::memory_order_relaxed);
    if (came == answered_) return false;
    answered_ = came;
    if (frame.size > SharedLine::most || frame.method != method || frame.call > UINT32_MAX) return false;
    if (number_ != theirs_->taken.load(std::memory_order_acquire) && position_ >= head) return false;
    number_ = static_cast<std::uint32_t>(mark);
    position_ = position;
    mine_->taken.store(taken_.load(std::memory_order_acquire), std::memory_order_release);
    mine_->call = static_cast<std::uint32_t>(frame.call);
    mine_->root = frame.root;
    std::memcpy(&mine_->body, frame.body.data(), SharedLine::most);
    mine_->mark.store(mark, std::memory_order_release);
    return true;
  }

  // Gives the frame that went more than a lap ago a mark that no line has now.
  void forget(std::uint64_t tail, std::uint32_t number, std::uint64_t lap) noexcept {
    if (tail - position_ > lap) mine_->mark.store(number, std::memory_order_release);
  }

  // The other half's.
  [[nodiscard]] const std::atomic<std::uint64_t>* mark() const noexcept { return &theirs_->mark; }
  [[nodiscard]] std::uint64_t call() const noexcept { return theirs_->call; }
  void read(wire::SmallFrame& into) const noexcept {
    into.call = theirs_->call;
    into.root = theirs_->root;
    std::memcpy(into.body.data(), &theirs_->body, SharedLine::most);
  }
  // What lay there was taken; and: a frame came, from there or by the lane.
  void take(std::uint32_t number) noexcept { taken_.store(number, std::memory_order_release); }
  void came() noexcept { came_.store(came_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }

 private:
  SharedLine::Half* mine_;
  const SharedLine::Half* theirs_;
  std::uint32_t number_ = 0;    // what lies in my half
  std::uint64_t position_ = 0;  // of it
  std::uint32_t answered_ = 0;
  std::atomic<std::uint32_t> taken_{0}, came_{0};  // written by the reading thread
};

}  // namespace octavo::road
