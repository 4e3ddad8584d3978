// SPDX-License-Identifier: Apache-2.0
// Members that answer a call to all before others are through with its collectives.
#pragma once

#include <optional>
#include <random>

#include "conformance/process/every_place.hpp"
#include "octavo/group/group.hpp"
#include "octavo/group/self.hpp"

namespace group_tests {

namespace ov = octavo;

// What a member does in place of its n-th collective.
struct Leaving {
  int at = -1;  // -1: it stays
  bool throws = false;
};

class Guest {
 public:
  explicit Guest(int number = 0) : number_(number) {}
  [[nodiscard]] int number() const { return number_; }
  void fail() const { throw std::domain_error("bad data of " + std::to_string(number_)); }
  // `kinds` of collectives one after the other; all members know them.
  int dine(const std::vector<int>& kinds, Leaving leaving) const;
  // One that catches what a collective throws, and calls the next one.
  std::vector<std::string> dine_on(int collectives, Leaving leaving) const;
  void dine_on_and_keep(int collectives, Leaving leaving);
  [[nodiscard]] std::vector<std::string> kept() const { return kept_; }
  [[nodiscard]] int sum() const { return ov::self<Guest>().all_reduce(number_, std::plus<>()); }
  void meet() const { ov::self<Guest>().barrier(); }
  // Answered when the door opens: then it fails, or joins the others.
  ov::future<int> come_late(bool fails);
  void open() { door_.set_value(0); }
  // In parts of two, which are kept for the next call.
  void sit_down();
  [[nodiscard]] int sum_of_table(bool leaves) const;
  // By a call to all from within a method.
  int invite(const ov::group<Guest>& others, const std::vector<int>& kinds, const std::vector<Leaving>& leaving) const;

 private:
  int number_;
  ov::promise<int> door_;
  std::optional<ov::member<Guest>> table_;
  std::vector<std::string> kept_;
};
OCTAVO_REMOTE(Guest, number, fail, dine, dine_on, dine_on_and_keep, kept, sum, meet, come_late, open, sit_down, sum_of_table, invite)

inline constexpr int kinds_of_collectives = 10, barrier_kind = 0;
void collective_of_kind(const ov::member<Guest>& me, int kind, int number);

}  // namespace group_tests
