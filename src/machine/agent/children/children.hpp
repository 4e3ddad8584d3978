// SPDX-License-Identifier: Apache-2.0
// The table of an agent's processes, with what comes from each: notices over its control socket, lines on its standard error, its end.
//
//   Children children(identity, first_object, events, slots, board, memory, {.said = ..., .silent = ..., .ended = ...});
//   Child& child = children.adopt(facts, std::move(started), 0, {});       // it is welcomed
//   children.tell(child, control::Passivate{});                             // now, or when it reads
//   Child dead = children.take(object);                                // nothing of it is heard any more
//
// Threading: the agent's. Failure: io_error, refused (no slot is free); where adopt() throws there is no such child, and no such process.
#pragma once

#include <chrono>
#include <functional>
#include <set>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/children/slots.hpp"
#include "machine/agent/common/event_loop.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/board/board.hpp"
#include "machine/error_lines.hpp"

namespace octavo::agent {

// Descriptors that each process is given with the Welcome.
struct SharedMemory {
  int pool = -1, board = -1, locks = -1;
};

class Children final : public Processes {
 public:
  struct Events {
    std::function<void(Child& from, control::Received& received)> said;
    std::function<void(Child& child)> silent;  // its control socket has ended
    std::function<void(Child& child)> ended;   // its process has
    std::function<void(unsigned slot)> slot_given;
  };
  Children(const Identity& self, std::uint64_t first_object, EventLoop& events, Slots& slots, StatusBoard& board, SharedMemory memory, Events told);

  Child& adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named) override;
  Child take(std::uint64_t object);
  using Processes::tell;
  void tell(Child& child, const control::Notice& notice, std::span<const int> descriptors) override;

  // Lines that wait until standard error takes them; to be looked at again soon.
  [[nodiscard]] bool lines_wait();
  void look_again();
  void pass_on_last_lines(Child& child) { child.lines.pass_on_last(child.run.error_lines.get(), standard_error_); }
  // All are told to end in order. Then: returns when all are reaped; those are killed that have not ended after 5 s, or cannot.
  void begin_to_end();
  void end_all();

 private:
  EventLoop::Ready on(std::uint64_t object, void (Children::*handle)(Child&, std::uint32_t));
  void hear_control(Child& from, std::uint32_t events);
  void hear_end(Child& child, std::uint32_t events);
  void hear_lines(Child& child, std::uint32_t events);
  void welcome(Child& child, std::optional<control::NamedHome> named);
  void abandon(Child& child);
  void unwatch(const Child& child);
  void await_ends(std::chrono::steady_clock::time_point until);

  const Identity& self_;
  std::uint64_t next_object_;
  EventLoop& events_;
  Slots& slots_;
  StatusBoard& board_;
  const SharedMemory memory_;
  const road::Doorbells bells_{Pool::most_processes};  // by slot
  const Events told_;
  TextOut standard_error_;
  std::set<std::uint64_t> unheard_;  // objects whose lines wait until standard error takes some
};

}  // namespace octavo::agent
