// SPDX-License-Identifier: Apache-2.0
// C-3: waits for group messages of members. What a member owes is the test's to say (OwedGroupMessages); a process that has failed tells those that wait for
// its group message.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

using testing::HasSubstr;
using owing = OwedGroupMessages::owing;

class Owes final : public OwedGroupMessages {
 public:
  [[nodiscard]] owing owes(const GroupMessageWait& group_message, const Address& to) const override {
    asked.emplace_back(group_message.group, to);
    return what;
  }
  owing what = owing::by_this_collective;
  mutable std::vector<std::pair<std::uint64_t, Address>> asked;
};

class GroupMessages : public CyclingTest {
 protected:
  GroupMessages() { parts->finder.set_group_messages(group_messages); }
  // The method of the caller's call 8 waits for a group message of the callee; `look` is called in each round of reading.
  template <class Look>
  std::exception_ptr wait_for_group_message(Look look, int rounds = 4) {
    std::exception_ptr cycle;
    run_for(caller, 8, 77, [&] {
      CycleFinder::Wait wait(parts->finder, nullptr, &group_message);
      int round = 0;
      meanwhile([&] {
        look();
        ++round;
      });
      parts->poller.wait([&] { return round == rounds || wait.cycle(); }, road::never);
      cycle = wait.cycle();
    });
    return cycle;
  }
  static Probe for_group_message(const Address& first) {
    auto probe = probe_of(first);
    probe.for_group_message = probe.by_group_messages = true;
    probe.group_message.group = 6;
    return probe;
  }
  static void say_verdict(const Peer& by, const Verdict& verdict) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(verdict);
    out.header.kind = wire::frame_kind::probe;
    out.header.flags = verdict_flag;
    by.say(std::move(out));
  }
  // Of the probes that `by` has heard those of this process.
  std::vector<Probe> probes_of(const Address& first, const Peer& by) {
    std::vector<Probe> all;
    while (const auto message = by.hear())
      if (auto probe = probe_in(message); probe && probe->first == first) all.push_back(*probe);
    return all;
  }
  bool passes(const Probe& probe) {
    bool passed = false;
    wait_for_group_message([&] {
      say(third, probe, 0);
      passed = passed || !probes_of(probe.first, callee).empty();
    });
    return passed;
  }
  Owes group_messages;
  AwaitedGroupMessage group_message{callee.address(), {0, 5, 1, 0, "all_reduce"}};
};

TEST_F(GroupMessages, C3_AProbeSaysWhichLetterIsAwaited) {
  std::vector<Probe> probes;
  EXPECT_EQ(wait_for_group_message([&] {
              for (auto& each : probes_of(mine.self.address, callee)) probes.push_back(std::move(each));
            }),
            nullptr);
  ASSERT_FALSE(probes.empty());
  EXPECT_TRUE(probes[0].for_group_message);
  EXPECT_TRUE(probes[0].by_group_messages);
  EXPECT_EQ(probes[0].group_message.group, 5U);
  EXPECT_THAT(probes[0].members[0], HasSubstr("waits for process 3 in all_reduce"));
}

TEST_F(GroupMessages, C3_AProbeThatComesBackEndsTheWait) {
  const auto cycle = wait_for_group_message([&] {
    for (auto& each : probes_of(mine.self.address, callee)) say(caller, each, 8);
  });
  EXPECT_THAT(text_of(cycle), HasSubstr("these wait for each other: Bare1 (process 1"));
}

TEST_F(GroupMessages, C3_AProbeIsPassedOnByWhoOwesThatLetterInItsCollective) {
  EXPECT_TRUE(passes(for_group_message(third.address())));
  ASSERT_FALSE(group_messages.asked.empty());
  EXPECT_EQ(group_messages.asked[0], (std::pair<std::uint64_t, Address>(6, third.address())));
}

TEST_F(GroupMessages, AProbeForALetterThatIsNotOwedIsNot) {
  group_messages.what = owing::nothing;
  EXPECT_FALSE(passes(for_group_message(third.address())));
}

TEST_F(GroupMessages, C3_OfACollectiveThatHasNotBegunOnlyIfNobodyElseCanBeginIt) {
  group_messages.what = owing::by_one_not_begun;
  EXPECT_FALSE(passes(for_group_message(third.address()))) << "its root began elsewhere";
  root_began_here = true;
  EXPECT_TRUE(passes(for_group_message(third.address())));
  run_for(caller, 8, 77, [&] {  // a call of that root is not answered yet
    auto beside = call(callee);
    EXPECT_FALSE(passes(for_group_message(third.address())));
  });
}

TEST_F(GroupMessages, AProbeOnTheWayOfACollectiveThatHasNotBegunSaysSo) {
  group_messages.what = owing::by_one_not_begun;
  root_began_here = true;
  std::vector<Probe> probes;
  wait_for_group_message([&] {
    say(third, for_group_message(third.address()), 0);
    for (auto& each : probes_of(third.address(), callee)) probes.push_back(std::move(each));
  });
  ASSERT_FALSE(probes.empty());
  EXPECT_TRUE(probes[0].alone);
}

// One that waits for a group message finds the cycle before: all its group hears of it, and the calls in its queue are served.
TEST_F(GroupMessages, WhoWaitsForACallLeavesTheVerdictToWhoWaitsForALetter) {
  run_for(caller, 8, 77, [&] {
    auto state = call(callee);
    int rounds = 0;
    meanwhile([&] {
      for (auto& each : probes_of(mine.self.address, callee)) {
        each.by_group_messages = true;  // somebody on the way waits for one
        say(caller, each, 8);
      }
      if (++rounds == 4) answer(callee, *state);
    });
    EXPECT_TRUE(parts->finder.wait_for(*state, road::never));
    EXPECT_EQ(state->take(), 1);
  });
}

TEST_F(GroupMessages, WhoFailsTellsThoseWhoWaitForItsLetter) {
  bool told = false;
  EXPECT_NE(wait_for_group_message([&] {
              for (auto& each : probes_of(mine.self.address, callee)) {
                each.for_group_message = true;
                each.group_message.group = 6;
                say(third, each, 0);  // it waits for a group message of ours
              }
            }),
            nullptr);
  while (const auto message = third.hear()) told = told || message->header.flags == verdict_flag;
  EXPECT_TRUE(told);
}

TEST_F(GroupMessages, C3_AVerdictOfWhomItsLetterIsAwaitedFromEndsTheWait) {
  const auto cycle = wait_for_group_message([&] {
    say(third, for_group_message(third.address()), 0);
    if (!probes_of(third.address(), callee).empty()) say_verdict(callee, {third.address(), 3, "all of these"});
  });
  EXPECT_THAT(text_of(cycle), HasSubstr("these wait for each other: all of these"));
  bool told = false;
  while (const auto message = third.hear()) told = told || message->header.flags == verdict_flag;
  EXPECT_TRUE(told) << "who waits for our group message hears of it, too";
}

TEST_F(GroupMessages, AVerdictOfAnotherOrOfAWaitThatIsNotKnownSaysNothing) {
  EXPECT_EQ(wait_for_group_message([&] {
              say(third, for_group_message(third.address()), 0);
              say_verdict(third, {third.address(), 3, "not the one"});
              say_verdict(callee, {third.address(), 4, "another wait"});
            }),
            nullptr);
}

}  // namespace
}  // namespace octavo::detail
