// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/delay_choices.hpp"
#include "base/delay_point.hpp"

namespace octavo {
namespace {

using what = DelayChoices::what;

std::vector<DelayChoices::Choice> choices_of(std::uint64_t seed, std::uint64_t process, std::uint64_t thread) {
  DelayChoices choices(seed, process, thread);
  std::vector<DelayChoices::Choice> made;
  for (int i = 0; i < 5000; ++i) made.push_back(choices.next(i % 3 == 0 ? "reader: about to sleep" : "call: sent"));
  return made;
}

TEST(Delays, AreTheSameForTheSameSeedProcessAndThread) {
  const auto these = choices_of(7, 2, 3);
  EXPECT_EQ(these, choices_of(7, 2, 3));
  EXPECT_NE(these, choices_of(8, 2, 3));
  EXPECT_NE(these, choices_of(7, 3, 3));
  EXPECT_NE(these, choices_of(7, 2, 4));
}

// Of 200 seeds: how many points each way, and how long.
TEST(Delays, OfSomeSeedsDwellOnAPointAndOfOthersLeaveItAlone) {
  int alone = 0, dwelt_on = 0;
  std::chrono::microseconds longest{0};
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    DelayChoices choices(seed, 1, 1);
    int yields = 0, sleeps = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto choice = choices.next("bell: about to ring");
      yields += choice.to_do == what::yield ? 1 : 0;
      sleeps += choice.to_do == what::sleep ? 1 : 0;
      longest = std::max(longest, choice.time);
      EXPECT_EQ(choice.time.count() != 0, choice.to_do == what::sleep);
    }
    alone += yields + sleeps == 0 ? 1 : 0;
    dwelt_on += sleeps > 50 ? 1 : 0;
    EXPECT_LT(sleeps, 400) << "of 2000 with seed " << seed << ": nothing would go on any more";
  }
  EXPECT_GT(alone, 10);
  EXPECT_GT(dwelt_on, 10);
  EXPECT_GT(longest, std::chrono::milliseconds(1));
  EXPECT_LE(longest, std::chrono::milliseconds(5));
}

#ifdef OCTAVO_DELAYS
long given_away() {
  rusage used{};
  ::getrusage(RUSAGE_THREAD, &used);
  return used.ru_nvcsw;
}

TEST(Delays, DelayWhoComesByAPoint) {
  const char* seed = std::getenv("OCTAVO_DELAY_SEED");  // drawn by main, or given
  if (seed == nullptr || std::string(seed) == "0") GTEST_SKIP() << "OCTAVO_DELAY_SEED=0 delays nobody";
  const long before = given_away();
  for (int name = 0; name < 20; ++name)
    for (int i = 0; i < 500; ++i) delay_point(("a point " + std::to_string(name)).c_str());
  EXPECT_GT(given_away(), before);
}
#else
static_assert((delay_point("nothing is left of it: it can be evaluated by the compiler"), set_delayed_process(1), !delays_are_built));
#endif

}  // namespace
}  // namespace octavo
