// SPDX-License-Identifier: Apache-2.0
// The connections as the thread that reads knows them: a copy of the LinkTable's, taken again when something changed there.
//
// Each refresh begins a round; a place in the list holds for its round only.
// Threading: the thread that reads; changed() by any.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "process/peers/link_table.hpp"

namespace octavo::detail {

class LinkView {
 public:
  // Which link, in which round.
  struct Position {
    std::size_t at = SIZE_MAX;
    std::uint64_t round = 0;
  };
  explicit LinkView(LinkTable& table) : table_(table) { known_.fill(SIZE_MAX); }

  [[nodiscard]] bool changed() const noexcept { return table_.changed(version_); }
  // Takes the links again, if something changed; what changes after `seen` is looked at again. Throws bad_alloc.
  void refresh(std::uint64_t seen);
  void look_again() noexcept { version_ = 0; }
  [[nodiscard]] std::uint64_t round() const noexcept { return round_; }

  [[nodiscard]] std::size_t size() const noexcept { return links_.size(); }
  [[nodiscard]] const PeerLink& operator[](std::size_t at) const noexcept { return links_[at]; }
  [[nodiscard]] auto begin() const noexcept { return links_.begin(); }
  [[nodiscard]] auto end() const noexcept { return links_.end(); }
  [[nodiscard]] Position position(std::size_t at) const noexcept { return {at, round_}; }
  [[nodiscard]] bool holds(const Position& position) const noexcept { return position.round == round_ && position.at < links_.size(); }
  // Of two to one peer the first; null: there is none, or something changed.
  [[nodiscard]] const PeerLink* find(const Address& to);
  [[nodiscard]] bool some_is_ready() const;

  // Each link once, beginning behind the one that was served last, until `visit(at)` says false or a round begins.
  template <class Visit>
  void in_turn(Visit visit) const {
    const auto round = round_;
    for (std::size_t i = 0, all = links_.size(), at = first_; i < all; ++i, ++at) {
      if (at >= all) at = 0;
      if (!visit(at) || round != round_) return;
    }
  }
  // The others' turn.
  void serve_next(std::size_t after) noexcept { first_ = after + 1; }

 private:
  LinkTable& table_;
  std::vector<PeerLink> links_;
  std::uint64_t version_ = 0, round_ = 0;
  std::size_t first_ = 0;
  std::array<std::size_t, 16> known_{};  // by object number: where it was found last
};

}  // namespace octavo::detail
