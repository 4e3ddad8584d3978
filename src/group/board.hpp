// SPDX-License-Identifier: Apache-2.0
// Memory that the members of a group share: each shows there that it has come to a collective, and a few bytes for the others. So a barrier, or a reduction of
// a number, is a store and a poll. The process that makes the group gives it to all members, or to none (found() in membership.cpp).
//
//   board.put(stamp, bytes);                                      // stamp: the same at all members, and never again
//   while (board.first_missing() != board.size()) wait();         // all have come then
//   if (board.all_gave()) use(board.given_by(3));
//
// Each member has two entries, which it writes in turn: who has come to a collective that all came to has left the one before. One that failed may have left
// members behind in that, who are still to read the entry that it would write to next: awaits_room_of() names them.
// Threading: of the collective, one at a time; another process may write anything. No member waits here but for poll(), which is short.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/base/no_copy.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo::detail {

class Board : NoCopy {
 public:
  static constexpr std::uint32_t most_members = 32;
  static constexpr std::size_t most_bytes = 48;  // that a member gives
  // Nothing where these members may have none, or the pool has no room. The reference is the caller's.
  static std::optional<wire::PageRef> make_page(Pool& pool, std::size_t members);
  // Takes this reference. Throws io_error where the page is too small.
  Board(std::shared_ptr<Pool> pool, const wire::PageRef& page, std::uint32_t index, std::uint32_t members);
  ~Board();

  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entry_of_.size()); }
  // A member that may still read the entry which the next put() overwrites; size(): none.
  [[nodiscard]] std::uint32_t awaits_room_of() const noexcept;
  // This member has come to the collective of this stamp. Null: it gives nothing, and so no member uses what the others gave.
  void put(std::uint64_t stamp, const std::optional<ByteView>& gives) noexcept;
  [[nodiscard]] bool has_come(std::uint32_t member) noexcept;
  // The first member that has not come; size(): all have.
  [[nodiscard]] std::uint32_t first_missing() noexcept;
  // Until all have come, for a moment. Others of this core have their turn meanwhile.
  bool poll() noexcept;
  void leave(bool well) noexcept;

  [[nodiscard]] bool all_gave() const noexcept;
  [[nodiscard]] std::array<std::byte, most_bytes> given_by(std::uint32_t member) const noexcept;

  // While it lives this member sleeps, and is to be told when all have come. It looks whether they have afterwards.
  class Asleep : NoCopy {
   public:
    explicit Asleep(Board& board) noexcept;
    ~Asleep();

   private:
    Board& board_;
  };
  [[nodiscard]] bool any_sleeps() const noexcept;
  [[nodiscard]] bool sleeps(std::uint32_t member) const noexcept;

 private:
  struct Entry;
  struct Row;
  [[nodiscard]] Row& row(std::uint32_t member) const noexcept;
  const std::shared_ptr<Pool> pool_;
  const wire::PageRef page_;
  const unsigned life_;  // in a forked child the reference belongs to the parent
  const std::uint32_t index_;
  const bool crowded_;  // there are more members than processors
  Row* rows_ = nullptr;
  std::vector<std::uint8_t> entry_of_;  // by member, which of its entries is of this collective
  std::uint64_t stamp_ = 0;
  std::uint32_t come_ = 0, next_entry_ = 0;  // come_: the members before it have
  bool left_well_ = true, oversubscribed_ = false;
  PollBudget budget_;
};

}  // namespace octavo::detail
