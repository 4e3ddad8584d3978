// SPDX-License-Identifier: Apache-2.0
#include "random/strand.hpp"

#include <cmath>
#include <cstdio>

namespace soak {

ov::remote_ptr<Worker> make_worker(const World& world, std::size_t place, std::uint64_t key) {
  return place == world.places.size() ? ov::thread.make<Worker>(key) : world.places.at(place).make<Worker>(key);
}

Strand::Strand(World& world, std::uint64_t number, std::uint64_t seed) : world_(world), number_(number), random_(mix(seed + number)) {
  const std::size_t on_thread = world.places.size(), members = 2 + below(4);
  for (std::size_t i = 0; i < members; ++i) {
    const std::size_t place = i < 2 ? (below(2) == 0 ? 0 : on_thread) : below(on_thread + 1);
    const std::uint64_t key = random_();
    own_.emplace_back(make_worker(world, place, key), key, place == 0 || place == on_thread);
  }
  std::vector<ov::remote_ptr<Worker>> all;
  for (auto& each : own_) all.push_back(each.pointer);
  group_ = ov::group<Worker>(all);
  cells_ = ov::process.make<std::uint64_t[]>(3);
  calls_made_.resize(world.workers.size());
}

const std::vector<Strand::Named>& Strand::scenes() {
  static const std::vector<Named> all{{"waited", &Strand::waited},
                                      {"started", &Strand::started},
                                      {"continued", &Strand::continued},
                                      {"ordered", &Strand::ordered},
                                      {"bulk", &Strand::bulk},
                                      {"chained", &Strand::chained},
                                      {"fanned", &Strand::fanned},
                                      {"climbed", &Strand::climbed},
                                      {"gathered", &Strand::gathered},
                                      {"promised", &Strand::promised},
                                      {"cancelled", &Strand::cancelled},
                                      {"told", &Strand::told},
                                      {"from a coroutine", &Strand::from_a_coroutine},
                                      {"thrown", &Strand::thrown},
                                      {"short lives", &Strand::short_lives},
                                      {"functions", &Strand::functions},
                                      {"killed", &Strand::killed},
                                      {"remote data", &Strand::remote_data},
                                      {"pages given", &Strand::pages_given},
                                      {"pages in a crowd", &Strand::pages_in_a_crowd},
                                      {"mailbox here", &Strand::mailbox_here},
                                      {"mailbox there", &Strand::mailbox_there},
                                      {"several mailboxes", &Strand::several_mailboxes},
                                      {"mutexes", &Strand::mutexes},
                                      {"semaphores", &Strand::semaphores},
                                      {"conditions", &Strand::conditions},
                                      {"segments", &Strand::segments},
                                      {"collectives", &Strand::collectives},
                                      {"channels", &Strand::channels},
                                      {"elders", &Strand::elders}};
  return all;
}

void Strand::run(std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    const auto& chosen = scenes()[below(scenes().size())];
    std::printf("strand %lu, step %lu: %s\n", static_cast<unsigned long>(number_), static_cast<unsigned long>(step), chosen.name);
    std::fflush(stdout);
    try {
      (this->*chosen.scene)();
    } catch (const std::exception& e) {
      throw wrong("strand " + std::to_string(number_) + ", step " + std::to_string(step) + " (" + chosen.name + "): " + e.what());
    }
  }
  for (auto& each : world_.workers) each.pointer->total();  // after this thread's calls to it that nobody waited for
  for (auto& each : own_) expect("the total of an own worker of strand " + std::to_string(number_), each.pointer->total(), each.total);
  for (auto& each : own_) ov::destroy(each.pointer);
  ov::destroy(cells_);
  end_elders();
}

std::uint64_t Strand::some_words() {
  constexpr double most = 1 << 17;
  return static_cast<std::uint64_t>(std::exp(std::uniform_real_distribution<double>(0, std::log(most))(random_))) - 1;
}

Party& Strand::any_here() {
  for (;;)
    if (auto& one = any(); one.here) return one;
}

std::vector<Party*> Strand::path(bool ascending) {
  std::vector<Party*> found;
  if (ascending) {
    for (auto& each : world_.workers)
      if (below(3) != 0) found.push_back(&each);
  } else {
    for (std::uint64_t i = below(6); i > 0; --i) found.push_back(&any());
  }
  if (found.empty()) found.push_back(&any());
  return found;
}

Path pointers(const std::vector<Party*>& parties) {
  Path found;
  for (const auto* each : parties) found.push_back(each->pointer);
  return found;
}

std::string Strand::new_name(const char* of) { return std::string(of) + std::to_string(world_.names++); }

}  // namespace soak
