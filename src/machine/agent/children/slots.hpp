// SPDX-License-Identifier: Apache-2.0
// Which slots of a machine's pool processes have. A slot is given again only when nothing is left in it of the process that had it.
//
//   Slots slots(Pool::most_processes, [&](unsigned slot) { return pool.reclaim(slot); });
//   unsigned slot = slots.take();      slots.release(slot);
//   if (!slots.all_clean()) slots.clean_again();          // now and then
//
// Threading: one. Failure: refused, where all slots are taken.
#pragma once

#include <functional>
#include <set>

namespace octavo::agent {

class Slots {
 public:
  // Frees what a slot's last process left there; false: another process stands in the way for a while.
  using Reclaim = std::function<bool(unsigned slot)>;
  Slots(unsigned most, Reclaim reclaim);

  unsigned take();
  void release(unsigned slot);
  void clean_again();
  [[nodiscard]] bool all_clean() const noexcept { return unclean_.empty(); }
  [[nodiscard]] bool is_taken(unsigned slot) const { return taken_.contains(slot); }

 private:
  bool clean(unsigned slot);

  const unsigned most_;
  const Reclaim reclaim_;
  std::set<unsigned> taken_, unclean_;
};

}  // namespace octavo::agent
