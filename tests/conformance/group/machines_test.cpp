// SPDX-License-Identifier: Apache-2.0
// Groups over several machines at once: threads and processes of this one, and of two played ones (G-9, G-10).
#include <csignal>

#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"

namespace group_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class ManyMachines : public testing::Test {
 public:
  ~ManyMachines() override { std::filesystem::remove_all(home); }

 protected:
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-group-" + std::to_string(::getpid()));
  ov::Runtime runtime{{.engine = ov::played({"box", "attic"}, home.string())}};
  std::vector<ov::Place> places{ov::process, runtime.machine("box"), runtime.machine("attic"), runtime.machine("box"), ov::thread};

  // All but one are in a collective; how each of them ends.
  std::vector<ov::future<std::string>> wait_without(const ov::group<Player>& g, const std::vector<std::size_t>& these) {
    std::vector<ov::future<std::string>> waiting;
    for (auto i : these) waiting.push_back(ov::start(g[i])->until_death("all_reduce", 0));
    return waiting;
  }
};

TEST_F(ManyMachines, G5_G6_RandomProgramsDoWhatTheirModelDoes) {
  for (std::size_t n : {2, 5, 13, 20}) {
    auto g = ov::make_group<Player>(places, n);
    EXPECT_EQ(g->play(n, 80), model_of_play(n, 80, n)) << n << " members";
    EXPECT_EQ(g->reduce_vector(70000), std::vector<double>(n, 69999.0 * static_cast<double>(n * (n + 1)) / 2));
    for (const auto& p : g) ov::destroy(p);
  }
}

TEST_F(ManyMachines, G7_DifferentCollectivesAreNamed) {
  auto g = ov::make_group<Player>(places, 7);
  for (const auto& [mine, theirs] : {std::pair{"barrier", "all_gather"}, std::pair{"broadcast last", "broadcast 0"}, std::pair{"scan", "all_to_all"}})
    for (std::size_t who : {0, 2, 6}) {
      bool told = false;
      for (int calls = 0; calls < 2 && !told; ++calls) {  // the second tells, where all had left
        try {
          if (calls == 0) g->one_differs(mine, who, theirs);
          else g->barrier();
        } catch (const ov::usage_error& e) {
          told = true;
          EXPECT_THAT(e.what(), HasSubstr("member " + std::to_string(who)));
        }
      }
      EXPECT_TRUE(told) << mine << ", member " << who << ": " << theirs;
    }
}

TEST_F(ManyMachines, G9_ADeathIsToldOnEachMachine) {
  for (std::size_t who : {0, 1, 2, 8}) {
    auto g = ov::make_group<Player>(places, 9);
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < 9; ++i)
      if (i != who) others.push_back(i);
    auto waiting = wait_without(g, others);
    runtime.kill(g[who].address(), SIGKILL);
    for (auto& each : waiting) EXPECT_THAT(each.get(), AllOf(StartsWith(std::to_string(g[who].address().object) + " "), HasSubstr("SIGKILL")));
    auto rest = g.sub(others);
    EXPECT_EQ(rest->play(3, 10), model_of_play(3, 10, 8)) << "a group without it goes on";
    for (const auto& p : rest) ov::destroy(p);
  }
}

TEST_F(ManyMachines, G9_TheLossOfAMachineIsTold) {
  auto g = ov::make_group<Player>(places, 10);  // 1, 3, 6 and 8 on box
  auto waiting = wait_without(g, {0, 2, 4, 5, 7, 9});
  for (const auto& facts : runtime.processes())
    if (facts.machine == "box" && facts.address.object == 0) ::kill(static_cast<pid_t>(facts.pid), SIGKILL);
  for (auto& each : waiting) EXPECT_THAT(each.get(), HasSubstr("box"));
  auto rest = g.sub({0, 2, 4, 5, 7, 9});
  EXPECT_EQ(rest->play(4, 10), model_of_play(4, 10, 6));
}

}  // namespace
}  // namespace group_tests
