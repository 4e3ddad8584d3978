// SPDX-License-Identifier: Apache-2.0
// The objects of the random program. What each method gives follows from its arguments and the object's key, so whoever calls knows it beforehand;
// what it adds up, the program adds up, too, and compares at the end.
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "octavo/octavo.hpp"

namespace soak {

namespace ov = octavo;
using Words = std::vector<std::uint64_t>;
using Cells = ov::remote_ptr<std::uint64_t[]>;
using Shared = ov::Segment<std::uint64_t>;

constexpr std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

struct wrong : std::runtime_error {
  using runtime_error::runtime_error;
};
struct as_asked : std::runtime_error {
  using runtime_error::runtime_error;
};

// Throws wrong, if they are not equal.
void expect(const std::string& what, std::uint64_t found, std::uint64_t expected);

// What is posted: of whom, the how manieth, and as many words as `number` says.
struct Item {
  std::uint64_t poster = 0, number = 0;
  Words words;
  static Item make(std::uint64_t poster, std::uint64_t number);
  void check(std::uint64_t of, std::uint64_t expected) const;
};
using Items = ov::Mailbox<Item>;
using ItemWriter = ov::ChannelWriter<Item>;
using ItemReader = ov::ChannelReader<Item>;

ov::Page make_page(std::uint64_t words, std::uint64_t seed);
std::uint64_t sum_of(const ov::Page& page);
std::uint64_t sum_of_page(std::uint64_t words, std::uint64_t seed);

constexpr std::uint64_t words_of_fan = 40;  // seven lines of a lane, which has 64

class Worker;
using Path = std::vector<ov::remote_ptr<Worker>>;

class Worker {
 public:
  explicit Worker(std::uint64_t key) : key_(key) {}

  // Adds x to what is added up; all that do say by how much in their comment.
  std::uint64_t add(std::uint64_t x) {
    total_ += x;
    return mix(key_ ^ x);
  }
  [[nodiscard]] std::uint64_t total() const { return total_; }
  void ordered(std::uint64_t caller, std::uint64_t number);
  [[nodiscard]] Words turn(Words words) const;
  void fail(const std::string& why) const { throw as_asked(why); }

  // Coroutines along a path, in any order of objects: none is held while it waits. Each adds what the one before gave it.
  ov::future<std::uint64_t> chain(Path path, std::uint64_t at, std::uint64_t x);
  // A coroutine that goes on with many calls at once, more than the lane to `to` has room for; it adds x at `first`.
  ov::future<std::uint64_t> fan(ov::remote_ptr<Worker> first, ov::remote_ptr<Worker> to, std::uint64_t calls, std::uint64_t x);
  // Calls within calls, from lower to higher objects, since each is held while it waits; and at each a callback that adds 1 to the first.
  std::uint64_t climb(const Path& path, std::uint64_t at, std::uint64_t x);
  // Started calls of one method, to higher objects: each adds x.
  std::uint64_t gathered(const Path& others, std::uint64_t x);
  // The same by threads of the method's own, one for each, in calls and in coroutines; it waits for them outside of Octavo.
  std::uint64_t by_threads(const Path& others, std::uint64_t x);
  // Answered by whoever calls keep with the same number, before or after.
  ov::future<std::uint64_t> promised(std::uint64_t number);
  void keep(std::uint64_t number, std::uint64_t value);

  [[nodiscard]] std::uint64_t read_page(const ov::Page& page) const { return sum_of(page); }
  [[nodiscard]] ov::Page new_page(std::uint64_t words, std::uint64_t seed) const { return make_page(words, seed); }
  [[nodiscard]] ov::Page changed(ov::Page page) const;  // its first word has become the key

  void post(const Items& box, std::uint64_t poster, std::uint64_t count) const;
  [[nodiscard]] std::uint64_t drain(const Items& box, std::uint64_t posters, std::uint64_t count) const;  // of each
  // The next so many, from `first` on; where the channel goes on from here, its end is given back.
  [[nodiscard]] ItemWriter write(ItemWriter out, std::uint64_t first, std::uint64_t count) const;
  [[nodiscard]] ItemReader read(ItemReader in, std::uint64_t first, std::uint64_t count) const;
  void hold(ItemReader in) { held_ = std::move(in); }
  void increment(const ov::Mutex& mutex, const Cells& cells, std::uint64_t times) const;  // cell 0
  void with_unit(const ov::Semaphore& units, const Cells& cells, std::uint64_t most, std::uint64_t times) const;
  // Word 0, of which the last is the mix.
  void increment_shared(const Shared& given, const ov::Mutex& mutex, std::uint64_t times) const;
  [[nodiscard]] std::uint64_t first_of(const Shared& shared) const { return shared[0]; }
  // Cell 0 is whose turn it is.
  void take_turns(ov::Mutex mutex, const ov::Condition& turned, const Cells& cells, std::uint64_t me, std::uint64_t players, std::uint64_t rounds) const;
  // As a member of its group.
  [[nodiscard]] std::uint64_t collectives(std::uint64_t seed, std::uint64_t rounds) const;

 private:
  std::uint64_t key_, total_ = 0;
  std::map<std::uint64_t, std::uint64_t> next_;
  std::map<std::uint64_t, ov::promise<std::uint64_t>> promised_;
  std::map<std::uint64_t, std::uint64_t> kept_;
  ItemReader held_;
};
OCTAVO_REMOTE(Worker, add, total, ordered, turn, fail, chain, fan, climb, gathered, by_threads, promised, keep, read_page, new_page, changed, post, drain,
              write, read, hold, increment, increment_shared, first_of, with_unit, take_turns, collectives)

// What `collectives` gives at each member.
std::uint64_t collectives_give(std::uint64_t seed, std::uint64_t rounds);
std::uint64_t drained(std::uint64_t posters, std::uint64_t count);

}  // namespace soak
