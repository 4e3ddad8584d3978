// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/share.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo::detail {

Buffers::Share::Share(Impl& impl) : impl_(impl), entries_(new_entries(impl.grid.blocks)) {
  impl_.begin_share();
  kept_.resize(impl_.kept_by_a_share());
}

Buffers::Share::~Share() {
  const auto turn = impl_.turn();
  for (auto& each : kept_) let_go(each);
  impl_.end_share();
}

std::uintptr_t Buffers::Share::bring(Position at, bool to_write) {
  const auto turn = impl_.turn();
  impl_.check_owner();
  if (to_write) impl_.check_writable();
  BlockEntry& known = entry(at.block);
  Kept& kept = known.buffer > 0 ? kept_[static_cast<std::size_t>(known.buffer - 1)] : keep(at.block);
  if (to_write && !kept.written.begun()) known.written = kept.written.begin(impl_.grid, at.block);
  const std::uintptr_t address = impl_.address_of(impl_.at(kept.buffer));
  if (impl_.notes) impl_.notes->add(to_write, impl_.grid, at.block, at.place);
  else (to_write ? known.writing : known.reading) = address;
  return address;
}

// All of it is there before it is written to: only its thread knows what of it was written, so nobody could read the rest later.
Buffers::Share::Kept& Buffers::Share::keep(std::int64_t block) {
  Kept& kept = kept_[next_];
  let_go(kept);
  const int buffer = impl_.hold(block, false);
  impl_.keep(buffer);
  kept.block = block;
  kept.buffer = buffer;
  entry(block).buffer = static_cast<std::int32_t>(next_) + 1;
  next_ = (next_ + 1) % kept_.size();
  return kept;
}

void Buffers::Share::let_go(Kept& kept) noexcept {
  if (kept.block < 0) return;
  entry(kept.block) = {};
  impl_.let_go(kept.buffer, kept.written);
  kept.written.end();
  kept.block = -1;
}

void Buffers::Impl::begin_share() {
  const auto turn = this->turn();
  check_owner();
  if (shares_ == threads_)
    throw usage_error("one more share of '" + name() + "', which was opened for " + std::to_string(threads_) + (threads_ == 1 ? " thread" : " threads"),
                      "Say how many there are where it is opened: {.threads = ...}");
  if (++shares_ > 1) return;
  for (auto& buffer : buffers_)  // [] of the array finds nothing from now on, and is told so
    if (buffer.block >= 0) entry(buffer.block).reading = entry(buffer.block).writing = 0;
}

// Some of a share's buffers are left for what is read ahead.
std::size_t Buffers::Impl::kept_by_a_share() const {
  const auto each = static_cast<std::int64_t>(buffers_.size()) / threads_;
  return static_cast<std::size_t>(each - std::min<std::int64_t>(each / 4, replacement_.ahead()));
}

void Buffers::Impl::let_go(int number, WrittenElements& written) noexcept {
  if (written.begun()) note(at(number), [&](WrittenElements& all) { all.add(written); });
  --at(number).pins;
  rests(number);
}

}  // namespace octavo::detail
