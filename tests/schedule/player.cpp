// SPDX-License-Identifier: Apache-2.0
#include "schedule/player.hpp"

#include <stdexcept>
#include <utility>

#include "schedule/world.hpp"

namespace octavo::schedule {

Player::Player(std::uint64_t world) : world_(*reinterpret_cast<World*>(world)) {}  // NOLINT(performance-no-int-to-ptr): all live in one process

void Player::enter(std::uint64_t line, std::uint64_t number) {
  world_.ran(line, number);
  auto& last = last_[line];
  if (number <= last) world_.fail("C-2: call " + std::to_string(number) + " of line " + std::to_string(line) + " ran after call " + std::to_string(last));
  last = number;
}

std::uint64_t Player::count(std::uint64_t line, std::uint64_t number) {
  enter(line, number);
  return answer_to({line, number, line, 0, 0});
}

std::uint64_t Player::work(const Ticket& ticket) {
  enter(ticket.line, ticket.number);
  world_.act(ticket.depth, ticket.above);
  return answer_to(ticket);
}

std::string Player::name(const Ticket& ticket, const std::string& text) {
  enter(ticket.line, ticket.number);
  return text + std::to_string(answer_to(ticket));
}

future<std::uint64_t> Player::later(const Ticket& ticket, std::uint64_t gate) {
  enter(ticket.line, ticket.number);
  auto& kept = gates_[gate];
  waiting_[gate] = ticket;
  world_.count_gates(1);
  return kept.get_future();
}

void Player::open(const Ticket& ticket, std::uint64_t gate) {
  enter(ticket.line, ticket.number);
  auto found = gates_.extract(gate);
  if (found.empty()) return;  // it was opened before
  world_.count_gates(-1);
  found.mapped().set_value(answer_to(waiting_.at(gate)));
}

future<std::uint64_t> Player::task(Ticket ticket) {
  enter(ticket.line, ticket.number);
  auto [begun, right] = world_.begin_one(ticket.depth);
  std::uint64_t got = right;
  if (begun.valid()) {
    try {
      got = co_await std::move(begun);
    } catch (const error&) {  // it was killed, most likely: the world says what is an error
    }
  }
  if (got != right) world_.fail("a coroutine was given another answer than its own");
  world_.act_in_coroutine(ticket.depth);
  co_return answer_to(ticket);
}

void Player::refuse(const Ticket& ticket) {
  enter(ticket.line, ticket.number);
  throw std::out_of_range("refused " + std::to_string(answer_to(ticket)));
}

}  // namespace octavo::schedule
