// SPDX-License-Identifier: Apache-2.0
// C-3 in groups: members that wait for each other, some in a collective and some in a call, are named; those that only take long are not.
#include "conformance/process/every_place.hpp"
#include "octavo/group/group.hpp"
#include "octavo/group/self.hpp"

namespace group_tests {

namespace ov = octavo;

// Tells when it has been asked so often, and holds who waits for that.
class Bell {
 public:
  explicit Bell(int expected) : missing_(expected) {}
  octavo::future<void> ring() {
    if (--missing_ == 0)
      for (auto& each : waiting_) each.set_value();
    octavo::promise<void> mine;
    auto passed = mine.get_future();
    if (missing_ <= 0) mine.set_value();
    else waiting_.push_back(std::move(mine));
    return passed;
  }

 private:
  int missing_;
  std::vector<octavo::promise<void>> waiting_;
};
OCTAVO_REMOTE(Bell, ring)

class Singer {
 public:
  // All are within their methods when the first goes on.
  int sing(const octavo::remote_ptr<Bell>& start) {
    octavo::call<&Bell::ring>(start);
    auto me = octavo::self<Singer>();
    return me.all_reduce(1, std::plus<>());
  }
  // Asks another one before it joins the others.
  int ask_first(const octavo::remote_ptr<Bell>& start, const octavo::remote_ptr<Singer>& other) {
    octavo::call<&Bell::ring>(start);
    int n = octavo::call<&Singer::number>(other);
    return n + octavo::self<Singer>().all_reduce(1, std::plus<>());
  }
  // In two groups with the same members: one waits in the one, one in the other.
  int sing_in(const octavo::remote_ptr<Bell>& start, const octavo::group<Singer>& first, const octavo::group<Singer>& second) {
    octavo::call<&Bell::ring>(start);
    octavo::self<Singer>(first).barrier();
    octavo::self<Singer>(second).barrier();
    return 1;
  }
  // Joins while it waits for another, who calls it back; and is held before.
  int join_by_callback(const octavo::remote_ptr<Singer>& other) { return octavo::call<&Singer::call_back>(other, octavo::self<Singer>().pointer()); }
  int call_back(const octavo::remote_ptr<Singer>& who) { return octavo::call<&Singer::join>(who); }
  // The same by a call that nobody waits for.
  int join_by_stray(const octavo::remote_ptr<Singer>& other, const octavo::remote_ptr<Singer>& busy, const octavo::remote_ptr<Bell>& later) {
    octavo::call<&Singer::begin_call_back>(other, octavo::self<Singer>().pointer(), later);
    return octavo::call<&Singer::number>(busy);
  }
  void begin_call_back(const octavo::remote_ptr<Singer>& who, const octavo::remote_ptr<Bell>& later) {
    auto left_alone = octavo::start(later)->ring().then([who] { return octavo::start<&Singer::join>(who); });
  }
  int join() { return octavo::self<Singer>().all_reduce(1, std::plus<>()); }
  int number() { return 100; }
  void hold(const octavo::remote_ptr<Bell>& begun, const octavo::remote_ptr<Bell>& until) {
    octavo::call<&Bell::ring>(begun);
    octavo::call<&Bell::ring>(until);
  }
};
OCTAVO_REMOTE(Singer, sing, ask_first, sing_in, join_by_callback, call_back, join_by_stray, begin_call_back, join, number, hold)

namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

class GroupCycles : public process_tests::EveryPlace {
 protected:
  static std::string name_of(const ov::remote_ptr<Singer>& one) { return "(process " + std::to_string(one.address().object) + ","; }
  // How they ended, once all have: the errors' texts.
  static std::string errors_of(std::vector<ov::future<int>>& all) {
    std::string said;
    for (auto& each : all) {
      try {
        each.get();
      } catch (const ov::call_cycle& e) {
        said += e.what();
      }
    }
    return said;
  }
};

TEST_P(GroupCycles, C3_OneInACollectiveAndOneInACallToIt) {
  auto g = ov::make_group<Singer>(here, 2);
  auto bell = ov::process.make<Bell>(2);
  std::vector<ov::future<int>> all;
  all.push_back(ov::start(g[0])->sing(bell));
  all.push_back(ov::start(g[1])->ask_first(bell, g[0]));
  auto said = errors_of(all);
  EXPECT_THAT(said, testing::AllOf(HasSubstr(name_of(g[0])), HasSubstr(name_of(g[1]))));
  EXPECT_THAT(said, testing::AllOf(HasSubstr("all_reduce"), HasSubstr("Singer::number")));
  EXPECT_EQ(g[0]->number() + g[1]->number(), 200) << "they live on";
}

TEST_P(GroupCycles, C3_ThroughThreeMembers) {
  auto g = ov::make_group<Singer>(here, 3);
  auto bell = ov::process.make<Bell>(3);
  std::vector<ov::future<int>> all;
  all.push_back(ov::start(g[0])->sing(bell));
  all.push_back(ov::start(g[1])->ask_first(bell, g[2]));
  all.push_back(ov::start(g[2])->ask_first(bell, g[0]));
  auto said = errors_of(all);
  for (const auto& p : g) EXPECT_THAT(said, HasSubstr(name_of(p)));
}

TEST_P(GroupCycles, C3_TwoGroupsInTwoOrders) {
  auto g = ov::make_group<Singer>(here, 2);
  ov::group<Singer> h(g[0], g[1]);
  auto bell = ov::process.make<Bell>(2);
  std::vector<ov::future<int>> all;
  all.push_back(ov::start(g[0])->sing_in(bell, g, h));
  all.push_back(ov::start(g[1])->sing_in(bell, h, g));
  auto said = errors_of(all);
  for (const auto& p : g) EXPECT_THAT(said, HasSubstr(name_of(p)));
}

TEST_P(GroupCycles, C3_AMemberThatComesLateIsNone) {
  auto g = ov::make_group<Singer>(here, 3);
  auto start = ov::process.make<Bell>(3), later = ov::process.make<Bell>(2);
  auto outsider = here.make<Singer>();
  auto begun = ov::process.make<Bell>(2);
  auto held = ov::start(outsider)->hold(begun, later);
  begun->ring();
  auto a = ov::start(g[0])->sing(start), b = ov::start(g[1])->sing(start);
  auto c = ov::start(g[2])->ask_first(start, outsider);
  EXPECT_FALSE(a.wait_for(milliseconds(600))) << "several probes have gone";
  later->ring();
  EXPECT_EQ(a.get() + b.get() + c.get(), 109);
}

TEST_P(GroupCycles, C3_AMemberThatJoinsInACallbackIsNone) {
  auto g = ov::make_group<Singer>(here, 2);
  auto later = ov::process.make<Bell>(2);
  auto outsider = here.make<Singer>();
  auto begun = ov::process.make<Bell>(2);
  auto held = ov::start(outsider)->hold(begun, later);
  begun->ring();
  auto a = ov::start(g[0])->join();
  auto b = ov::start(g[1])->join_by_callback(outsider);
  EXPECT_FALSE(a.wait_for(milliseconds(600)));
  later->ring();
  EXPECT_EQ(a.get() + b.get(), 4);
}

TEST_P(GroupCycles, C3_NorOneThatJoinsByACallNobodyWaitsFor) {
  auto g = ov::make_group<Singer>(here, 2);
  auto later = ov::process.make<Bell>(2);
  auto outsider = here.make<Singer>();
  auto a = ov::start(g[0])->join();
  auto b = ov::start(g[1])->join_by_stray(outsider, g[0], later);  // seems to wait for the one that waits for it
  EXPECT_FALSE(a.wait_for(milliseconds(600)));
  later->ring();
  EXPECT_EQ(a.get(), 2);
  EXPECT_EQ(b.get(), 100);
}

INSTANTIATE_TEST_SUITE_P(, GroupCycles, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
