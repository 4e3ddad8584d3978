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
  ov::ProcessStatus waits;
  process_tests::until([&] {  // octavo ps shows for whom they wait: three times the patience with calls
    for (const auto& each : ov::all_processes())
      if (each.waits_for == g[2].address() && each.waits_seconds > 2) waits = each;
    return waits.waits_seconds > 2;
  });
  EXPECT_THAT(waits.waits_in, testing::HasSubstr("barrier"));
  EXPECT_FALSE(begun.front().ready());
  begun.push_back(ov::start(g[2])->barrier());
  for (auto& each : begun) EXPECT_NO_THROW(each.get());
}

INSTANTIATE_TEST_SUITE_P(On, Late, testing::Values("thread", "process"), process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
