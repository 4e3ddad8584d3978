// SPDX-License-Identifier: Apache-2.0
#include "data/array/in_flight_window.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/process/detail/exchange.hpp"

namespace octavo {

namespace {
using Clock = std::chrono::steady_clock;
constexpr auto attend_interval = std::chrono::milliseconds(100);
constexpr auto patience = std::chrono::milliseconds(200);  // without anything coming, for a call that may be its own hindrance
constexpr auto long_wait = std::chrono::seconds(10);       // after which a person is told
constexpr std::size_t most_moves = 256;                    // each has a frame in a ring, and all are looked at whenever one comes

// What a page takes of the pool.
std::int64_t taken(std::int64_t bytes) { return round_up(bytes, pool_block_bytes(job_pool().bytes())); }
}  // namespace

InFlightWindow::InFlightWindow(std::int64_t window, const Array::Attend& attend)
    : window_(window), attend_(attend), attended_(Clock::now()), moved_(Clock::now()) {}

void InFlightWindow::when_stuck(std::function<void()> give_back) {
  give_back_ = std::move(give_back);
  may_be_private_ = true;
}

InFlightWindow::~InFlightWindow() {
  while (failed_ && !moves_.empty()) {
    while (!wait_for_any()) {}
    moves_.remove_if([](Move& move) {
      if (!move.ready()) return false;
      try {
        if (move.reading.valid()) move.reading.get();
        else move.writing.get();
      } catch (...) {  // NOLINT(bugprone-empty-catch): see the header
      }
      return true;
    });
  }
}

bool InFlightWindow::wait_for_any() {
  return detail::wait_until([this] { return std::any_of(moves_.begin(), moves_.end(), [](const Move& move) { return move.ready(); }); },
                            Clock::now() + attend_interval);
}

void InFlightWindow::attend() {
  if (!attend_ || Clock::now() < attended_ + attend_interval) return;
  attend_();
  attended_ = Clock::now();
}

void InFlightWindow::admit(std::int64_t bytes) {
  attend();
  while (!moves_.empty() && (in_flight_ + taken(bytes) > window_ || moves_.size() >= most_moves)) finish_some();
}

void InFlightWindow::read(std::int64_t bytes, future<ArrayPage> block, Then then) {
  in_flight_ += taken(bytes);
  moves_.push_back({taken(bytes), std::move(block), {}, std::move(then)});
}

void InFlightWindow::write(std::int64_t bytes, future<void> written) {
  in_flight_ += taken(bytes);
  moves_.push_back({taken(bytes), {}, std::move(written), {}});
}

ArrayPage InFlightWindow::make(dtype type, const Shape& shape) {
  for (const auto begun = Clock::now();;) {
    if (auto page = ArrayPage::try_make(type, shape)) return std::move(*page);
    attend();
    if (is_private_) return ArrayPage::make_private(type, shape);
    if (!moves_.empty()) {
      finish_some();
      continue;
    }
    is_private_ = may_be_private_ && Clock::now() > begun + patience;
    if (Clock::now() > begun + long_wait) tell(shape.count() * size_of(type));
    try {
      return ArrayPage::make_by(type, shape, Clock::now() + attend_interval);
    } catch (const timed_out&) {  // NOLINT(bugprone-empty-catch): other calls hold the pool: the loop tries again
    }
  }
}

void InFlightWindow::finish_all() {
  while (!moves_.empty()) finish_some();
}

void InFlightWindow::tell(std::int64_t bytes) {
  if (std::exchange(told_, true)) return;
  log_line("a call of an Array waits for room for " + format_bytes(bytes) + " in the pool of " + format_bytes(job_pool().bytes()) + ", of which " +
           format_bytes(job_pool().free_bytes()) + " are free: pages that somebody holds make none. Release pages, or give the Runtime a larger pool");
}

// Pieces of one call are of one size, but for those at the edges.
void InFlightWindow::look_for_room() {
  if (Clock::now() < moved_ + patience) return;
  const auto largest = std::max_element(moves_.begin(), moves_.end(), [](const Move& a, const Move& b) { return a.bytes < b.bytes; })->bytes;
  if (Page::try_make(largest)) return;
  if (give_back_) std::exchange(give_back_, nullptr)();
  else if (Clock::now() > moved_ + long_wait) tell(largest);
}

void InFlightWindow::finish_some() {
  while (!wait_for_any()) {
    attend();
    look_for_room();
  }
  for (auto at = moves_.begin(); at != moves_.end();) {
    if (!at->ready() || !finish(*at)) {
      ++at;
      continue;
    }
    in_flight_ -= at->bytes;
    at = moves_.erase(at);
    moved_ = Clock::now();
  }
  attend();
}

bool InFlightWindow::finish(Move& move) {
  try {
    if (!move.reading.valid()) {
      move.writing.get();
      return true;
    }
    move.writing = move.then(move.reading.get());
    return !move.writing.valid();
  } catch (...) {
    failed_ = true;
    auto here = std::find_if(moves_.begin(), moves_.end(), [&](const Move& other) { return &other == &move; });
    moves_.erase(here);
    throw;
  }
}

}  // namespace octavo
