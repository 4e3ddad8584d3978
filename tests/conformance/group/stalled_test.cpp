// SPDX-License-Identifier: Apache-2.0
// A collective that one of the members never calls (G-7, Q-6).
#include <cstdlib>

#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"
#include "conformance/process/short_patience.hpp"
#include "kit/sanitized.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/process/errors.hpp"

namespace group_tests {
namespace {

using testing::HasSubstr;

class Waited : public process_tests::ShortPatience, public process_tests::EveryPlace {};

TEST_P(Waited, G7_Q6_AMemberThatNeverComesIsNamed) {
  if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::never_still;
  auto g = ov::make_group<Player>(here, std::size_t{4});
  std::vector<ov::future<void>> begun;
  for (std::size_t i : {0, 1, 3}) begun.push_back(ov::start(g[i])->barrier());
  for (auto& each : begun) {
    try {
      each.get();
      ADD_FAILURE() << "it returned";
    } catch (const ov::call_stalled& e) {
      EXPECT_THAT(e.what(), testing::AllOf(HasSubstr("waits for member"), HasSubstr("Let every member call it")));
    }
  }
  EXPECT_EQ(g[2]->number(), g[2]->number()) << "the others live on";
}

TEST_P(Waited, G7_Q5_AMemberThatComesLateIsWaitedFor) {
  auto g = ov::make_group<Player>(here, std::size_t{3});
  std::vector<ov::future<void>> begun;
  for (std::size_t i : {0, 1}) begun.push_back(ov::start(g[i])->barrier());
  std::this_thread::sleep_for(std::chrono::seconds(2));  // this thread may yet make the call
  begun.push_back(ov::start(g[2])->barrier());
  for (auto& each : begun) EXPECT_NO_THROW(each.get());
}

INSTANTIATE_TEST_SUITE_P(On, Waited, testing::Values("thread", "process"), process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
