// SPDX-License-Identifier: Apache-2.0
// What a member knows of one of its groups. Made by the call that founds the group, or by a split; kept with the object.
#pragma once

#include <map>

#include "octavo/group/detail/tree.hpp"
#include "octavo/process/detail/exchange.hpp"
#include "octavo/process/detail/member.hpp"

namespace octavo::detail {

// A group as it is told to its members, and as it travels.
struct Founding {
  std::uint64_t id = 0;
  std::string class_name;
  std::vector<Address> members;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, class_name, members);
  }
};

// "member 3 of 8 of a group of Counter"
std::string member_text(const Founding& group, std::size_t index);
// The same error, which now says at which member it came.
std::exception_ptr naming_member(const std::exception_ptr& thrown, const Founding& group, std::size_t index);

class Membership {
 public:
  // `lives` of the members, who are all watched.
  Membership(Founding of, std::vector<Life> lives, std::uint32_t index);
  [[nodiscard]] const Founding& of() const noexcept { return of_; }
  [[nodiscard]] std::uint32_t index() const noexcept { return index_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(of_.members.size()); }
  // The members as they were when the group was made: one that died and came back is another.
  [[nodiscard]] const std::vector<Life>& lives() const noexcept { return deaths_.members(); }
  [[nodiscard]] const Tree& tree(std::uint32_t root);
  [[nodiscard]] DeathWatch& deaths() noexcept { return deaths_; }
  void check_index(std::size_t index, const char* what) const;  // throws usage_error

 private:
  friend class Collective;
  Founding of_;
  std::uint32_t index_;
  DeathWatch deaths_;
  std::vector<std::uint64_t> machines_;
  std::map<std::uint32_t, Tree> trees_;  // by root
  std::uint64_t sequence_ = 0;           // of the last collective
  std::atomic<bool> busy_{false};
};

// One no other group has.
std::uint64_t new_group_id();
// The part of a group that chose `color` when it was split for the n-th time.
std::uint64_t split_id(std::uint64_t group, std::uint64_t sequence, std::int64_t color);

// Tells all members, in parallel, and waits. Throws usage_error (none, twice the same, a null pointer), process_died.
void found(const Founding& group);
// Waits until each has run the calls made before; raises what dropped futures of these calls would have thrown.
void barrier_from_outside(const Founding& group);

// Within a member: the membership in this group, or the one founded last for id 0; null if there is none.
std::shared_ptr<Membership> membership_in(std::uint64_t id);
// Keeps a membership that a split made for as long as somebody has it.
void keep_split(const std::shared_ptr<Membership>& part);
[[noreturn]] void raise_no_member(std::uint64_t id);

}  // namespace octavo::detail
