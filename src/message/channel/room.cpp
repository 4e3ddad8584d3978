// SPDX-License-Identifier: Apache-2.0
#include "octavo/message/detail/channel/room.hpp"

#include <algorithm>
#include <utility>

namespace octavo::detail {

std::optional<bool> Room::take(std::uint64_t bytes, bool anyway) {
  const bool full = under_way_.messages >= bound_.messages || (under_way_.messages != 0 && under_way_.bytes + bytes > bound_.bytes);
  if (full && !anyway) return std::nullopt;
  under_way_.add(bytes);
  unasked_.add(bytes);
  const bool asks = unasked_.is_a_quarter_of(bound_);
  if (asks) unasked_ = {};
  return asks;
}

void Room::give_back(std::uint64_t bytes, bool asked) {
  if (asked) unasked_.messages = bound_.messages;  // the next message asks for a receipt
  hear({{1, bytes}, 0});
}

void Room::hear(const Receipt& receipt) {
  if (receipt.flags == flag_none_was_taken) {
    if (asking_ == asking::asked) asking_ = asking::told_none;
    return;
  }
  asking_ = asking::nothing;
  under_way_.messages -= std::min(under_way_.messages, receipt.taken.messages);
  under_way_.bytes -= std::min(under_way_.bytes, receipt.taken.bytes);
}

bool Room::ask() {
  if (asking_ != asking::nothing) return false;
  asking_ = asking::asked;
  return true;
}

void Room::clear() {
  under_way_ = {};
  asking_ = asking::nothing;
}

std::optional<Receipt> Receipts::add(const Life& writer, std::uint64_t bytes, bool asked) {
  if (last_ == nullptr || last_->first != writer) last_ = &*owed_.try_emplace(writer).first;
  auto& owed = last_->second;
  owed.taken.add(bytes);
  if (!asked && !owed.wanted && !owed.taken.is_a_quarter_of(bound_)) return std::nullopt;
  return Receipt{std::exchange(owed, {}).taken, 0};
}

Receipt Receipts::ask(const Life& writer) {
  auto& owed = owed_[writer];
  owed.wanted = owed.taken.messages == 0;
  return {std::exchange(owed.taken, {}), owed.wanted ? flag_none_was_taken : std::uint8_t{0}};
}

}  // namespace octavo::detail
