// SPDX-License-Identifier: Apache-2.0
// random_program SEED STEPS: objects in processes, on threads and on another machine, and threads that do something random with them, each step with a
// result known beforehand. Says what it begins; the last line is "seed SEED: all as expected", or what was wrong, with status 1.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <thread>

#include "random/strand.hpp"

namespace {

using namespace soak;

ov::RuntimeOptions options_of(std::mt19937_64& random) {
  ov::RuntimeOptions options;
  options.memory = 24 << 20;
  if (random() % 3 == 0) options.ring_bytes = 16 << 10;
  if (random() % 3 == 0) options.engine = ov::played({"box"});
  return options;
}

// Of objects with names, unless the environment says one.
class Home {
 public:
  ~Home() {
    std::error_code failed;
    std::filesystem::remove_all(path_, failed);
  }
  [[nodiscard]] std::string path() const { return std::getenv("OCTAVO_HOME") == nullptr ? path_.string() : std::string(); }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / ("octavo-soak-" + std::to_string(::getpid()));
};

class Wrongs {
 public:
  void add(const char* what) {
    const std::lock_guard lock(mutex_);
    std::printf("wrong: %s\n", what);
    some_ = true;
  }
  [[nodiscard]] bool some() const noexcept { return some_; }

 private:
  std::mutex mutex_;
  bool some_ = false;
};

void run(ov::Runtime& runtime, std::mt19937_64& random, std::uint64_t seed, std::uint64_t steps, Wrongs& wrongs) {
  World world{runtime, {ov::process}};
  if (runtime.machines().size() > 1) world.places.push_back(runtime.machine("box"));
  for (std::uint64_t i = 0, count = 2 + random() % 4; i < count; ++i) {
    const std::size_t place = i == 0 ? 0 : random() % (world.places.size() + 1);
    const std::uint64_t key = random();
    world.workers.emplace_back(make_worker(world, place, key), key, place == 0 || place == world.places.size());
  }
  const std::uint64_t strands = 1 + random() % 3;
  std::vector<std::thread> threads;
  for (std::uint64_t number = 0; number < strands; ++number)
    threads.emplace_back([&, number] {
      try {
        Strand(world, number, seed).run(steps / strands);
      } catch (const std::exception& e) {
        wrongs.add(e.what());
      }
    });
  for (auto& thread : threads) thread.join();
  if (wrongs.some()) return;
  for (auto& each : world.workers) expect("the total of a worker", each.pointer->total(), each.total);
}

}  // namespace

int main(int argc, char** argv) {
  soak::ov::serve_if_asked();
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1, steps = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 60;
  ::setenv("OCTAVO_DELAY_SEED", std::to_string(seed + 1).c_str(), 0);  // where delays are built in (base/delay_point.hpp)
  std::mt19937_64 random(soak::mix(seed + 1));
  Wrongs wrongs;
  const Home home;
  try {
    auto options = options_of(random);
    options.home = home.path();
    soak::ov::Runtime runtime(argc, argv, options);
    run(runtime, random, seed, steps, wrongs);
    soak::ov::end_lasting_agent();
  } catch (const std::exception& e) {
    wrongs.add(e.what());
  }
  if (!wrongs.some()) std::printf("seed %lu: all as expected\n", static_cast<unsigned long>(seed));
  return wrongs.some() ? 1 : 0;
}
