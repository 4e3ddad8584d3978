// SPDX-License-Identifier: Apache-2.0
// Coroutines that could go on, but for a method that waits here (is_held_back).
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "process/cycle/cycle_finder.hpp"
#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

class HeldBackTest : public CyclingTest {};

// C-3: what it awaited is there, but while a method of another root waits here it is not resumed.
TEST_F(HeldBackTest, C3_ACoroutineThatIsHeldBackWaitsAsTheMethodThatRunsDoes) {
  auto awaited = std::make_shared<LocalState<int>>();
  awaited->set(1);
  auto held_back = std::make_shared<State<int>>(), of_this_root = std::make_shared<State<int>>();
  held_back->need({false, {awaited}});
  of_this_root->need({false, {awaited}});
  parts->finder.unanswered().add(caller.address(), header_of(9, 88), held_back);
  parts->finder.unanswered().add(caller.address(), header_of(10, 77), of_this_root);
  run_for(caller, 8, 77, [&] {
    auto call_of_mine = call(callee);
    std::vector<Probe> passed;
    meanwhile([&] {
      say(caller, probe_of(third.address()), 10);  // it goes on at once
      say(caller, probe_of(third.address(), 2), 9);
      while (parts->poller.incoming()) parts->poller.pump();
      while (const auto message = callee.hear())
        if (const auto probe = probe_in(message)) passed.push_back(*probe);
      call_of_mine->fail(std::make_exception_ptr(refused("enough")));
    });
    EXPECT_TRUE(parts->finder.wait_for(*call_of_mine, road::never));
    const auto of_third = std::count_if(passed.begin(), passed.end(), [&](const Probe& each) { return each.first == third.address(); });
    EXPECT_EQ(of_third, 1);
  });
}

}  // namespace
}  // namespace octavo::detail
