// SPDX-License-Identifier: Apache-2.0
// What the endpoints of a schedule do to each other, and what is held against what they were promised: each call runs once, in the order of C-2, and its
// answer is the right one.
// Threading: the threads of one Turns.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "octavo/process.hpp"

namespace octavo::schedule {

class World;

// Which call: of a line of calls that one method made to one object, one after the other (C-2).
struct Ticket {
  std::uint64_t line = 0, number = 0;
  std::uint64_t value = 0;
  std::uint64_t depth = 0;  // how deep it is
  std::uint64_t above = 0;  // the players that wait for it, a bit each: it may call them back
};

// What is right as an answer to it.
constexpr std::uint64_t answer_to(const Ticket& ticket) { return ticket.value * 2654435761U + ticket.number; }

// At one endpoint; found by the method that runs there.
class Player {
 public:
  explicit Player(std::uint64_t world);
  std::uint64_t count(std::uint64_t line, std::uint64_t number);          // a small call
  std::uint64_t work(const Ticket& ticket);                               // calls others, some of which call back
  std::string name(const Ticket& ticket, const std::string& text);        // a message of some size
  future<std::uint64_t> later(const Ticket& ticket, std::uint64_t gate);  // answered once the gate is open
  void open(const Ticket& ticket, std::uint64_t gate);
  future<std::uint64_t> task(Ticket ticket);  // a coroutine that waits for others
  [[noreturn]] void refuse(const Ticket& ticket);

 private:
  void enter(std::uint64_t line, std::uint64_t number);
  World& world_;
  std::map<std::uint64_t, std::uint64_t> last_;  // by line: the number of the last call
  std::map<std::uint64_t, promise<std::uint64_t>> gates_;
  std::map<std::uint64_t, Ticket> waiting_;
};
OCTAVO_REMOTE(Player, count, work, name, later, open, task, refuse)

}  // namespace octavo::schedule
