// SPDX-License-Identifier: Apache-2.0
// The calls of an endpoint that were sent and are not answered yet, by number. Numbers count up, and most are answered soon: so most lie in a table,
// each at the slot of its number, and nothing is allocated for them.
// Threading: the caller's lock.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "machine/board/board.hpp"
#include "octavo/machine/address.hpp"

namespace octavo::detail {

class StateBase;

struct PendingCall {
  std::shared_ptr<StateBase> state;
  Address to;
  std::int64_t life = 0;  // the pid of the callee: a lasting address has several lives
  std::uint64_t method = 0;
  std::uint64_t root = 0;
  bool sent = true;  // its frame has left; false while its caller waits for room on the road
};

class PendingCalls {
 public:
  void enter(std::uint64_t number, PendingCall call);
  // Nothing if it was answered.
  std::optional<PendingCall> take(std::uint64_t number);
  [[nodiscard]] const PendingCall* find(std::uint64_t number) const;
  void note_sent(std::uint64_t number);
  [[nodiscard]] std::string_view method_of(std::uint64_t number) const;  // empty: it is answered, or is none of a method; lives on
  // On the status board stands that this call is waited for, until it is answered; another stands there no more. 0: none does.
  void show(std::uint64_t number, OwnRow& row, std::chrono::steady_clock::time_point since);
  [[nodiscard]] std::size_t size() const noexcept { return in_table_ + others_.size(); }
  template <class Work>
  void for_each(Work work) const {
    for (const auto& slot : table_)
      if (slot.call.state) work(slot.call);
    for (const auto& [number, call] : others_) work(call);
  }
  template <class Which>
  std::vector<PendingCall> take_those(Which which) {
    std::vector<PendingCall> taken;
    for (auto& slot : table_)
      if (slot.call.state && which(std::as_const(slot.call))) taken.push_back(take_out(slot));
    for (auto at = others_.begin(); at != others_.end();) {
      auto next = std::next(at);
      if (which(std::as_const(at->second))) taken.push_back(std::move(others_.extract(at).mapped()));
      at = next;
    }
    if (find(shown_call_) == nullptr) show_none();
    return taken;
  }

 private:
  struct Slot {
    std::uint64_t number = 0;
    PendingCall call;  // without a state: none
  };
  [[nodiscard]] Slot& at(std::uint64_t number) noexcept { return table_[number & (table_.size() - 1)]; }
  PendingCall take_out(Slot& slot) noexcept {
    --in_table_;
    return std::exchange(slot.call, {});
  }
  void grow();
  void show_none() noexcept {
    shown_.reset();
    shown_call_ = 0;
  }

  std::vector<Slot> table_ = std::vector<Slot>(32);        // a power of two
  std::unordered_map<std::uint64_t, PendingCall> others_;  // whose slot was taken
  std::size_t in_table_ = 0;
  std::uint64_t shown_call_ = 0;
  std::optional<OwnRow::Wait> shown_;
};

}  // namespace octavo::detail
