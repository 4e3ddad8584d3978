// SPDX-License-Identifier: Apache-2.0
// kill -9 of a process that saves its state: at each step, and at any instant. The current state is the old or the new one, whole.
#include <fcntl.h>

#include "kit/watchdog.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using registry_test::Child, registry_test::Folder, registry_test::payload_of, registry_test::save, registry_test::some_object, registry_test::state_files;
using registry_test::text_of;

struct Way {
  const char* name;
  bool exchange, links;
  std::vector<const char*> before, after;  // the steps at which the old one is current, and the new one
};

void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }

class StateKilled : public testing::TestWithParam<Way> {
 protected:
  // Saves `generation` in a child, which is killed at `step`.
  void killed_at(const std::string& directory, const char* step, std::uint64_t generation) {
    Child child([&] {
      save(directory, generation,
           {[&](std::string_view at) {
              if (at == step) ::raise(SIGKILL);
            },
            GetParam().exchange, GetParam().links});
    });
    ASSERT_TRUE(WIFSIGNALED(child.wait())) << step << " is no step";
  }
  StateSteps steps() { return {{}, GetParam().exchange, GetParam().links}; }

  void expect_current(const std::string& directory, std::uint64_t generation, const char* step) {
    auto state = read_state(directory, some_object);
    EXPECT_EQ(state.facts.generation, generation) << step;
    EXPECT_EQ(text_of(state), payload_of(generation)) << step;
  }
};

TEST_P(StateKilled, TheOldOrTheNewAndTheNextSaveGoesOn) {
  kit::Watchdog watchdog(60);
  for (bool is_new : {false, true})
    for (const char* step : is_new ? GetParam().after : GetParam().before) {
      Folder folder;
      save(folder.path(), 1, steps());
      save(folder.path(), 2, steps());
      killed_at(folder.path(), step, 3);
      expect_current(folder.path(), is_new ? 3 : 2, step);
      auto previous = previous_state(folder.path(), some_object);
      if (is_new) {
        ASSERT_TRUE(previous.has_value()) << step;
        EXPECT_EQ(previous->generation, 2U) << step;
      }
      save(folder.path(), 4, steps());
      expect_current(folder.path(), 4, step);
      EXPECT_EQ(previous_state(folder.path(), some_object)->generation, is_new ? 3U : 2U) << step;
      EXPECT_EQ(state_files(folder.path()), (std::vector<std::string>{".previous", "current"})) << step;
    }
}

TEST_P(StateKilled, WhatWasBeforeIsFoundAlsoWhenTheNextSaveIsKilled) {
  kit::Watchdog watchdog(60);
  for (const char* step : GetParam().after) {
    Folder folder;
    save(folder.path(), 1, steps());
    save(folder.path(), 2, steps());
    killed_at(folder.path(), step, 3);
    killed_at(folder.path(), "written", 4);
    registry_test::flip(folder / "state/8000000700000001", state_header_bytes);
    EXPECT_EQ(previous_state(folder.path(), some_object)->generation, 2U) << step;
    EXPECT_EQ(restore_previous(folder.path(), some_object, steps()).generation, 2U) << step;
    expect_current(folder.path(), 2, step);
    EXPECT_EQ(state_files(folder.path()), (std::vector<std::string>{".damaged", "current"})) << step;
  }
}

TEST_P(StateKilled, RestoringCanBeKilledToo) {
  kit::Watchdog watchdog(60);
  std::vector<const char*> reached = GetParam().after;
  reached.insert(reached.end(), GetParam().before.begin() + 3, GetParam().before.end());  // those of replacing alone
  for (const char* step : reached) {
    Folder folder;
    save(folder.path(), 1, steps());
    save(folder.path(), 2, steps());
    registry_test::flip(folder / "state/8000000700000001", state_header_bytes);
    Child child([&] {
      restore_previous(folder.path(), some_object,
                       {[&](std::string_view at) {
                          if (at == step) ::raise(SIGKILL);
                        },
                        GetParam().exchange, GetParam().links});
    });
    ASSERT_TRUE(WIFSIGNALED(child.wait())) << step;
    if (state_facts(folder.path(), some_object)->generation == 2) {
      EXPECT_EQ(restore_previous(folder.path(), some_object, steps()).generation, 1U) << step;
    }
    expect_current(folder.path(), 1, step);
  }
}

INSTANTIATE_TEST_SUITE_P(On, StateKilled,
                         testing::Values(Way{"Exchange", true, true, {"written", "headed", "synced"}, {"exchanged", "current"}},
                                         Way{"Links", false, true, {"written", "headed", "synced", "linked"}, {"exchanged", "current"}},
                                         Way{"Copies", false, false, {"written", "headed", "synced", "linked"}, {"exchanged", "current"}}),
                         [](const auto& way) { return way.param.name; });

// At any instant, a few hundred times, over the same files, on file systems of each kind in turn.
TEST(StateKilledAnywhere, TheStateIsWholeAndAtLeastWhatWasTold) {
  kit::Watchdog watchdog(110);
  Folder folder;
  std::mt19937 random(20261121);
  std::uint64_t last = 0, saves = 0;
  for (int round = 0; round < 300; ++round) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    Fd reading(pipe[0]), writing(pipe[1]);
    Child child([&] {
      for (std::uint64_t generation = last + 1;; ++generation) {
        save(folder.path(), generation, {{}, round % 3 != 0, round % 3 != 1});
        if (::write(pipe[1], &generation, sizeof generation) != sizeof generation) return;
      }
    });
    writing.reset();
    std::uint64_t told = last, most = last + random() % 4;
    auto next = [&] { return ::read(reading.get(), &told, sizeof told) == sizeof told; };
    while (told < most && next()) {}
    for (volatile std::uint32_t spin = random() % 1000000; spin > 0;) spin = spin - 1;
    child.kill();
    while (next()) {}
    ASSERT_TRUE(WIFSIGNALED(child.wait()));
    saves += told - last;
    last = told;
    if (!state_facts(folder.path(), some_object)) {
      ASSERT_EQ(told, 0U);
      continue;
    }
    auto state = read_state(folder.path(), some_object);
    ASSERT_TRUE(state.facts.generation == told || state.facts.generation == told + 1) << state.facts.generation << " after " << told;
    ASSERT_EQ(text_of(state), payload_of(state.facts.generation));
    if (state.facts.generation > 1) {
      auto previous = previous_state(folder.path(), some_object);
      ASSERT_TRUE(previous.has_value()) << "in round " << round;
      ASSERT_GE(previous->generation + 2, state.facts.generation) << "in round " << round;
    }
    last = state.facts.generation;
  }
  EXPECT_GT(saves, 300U);
}

}  // namespace
}  // namespace octavo
