// SPDX-License-Identifier: Apache-2.0
// The member of the group tests: an ordinary class, that asks for its group where it needs it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octavo/group/group.hpp"
#include "octavo/group/self.hpp"
#include "octavo/process.hpp"

namespace group_tests {

namespace ov = octavo;

// x -> scale * x + offset over 64 bits: composing is associative, and not commutative.
struct Affine {
  std::uint64_t scale = 1, offset = 0;
  bool operator==(const Affine&) const = default;
};
inline Affine then(const Affine& first, const Affine& second) { return {first.scale * second.scale, first.offset * second.scale + second.offset}; }

class Player {
 public:
  explicit Player(int number = 0) : number_(number) {
    if (number < 0) throw std::invalid_argument("a player has a number, not " + std::to_string(number));
  }
  int number() const { return number_; }
  std::vector<std::size_t> place_in() const;  // index, size
  std::vector<std::size_t> place_in_group(const ov::group<Player>& g) const;
  ov::group<Player> group_of_mine() const { return ov::self<Player>().group(); }
  std::vector<ov::remote_ptr<Player>> peers() const { return ov::self<Player>().peers(); }
  ov::remote_ptr<Player> pointer() const { return ov::self<Player>().pointer(); }
  int add(int a, int b) const { return number_ + a * b; }
  void fail_if(int number, const std::string& how) const;
  ov::future<int> when_opened() { return gate_.get_future(); }
  void open() { gate_.set_value(number_); }
  void nothing() {}

  // Collectives.
  std::vector<std::string> try_all(std::size_t root) const;  // each kind once; what came, as text
  std::vector<std::uint64_t> play(std::uint64_t seed, int steps) const;
  double reduce_vector(std::size_t length) const;  // its own length may differ, by number_
  void barrier() const { ov::self<Player>().barrier(); }
  void barriers(int n) const;
  double ahead(int rounds) const;
  void one_differs(const std::string& mine, std::size_t who, const std::string& theirs) const;
  int op_fails(std::size_t who) const;
  int scatter_wrong() const;
  std::vector<std::size_t> split_and_sum(int rows) const;
  std::string wrong_class() const;
  // G-11
  int ask_within(const ov::remote_ptr<Player>& other, bool enter);
  int answer_within(const ov::remote_ptr<Player>& asker, bool enter);
  int poke(bool enter);
  // Deaths.
  std::string until_death(const std::string& how, int before) const;
  void die_in(const std::string& how) const;
  std::size_t connections() const;

 private:
  int number_;
  ov::promise<int> gate_;
};
OCTAVO_REMOTE(Player, number, place_in, place_in_group, group_of_mine, peers, pointer, add, fail_if, when_opened, open, nothing, try_all, play, reduce_vector,
              barrier, barriers, ahead, one_differs, op_fails, scatter_wrong, split_and_sum, wrong_class, ask_within, answer_within, poke, until_death, die_in,
              connections)

// A collective by its name, for those that mix them.
void collective(const std::string& how);
// What `play` does, computed for all members at once: by member.
std::vector<std::vector<std::uint64_t>> model_of_play(std::uint64_t seed, int steps, std::size_t n);

}  // namespace group_tests
