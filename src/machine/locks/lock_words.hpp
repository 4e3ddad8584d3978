// SPDX-License-Identifier: Apache-2.0
// The shared memory of a machine's locks, made by the agent and mapped by all its processes: one word for each mutex, and one for each process, which
// says what was given to it last; each in a line of its own.
//
//   Fd memory = LockWords::make();                   // the agent's; handed to each process
//   LockWords words(memory);
//   auto free = lock_word::free;
//   words[3].compare_exchange_strong(free, lock_word::of(slot, thread));   // this is the whole of an uncontended lock
//
// A word names the thread that holds the mutex, and says whether others wait (contended). While it says so, only the agent writes a new holder: the old one
// stores contended alone, and tells the agent. A waiting thread polls the word of its process, too, so it need not wait for the agent's answer by the socket.
// A process may write anything there: the agent believes nothing (mutex_table.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "octavo/base/fd.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo {

namespace lock_word {
inline constexpr std::uint64_t free = 0, contended = 1;
inline constexpr std::uint64_t holder_bits = ~contended;
inline constexpr std::uint64_t no_slot = 0x7fff'ffff;         // more than there ever are
inline constexpr std::uint64_t abandoned = no_slot << 1 | 1;  // its holder died, and no thread was told of it yet

// `thread`: of the process, from 1.
constexpr std::uint64_t of(unsigned slot, std::uint32_t thread) noexcept { return std::uint64_t{thread} << 32 | (std::uint64_t{slot} + 1) << 1; }
// The holder's slot as the word has it, true or not; no slot if nobody holds it.
constexpr std::uint64_t slot_in(std::uint64_t word) noexcept { return (word >> 1 & no_slot) - 1; }
constexpr bool is_held(std::uint64_t word) noexcept { return (word & holder_bits) != 0 && (word >> 1 & no_slot) != no_slot; }
}  // namespace lock_word

class LockWords {
 public:
  using Word = std::atomic<std::uint64_t>;
  static_assert(Word::is_always_lock_free && sizeof(Word) == 8);
  static constexpr unsigned count = 4096;

  // With its size sealed. Throws io_error.
  static Fd make();
  explicit LockWords(const Fd& memory);
  ~LockWords();
  LockWords(const LockWords&) = delete;
  LockWords& operator=(const LockWords&) = delete;
  [[nodiscard]] Word& operator[](unsigned number) const noexcept { return memory_->mutexes[number].word; }
  // The request of this process that was answered `held` last.
  [[nodiscard]] Word& given_to(unsigned slot) const noexcept { return memory_->given[slot].word; }

 private:
  struct alignas(64) Line {
    Word word;
  };
  struct Memory {
    std::array<Line, count> mutexes;
    std::array<Line, Pool::most_processes> given;
  };
  Memory* memory_;
};

}  // namespace octavo
