// SPDX-License-Identifier: Apache-2.0
// The shared memory of a status board: one for each agent, a row for each slot of its pool. All of it are words that are written and read
// whole, so that a reader never holds up a writer, and may map the board read-only.
//
// A row has three writers: its agent says who it is, its process what that does, and callers count what they send it. What belongs together
// lies between two values of a sequence that is odd while it changes; each store in between is a release, each load an acquire.
// A reader believes nothing: see read.hpp.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "octavo/machine/pool.hpp"

namespace octavo::board {

using Word = std::atomic<std::uint64_t>;
static_assert(Word::is_always_lock_free && sizeof(Word) == 8);

inline constexpr const char* memory_name = "octavo-board";
inline constexpr std::uint64_t magic = 0x44'52'41'4f'42'56'4f'0a, version = 8;  // another layout, another version

template <std::size_t bytes>
using Text = std::array<Word, bytes / 8>;  // UTF-8, zeros behind it

struct Header {
  Word magic, version, rows, row_bytes;
  Word kind, agent, incarnation, pid;
  Word begun;  // bits of a double: seconds since 1970
  Text<184> machine;
};

// That a thread waits for the answer to a call.
struct Waiting {
  alignas(64) Word sequence;
  Word object;  // that is to answer; 0: none waits
  Word agent, incarnation;
  Word since;  // ns of the monotonic clock
  Text<216> method;
};

// A mailbox of the home that is read here, and how many messages lie here that its reader has not taken.
struct Mail {
  Word mailbox;  // mailbox_number(); 0: this is free
  Word unread;
};

struct Row {
  // the agent
  alignas(64) Word sequence;
  Word living;  // 0: the row is free
  Word object, incarnation, pid, host;
  Word made;  // bits of a double: seconds since 1970
  Text<192> class_name;
  Text<256> name;
  // its callers
  alignas(64) Word arrived;  // calls
  // its process
  alignas(64) Word doing;  // the sequence of what it does
  Word begun, done;        // calls
  Word running;            // in a method
  Word since;              // the method, or the last one, began: ns of the monotonic clock
  alignas(64) Word received;
  Word sent;        // bytes, both
  Word sent_aside;  // by others of its threads than the one that reads
  Word owed;        // calls that have begun and are answered later
  alignas(64) Text<320> method;
  Waiting waits;   // the thread of its methods, or one of a program
  Waiting beside;  // one of an object's own threads, or none but a coroutine
  alignas(64) std::array<Mail, 8> mail;
};

// A connection between an object of this agent and another, written by the agent alone; one that finds no place is not shown.
struct Road {
  alignas(64) Word mark;  // counts up by 256 with each entry; its last byte is the road, plus one; 0: this is free
  Word first;             // an object of this agent
  Word second, second_incarnation, second_agent;
};

struct Board {
  Header header;
  std::array<Row, Pool::most_processes> rows;
  std::array<Road, 4096> roads;
};
static_assert(sizeof(Header) == 256 && sizeof(Waiting) == 256 && sizeof(Row) == 1664 && sizeof(Road) == 64 && alignof(Board) == 64);

// Of a name; never 0.
constexpr std::uint64_t mailbox_number(std::string_view name) noexcept {
  std::uint64_t hash = 14695981039346656037ull;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash == 0 ? 1 : hash;
}

}  // namespace octavo::board
