// SPDX-License-Identifier: Apache-2.0
// One thread of the random program, and what it does step by step. Its choices follow from its seed alone. All strands share the workers of the
// World; what is held while it waits for another (groups, readers, who takes turns) each strand has for itself, so that two of them cannot wait
// for each other.
#pragma once

#include <atomic>
#include <deque>
#include <random>

#include "random/worker.hpp"

namespace soak {

// A worker, and what the program knows of it.
struct Party {
  Party(ov::remote_ptr<Worker> to, std::uint64_t with_key, bool is_here) : pointer(to), key(with_key), here(is_here) {}
  ov::remote_ptr<Worker> pointer;
  std::uint64_t key;
  bool here;  // on the program's machine: its locks are the program's
  std::atomic<std::uint64_t> total{0};
  std::uint64_t add(std::uint64_t x) {  // as Worker::add
    total += x;
    return mix(key ^ x);
  }
};

struct World {
  ov::Runtime& runtime;
  std::vector<ov::Place> places;        // the program's machine first
  std::deque<Party> workers = {};       // in the order in which they may be held
  std::atomic<std::uint64_t> names{0};  // that were given
};
ov::remote_ptr<Worker> make_worker(const World& world, std::size_t place, std::uint64_t key);

Path pointers(const std::vector<Party*>& parties);

class Elder;

class Strand {
 public:
  Strand(World& world, std::uint64_t number, std::uint64_t seed);
  void run(std::uint64_t steps);

 private:
  using Scene = void (Strand::*)();
  struct Named {
    const char* name;
    Scene scene;
  };
  static const std::vector<Named>& scenes();

  // Calls (calls.cpp)
  void waited();
  void started();
  void continued();
  void ordered();
  void bulk();
  void chained();
  void fanned();
  void climbed();
  void gathered();
  void promised();
  void cancelled();
  void told();
  void from_a_coroutine();
  void thrown();
  // Objects (objects.cpp)
  void short_lives();
  void functions();
  void killed();
  void remote_data();
  void pages_given();
  void pages_in_a_crowd();
  // Between them (between.cpp)
  void mailbox_here();
  void mailbox_there();
  void several_mailboxes();
  void mutexes();
  void semaphores();
  void conditions();
  void segments();
  void collectives();
  // Channels (channels.cpp)
  void channels();
  // Of objects with names (elders.cpp)
  void elders();
  void end_elders();

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  std::uint64_t some_words();  // of a bulk: from none to a mebibyte, as often few as many
  Party& any() { return world_.workers[below(world_.workers.size())]; }
  Party& any_here();
  std::vector<Party*> path(bool ascending);
  std::string new_name(const char* of);

  World& world_;
  const std::uint64_t number_;
  std::mt19937_64 random_;
  std::deque<Party> own_;  // of this strand only; the first two are on the program's machine
  ov::group<Worker> group_;
  std::vector<ov::remote_ptr<Elder>> elders_;  // have names, and are made when they are needed
  Cells cells_;                                // three numbers
  std::vector<std::uint64_t> calls_made_;
  std::uint64_t promises_ = 0;
};

}  // namespace soak
