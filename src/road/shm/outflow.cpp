// SPDX-License-Identifier: Apache-2.0
#include "road/shm/outflow.hpp"

#include <utility>

#include "base/delay_point.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/road/pace.hpp"

namespace octavo::road {

std::uint64_t Outflow::put(const wire::Outgoing& frame, std::vector<std::byte>& tables) {
  auto pieces = wire::pieces_of(frame, tables);
  const std::size_t first_page = pieces.size() - (pages_ != nullptr ? frame.pages.size() : 0);
  drain();
  const std::uint64_t number = ++frames_;
  auto put_one = [&](Unsent piece) {
    if (kept_.empty() && send(piece)) return;
    kept_.push_back(std::move(piece));
  };
  if (rings_.lanes) put_one({.frame = number, .announces = frame.header});
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (pieces[i].empty()) continue;
    Unsent piece{.frame = number, .left = pieces[i]};
    if (i >= first_page) piece.page = frame.pages[i - first_page];
    put_one(std::move(piece));
  }
  hand_over();
  return number;
}

bool Outflow::send(Unsent& piece) {
  if (piece.announces && !announce(*piece.announces)) return false;
  piece.announces.reset();
  return piece.page && route_ ? send_page(piece) : write(piece.left);
}

bool Outflow::announce(const wire::FrameHeader& header) {
  if (!rings_.lane_out.announce(header)) {
    rings_.lane_out.want_room();
    if (!rings_.lane_out.announce(header)) {
      full_.store(full::lane, std::memory_order_relaxed);
      return false;
    }
  }
  count(sizeof(Line));
  return true;
}

// Writes what fits of `piece`, and leaves the rest in it. A slice at a time: the other side copies one while this side copies the next.
bool Outflow::write(ByteView& piece) {
  while (!piece.empty()) {
    std::size_t n = rings_.out.write(piece.first(std::min(piece.size(), slice_bytes)));
    piece = piece.subspan(n);
    if (n == slice_bytes) hand_over();
    if (n != 0) continue;
    hand_over();
    if (room_soon()) continue;
    rings_.out.want_room();
    if (rings_.out.room() != 0) continue;
    full_.store(full::ring, std::memory_order_relaxed);
    return false;
  }
  return true;
}

bool Outflow::room_soon() {
  return Pace::comes_within(PollBudget::slice.usual, [this] { return rings_.out.room() >= slice_bytes; });
}

bool Outflow::send_page(Unsent& piece) {
  if (!rings_.pages_out.has_room()) {
    hand_over();
    rings_.pages_out.want_room();
    if (!rings_.pages_out.has_room()) {
      full_.store(full::page_queue, std::memory_order_relaxed);
      return false;
    }
  }
  if (!std::exchange(piece.shared, true)) pages_->share(*piece.page);
  pages_->hand_over(*piece.page, *route_);
  piece.shared = false;
  if (!rings_.pages_out.put({rings_.out.written(), *piece.page})) pages_->take_back(*piece.page, *route_);
  count(piece.page->bytes);
  return true;
}

void Outflow::drain() {
  while (!kept_.empty()) {
    auto& piece = kept_.front();
    if (!send(piece)) return;
    if (piece.shared) pages_->release(*piece.page);
    kept_.pop_front();
  }
}

void Outflow::own(std::uint64_t frame) {
  for (auto piece = kept_.rbegin(); piece != kept_.rend() && piece->frame >= frame; ++piece) {
    if (piece->frame != frame) continue;
    if (piece->page) {
      if (!std::exchange(piece->shared, true)) pages_->share(*piece->page);
    } else if (piece->own.empty()) {
      piece->own.assign(piece->left.begin(), piece->left.end());
      piece->left = ByteView(piece->own).last(piece->left.size());
    }
  }
}

void Outflow::drop() {
  for (const auto& piece : kept_)
    if (piece.shared) pages_->release(*piece.page);
  kept_.clear();
  keeping_.store(false, std::memory_order_relaxed);
}

void Outflow::hand_over() {
  delay_point("ring: about to be handed over");
  keeping_.store(!kept_.empty(), std::memory_order_relaxed);
  if (auto written = rings_.out.written(); written != published_) {
    count(written - std::exchange(published_, written));
    rings_.out.publish();
  }
  if (std::exchange(moved_, false)) peer_.ring();
}

bool Outflow::got_room() const {
  switch (full_.load(std::memory_order_relaxed)) {
    case full::lane: return rings_.lane_out.got_room();
    case full::page_queue: return rings_.pages_out.got_room();
    default: return rings_.out.got_room();
  }
}

}  // namespace octavo::road
