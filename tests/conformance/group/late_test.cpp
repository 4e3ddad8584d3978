// SPDX-License-Identifier: Apache-2.0
// A collective to which one of the members comes late, or never (G-7): it is waited for, and `octavo ps` shows that.
#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"
#include "conformance/process/short_patience.hpp"
#include "octavo/machine/status.hpp"

namespace group_tests {
namespace {

class Late : public process_tests::ShortPatience, public process_tests::EveryPlace {};

TEST_P(Late, G7_AMemberThatComesLateIsWaitedFor) {
  auto g = ov::make_group<Player>(here, std::size_t{3});
  std::vector<ov::future<void>> begun;
  for (std::size_t i : {0, 1}) begun.push_back(ov::start(g[i])->barrier());
  EXPECT_FALSE(begun.front().wait_for(std::chrono::seconds(2))) << "three times the patience with calls";
  const auto all = ov::all_processes();
  const auto waits = std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.waits_for == g[2].address(); });
  ASSERT_NE(waits, all.end()) << "octavo ps does not show for whom they wait";
  EXPECT_THAT(waits->waits_in, testing::HasSubstr("barrier"));
  EXPECT_GT(waits->waits_seconds, 1);
  begun.push_back(ov::start(g[2])->barrier());
  for (auto& each : begun) EXPECT_NO_THROW(each.get());
}

INSTANTIATE_TEST_SUITE_P(On, Late, testing::Values("thread", "process"), process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
