// SPDX-License-Identifier: Apache-2.0
#include "process/calls/pending_calls.hpp"

namespace octavo::detail {

namespace {
constexpr std::size_t most_places = 512;
}

void PendingCalls::enter(std::uint64_t number, PendingCall call) {
  if (at(number).call.state && table_.size() < most_places) grow();
  auto& place = at(number);
  if (place.call.state) {
    others_.emplace(number, std::move(call));
    return;
  }
  place.number = number;
  place.call = std::move(call);
  ++in_table_;
}

// Numbers that had places of their own have them in twice as large a table, too.
void PendingCalls::grow() {
  std::vector<Place> before(2 * table_.size());
  before.swap(table_);
  for (auto& place : before)
    if (place.call.state) at(place.number) = std::move(place);
}

std::optional<PendingCall> PendingCalls::take(std::uint64_t number) {
  auto& place = at(number);
  if (place.number == number && place.call.state) return take_out(place);
  if (others_.empty()) return std::nullopt;
  auto found = others_.extract(number);
  return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

void PendingCalls::note_sent(std::uint64_t number) {
  auto& place = at(number);
  if (place.number == number && place.call.state) place.call.sent = true;
  else if (auto found = others_.find(number); found != others_.end()) found->second.sent = true;
}

const PendingCall* PendingCalls::find(std::uint64_t number) const {
  const auto& place = table_[number & (table_.size() - 1)];
  if (place.number == number && place.call.state) return &place.call;
  auto found = others_.find(number);
  return found == others_.end() ? nullptr : &found->second;
}

}  // namespace octavo::detail
