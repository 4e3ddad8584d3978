// SPDX-License-Identifier: Apache-2.0
// What a member knows of one of its groups. Made by the call that founds the group, or by a split; kept with the object.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "octavo/group/detail/tree.hpp"
#include "octavo/process/detail/exchange.hpp"
#include "octavo/process/detail/member.hpp"

namespace octavo::detail {

class Board;

// A group as it is told to its members, and as it travels.
struct Founding {
  std::uint64_t id = 0;
  std::string class_name;
  std::vector<Address> members;
  std::vector<std::int64_t> lives;  // the pids of those with names when the group was made; 0: one that has no name. Empty: it is not made yet
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, class_name, members, lives);
  }
};

// "member 3 of 8 of a group of Counter"
std::string member_text(const Founding& group, std::size_t index);
// The same error, which now says at which member it came.
std::exception_ptr naming_member(const std::exception_ptr& thrown, const Founding& group, std::size_t index);

class Membership {
 public:
  // `lives` of the members, who are all watched. `part_of`: the group that was split.
  Membership(Founding of, std::vector<Life> lives, std::uint32_t index, const Membership* part_of = nullptr);
  [[nodiscard]] const Founding& of() const noexcept { return of_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(of_.members.size()); }
  // The members as they were when the group was made: one that died and came back is another.
  [[nodiscard]] const std::vector<Life>& lives() const noexcept { return deaths_.members(); }
  [[nodiscard]] const Tree& tree(std::uint32_t root);
  [[nodiscard]] DeathWatch& deaths() noexcept { return deaths_; }
  // Memory that all members share (src/group/board.hpp): either all have been given it before their first collective, or none.
  void share(std::shared_ptr<Board> board) { board_ = std::move(board); }
  void check_index(std::size_t index, const char* what) const;  // throws usage_error
  // What a layer above keeps with it, as long as this member knows the group; made when it is asked for first, by whichever thread.
  void* keep(const std::function<std::shared_ptr<void>()>& make) {
    std::call_once(kept_once_, [&] { kept_ = make(); });
    return kept_.get();
  }
  // Of the next collective, which is called in this call to all. So members that left the one before at different places agree again in the next.
  [[nodiscard]] GroupMessageKey next(const CallToAll& call);

 private:
  friend class Collective;
  Founding of_;
  std::uint32_t index_;
  DeathWatch deaths_;
  std::vector<std::uint64_t> machines_;
  std::map<std::uint32_t, Tree> trees_;  // by root
  std::set<std::uint64_t> called_as_;    // this group, and those it is a part of: a call to all of one of them is one to all of this
  struct Round {
    std::uint64_t number = 0, sequence = 0;
    bool may_lag = false;  // members may not have come to its last collective yet
  };
  Round alone_;                // in no call to all of this group
  Round* in_round_ = nullptr;  // that of the collective which this member is in
  std::shared_ptr<Board> board_;
  std::deque<Round> rounds_;  // the last collective of each call to all; coroutines may be in several
  std::atomic<bool> busy_{false};
  std::once_flag kept_once_;
  std::shared_ptr<void> kept_;
};

// One no other group has.
std::uint64_t new_group_id();
// The part of a group that chose `color` in this split.
std::uint64_t split_id(const GroupMessageKey& split, std::int64_t color);

// Tells all members, in parallel, and waits; fills `lives`. Throws usage_error (none, twice the same, a null pointer), process_died.
void found(Founding& group);
// Waits until each has run the calls made before; raises what dropped futures of these calls would have thrown.
void barrier_from_outside(const Founding& group);

// Within a member: the membership in this group; for id 0 in that of the call to all which runs, else in the one founded last. Null if there is none.
std::shared_ptr<Membership> membership_in(std::uint64_t id);
// Keeps a membership that a split made for as long as somebody has it.
void keep_split(const std::shared_ptr<Membership>& part);
[[noreturn]] void raise_no_member(std::uint64_t id);

}  // namespace octavo::detail
