// SPDX-License-Identifier: Apache-2.0
#include "road/shm/bulk_stream.hpp"

#include <cstring>

#include "octavo/base/error.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/road/pace.hpp"

namespace octavo::road {

BulkStream::BulkStream(Source source, std::vector<std::uint64_t> sizes, wire::InPlaceReceiver& in_place)
    : PendingBulk(std::move(sizes)), source_(std::move(source)), in_place_(in_place), on_ring_(left()) {}

void BulkStream::took(std::size_t bytes) {
  on_ring_ -= bytes;
  if (source_.in.release()) source_.peer.ring();
  if (on_ring_ == 0) source_.as_bytes = false;
}

// Whatever the other side had sent whole before its end is in the ring.
void BulkStream::fill(ByteSpan into) {
  auto here = [this] { return source_.in.available() != 0 || source_.lost.load(); };
  while (!into.empty()) {
    if (const std::size_t n = source_.in.read_slice(into); n != 0) {
      took(n);
      into = into.subspan(n);
      continue;
    }
    if (!Pace::comes_within(PollBudget::slice.usual, here)) in_place_.await_bulk(here);
    if (source_.in.available() == 0 && source_.lost.load()) throw gone_error("the other end of a connection is gone, and a message came only in part");
  }
}

void BulkStream::read(ByteSpan into) {
  auto alive = source_.alive.lock();
  if (alive == nullptr) throw gone_error("a connection was closed before a message that came by it was read");
  if (aside_.empty()) {
    fill(into);
  } else {
    auto part = std::move(aside_.front());
    if (aside_.size() == 1) fill(part.span().subspan(last_filled_));
    aside_.erase(aside_.begin());
    std::memcpy(into.data(), part.span().data(), into.size());
  }
  ++next_;
}

void BulkStream::set_aside() {
  for (;;) {
    if (aside_.empty() || last_filled_ == aside_.back().size()) {
      if (next_ + aside_.size() == sizes_.size()) return;
      aside_.emplace_back(static_cast<std::size_t>(sizes_[next_ + aside_.size()]));
      last_filled_ = 0;
    }
    const std::size_t n = source_.in.read_slice(aside_.back().span().subspan(last_filled_));
    if (n == 0) return;
    took(n);
    last_filled_ += n;
  }
}

void BulkStream::pass_over() {
  while (on_ring_ != 0) {
    const std::size_t n = source_.in.pass_over(on_ring_);
    if (n == 0) return;
    took(n);
  }
}

}  // namespace octavo::road
