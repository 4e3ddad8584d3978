// SPDX-License-Identifier: Apache-2.0
// N-1: kill -9 of a program that changes the registry, at any instant: what it was told is done is there, and nothing by halves.
#include <fcntl.h>

#include <map>

#include "kit/watchdog.hpp"
#include "machine/registry/registry.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using registry_test::Child, registry_test::Folder;

constexpr int places = 8;

// What the child tells after each change: place `place` now has generation `generation`, or nothing (0).
struct Told {
  int place;
  std::uint32_t generation;
};

NamedEntry entry_of(int place, std::uint32_t generation) {
  NamedEntry entry{.name = "place/" + std::to_string(place), .class_name = "T", .command = {std::string(generation % 3000, 'x')}, .build = generation};
  entry.environment = {std::to_string(place), std::to_string(generation)};
  return entry;
}

[[noreturn]] void change_for_ever(const std::string& directory, int report, std::uint32_t first) {
  Registry registry(directory);
  registry.next_incarnation();
  std::mt19937 random(first);
  for (std::uint32_t generation = first;; ++generation) {
    int place = static_cast<int>(random() % places);
    Told told{place, generation};
    if (auto known = registry.find("place/" + std::to_string(place))) {
      told.generation = 0;
      registry.remove(known->object);
    } else {
      registry.add(entry_of(place, generation));
    }
    if (::write(report, &told, sizeof told) != sizeof told) ::_exit(1);
  }
}

TEST(RegistryKilled, N1_WhatReturnedIsThereAndNothingByHalves) {
  kit::Watchdog watchdog(110);
  Folder folder;
  std::mt19937 random(20261121);
  std::map<int, std::uint32_t> model;
  std::uint64_t changes = 0;
  std::uint32_t lives = 0;
  for (std::uint32_t round = 0; round < 100; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    Fd reading(pipe[0]), writing(pipe[1]);
    Child child([&] { change_for_ever(folder.path(), pipe[1], (round + 1) << 20); });
    writing.reset();
    // Killed after so many changes and an instant more: anywhere in the next one.
    std::uint32_t most = random() % 12, seen = 0;
    Told told{};
    auto next = [&] { return ::read(reading.get(), &told, sizeof told) == sizeof told; };
    for (; seen < most && next(); ++seen) model[told.place] = told.generation;
    for (volatile std::uint32_t spin = random() % 400000; spin > 0;) spin = spin - 1;
    child.kill();
    for (; next(); ++seen) model[told.place] = told.generation;
    ASSERT_TRUE(WIFSIGNALED(child.wait()));
    changes += seen;

    Registry registry(folder.path());
    registry.check();
    int unknown = 0;  // one change may have been made and not told
    for (int place = 0; place < places; ++place) {
      auto found = registry.find("place/" + std::to_string(place));
      std::uint32_t generation = found ? found->build : 0;
      unknown += generation != model[place];
      if (found) {
        NamedEntry expected = entry_of(place, generation);
        expected.object = found->object;
        expected.made = found->made;
        ASSERT_EQ(*found, expected);
      }
      model[place] = generation;
    }
    ASSERT_LE(unknown, 1) << "in round " << round;
    std::uint32_t life = registry.next_incarnation();
    ASSERT_GE(life, lives + 1);
    ASSERT_GE(life, lives + (seen > 0 ? 2 : 1)) << "a life that began was counted";
    lives = life;
  }
  EXPECT_GT(changes, 100U);
}

}  // namespace
}  // namespace octavo
