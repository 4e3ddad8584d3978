// SPDX-License-Identifier: Apache-2.0
#include "process/calls/pending_calls.hpp"

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

namespace {
constexpr std::size_t most_slots = 512;
}

void PendingCalls::enter(std::uint64_t number, PendingCall call) {
  if (at(number).call.state && table_.size() < most_slots) grow();
  auto& slot = at(number);
  if (slot.call.state) {
    others_.emplace(number, std::move(call));
    return;
  }
  slot.number = number;
  slot.call = std::move(call);
  ++in_table_;
}

// Numbers that had slots of their own have them in twice as large a table, too.
void PendingCalls::grow() {
  std::vector<Slot> before(2 * table_.size());
  before.swap(table_);
  for (auto& slot : before)
    if (slot.call.state) at(slot.number) = std::move(slot);
}

std::optional<PendingCall> PendingCalls::take(std::uint64_t number) {
  if (number == shown_call_) show_none();
  auto& slot = at(number);
  if (slot.number == number && slot.call.state) return take_out(slot);
  if (others_.empty()) return std::nullopt;
  auto found = others_.extract(number);
  return found ? std::optional(std::move(found.mapped())) : std::nullopt;
}

void PendingCalls::note_sent(std::uint64_t number) {
  auto& slot = at(number);
  if (slot.number == number && slot.call.state) slot.call.sent = true;
  else if (auto found = others_.find(number); found != others_.end()) found->second.sent = true;
}

const PendingCall* PendingCalls::find(std::uint64_t number) const {
  const auto& slot = table_[number & (table_.size() - 1)];
  if (slot.number == number && slot.call.state) return &slot.call;
  auto found = others_.find(number);
  return found == others_.end() ? nullptr : &found->second;
}

std::string_view PendingCalls::method_of(std::uint64_t number) const {
  const auto* call = find(number);
  const Method* method = call != nullptr ? find_method(call->method) : nullptr;
  return method != nullptr ? std::string_view(method->key) : std::string_view();
}

void PendingCalls::show(std::uint64_t number, OwnRow& row, std::chrono::steady_clock::time_point since) {
  if (number == shown_call_) return;
  show_none();
  const auto* call = find(number);
  if (call == nullptr) return;
  shown_call_ = number;
  shown_.emplace(row, true, OwnRow::Awaited{call->to, number, method_of(number)}, since);
}

}  // namespace octavo::detail
