// SPDX-License-Identifier: Apache-2.0
// Some endpoints with a Player each, and one that makes the root calls, on one Turns. The seed decides who runs, what is called, when there is no room, who
// dies, and when the links are looked at anew.
//
//   World world(seed, {.players = 3, .root_actions = 40, .kills = 1});
//   world.run();
//   EXPECT_EQ(world.failure(), "");
//
// What is held: each call runs once, in the order of C-2, and is answered once, rightly; nothing waits that could go on; at the end no endpoint has a call
// that waits, a call that it serves or an answer that it owes.
// Threading: run() by one thread, the rest by those of the Turns.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kit/bare/machine.hpp"
#include "process/endpoint.hpp"
#include "schedule/player.hpp"
#include "schedule/turns.hpp"
#include "schedule/turns_clock.hpp"

namespace octavo::schedule {

struct WorldOptions {
  unsigned players = 3;
  int root_actions = 40;
  int kills = 0;        // at most
  bool cycles = false;  // waits may go in circles: then call_cycle is an answer, too
};

class World {
 public:
  World(std::uint64_t seed, const WorldOptions& options);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void run();
  [[nodiscard]] const std::string& failure() const noexcept { return failure_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return turns_.steps(); }
  [[nodiscard]] std::uint64_t calls() const noexcept { return next_line_; }

  // --- the players' ---
  void ran(std::uint64_t line, std::uint64_t number);
  void fail(const std::string& what);
  // At the player that runs: an answer waits for its gate, or no more.
  void count_gates(int change) { gates_[turns_.mine()] += static_cast<std::size_t>(change); }
  // What the method that runs does besides: it calls others. `depth`: how deep this is; `above`: the players that wait for this one, a bit each.
  void act(std::uint64_t depth, std::uint64_t above);
  // The same, of a coroutine that has been resumed, and waits as methods do: a cycle with such waits is not found (process/cycle/cycle.cpp).
  void act_in_coroutine(std::uint64_t depth) {
    if (!options_.cycles && turns_.one_in(2)) act(depth, 0);
  }
  // One other player, for a coroutine: started, and its right answer.
  std::pair<future<std::uint64_t>, std::uint64_t> begin_one(std::uint64_t depth);
  [[nodiscard]] Turns& turns() noexcept { return turns_; }

 private:
  class Line;
  friend class Line;
  struct Part {
    kit::BareSurroundings* around = nullptr;
    std::unique_ptr<TurnsClock> clock;
    std::unique_ptr<detail::Endpoint> endpoint;
    bool dead = false;
  };
  [[nodiscard]] std::string text_of_all() const;
  std::uint64_t one_of(const std::vector<std::uint64_t>& choices) { return choices[turns_.draw(choices.size())]; }
  void at_each_step();
  void kill_one();
  void drive();
  void make_players();
  void settle();
  void check_rest();
  void end_all();
  [[nodiscard]] bool is_expected(const std::exception& problem) const;

  const WorldOptions options_;
  Turns turns_;
  const std::uint64_t full_, refreshed_;  // how seldom there is no room, and something is looked at anew
  kit::BareMachine machine_;
  std::deque<Part> parts_;  // the first one drives
  std::uint64_t next_line_ = 0;
  std::set<std::pair<std::uint64_t, std::uint64_t>> ran_;
  std::map<std::size_t, std::size_t> gates_;  // by player
  int killed_ = 0;
  bool ending_ = false;
  std::string failure_;
};

}  // namespace octavo::schedule
