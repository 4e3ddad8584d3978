// SPDX-License-Identifier: Apache-2.0
// The calls that one method makes, each with its ticket: a line for each object that it calls.
// Threading: the threads of one Turns.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/player.hpp"
#include "schedule/world.hpp"

namespace octavo::schedule {

class World::Line {
 public:
  // Of player `me` (0: the one that makes the root calls).
  Line(World& world, std::size_t me, std::uint64_t depth, std::uint64_t above) : world_(world), me_(me), depth_(depth), above_(above) {}

  // Does one thing, chosen at random. Throws what a call throws.
  void act();
  // Waits for all that was begun and not dropped.
  void end();
  std::pair<future<std::uint64_t>, std::uint64_t> begin_one();

 private:
  struct Begun {
    future<std::uint64_t> answer;
    std::uint64_t right;
  };
  // Whom to call: one that does not wait for this one, or that serves it while it waits. None: there is none.
  std::optional<std::size_t> choose(bool call_back);
  [[nodiscard]] remote_ptr<Player> player(std::size_t at) const { return remote_ptr<Player>(world_.parts_[at].around->self.address); }
  // `waits`: this method waits for it, before it ends.
  Ticket ticket(std::size_t to, bool waits);
  void hold(std::uint64_t got, std::uint64_t right, const char* what);
  void await(Begun& begun);
  void start_some();
  void start_and_drop(std::size_t to);
  void start_and_cancel(std::size_t to);
  void through_a_gate(std::size_t to);
  void be_refused(std::size_t to);

  World& world_;
  const std::size_t me_;
  const std::uint64_t depth_, above_;
  std::map<std::size_t, std::pair<std::uint64_t, std::uint64_t>> lines_;  // by object: which, and its last number
  std::vector<Begun> begun_;
};

}  // namespace octavo::schedule
