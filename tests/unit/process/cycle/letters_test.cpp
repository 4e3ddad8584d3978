// SPDX-License-Identifier: Apache-2.0
// C-3: waits for letters of members. What a member owes is the test's to say (OwedLetters); who has failed tells those who wait for its letter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

using testing::HasSubstr;
using owing = OwedLetters::owing;

class Owes final : public OwedLetters {
 public:
  [[nodiscard]] owing owes(const LetterWait& letter, const Address& to) const override {
    asked.emplace_back(letter.group, to);
    return what;
  }
  owing what = owing::inside;
  mutable std::vector<std::pair<std::uint64_t, Address>> asked;
};

class Letters : public CyclingTest {
 protected:
  Letters() { parts->finder.set_letters(letters); }
  // The method of the caller's call 8 waits for a letter of the callee; `look` is called in each round of reading.
  template <class Look>
  std::exception_ptr wait_for_letter(Look look, int rounds = 4) {
    std::exception_ptr cycle;
    run_for(caller, 8, 77, [&] {
      CycleFinder::Wait wait(parts->finder, nullptr, &letter);
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
  static Probe for_letter(const Address& first) {
    auto probe = probe_of(first);
    probe.for_letter = probe.by_letters = true;
    probe.letter.group = 6;
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
    wait_for_letter([&] {
      say(third, probe, 0);
      passed = passed || !probes_of(probe.first, callee).empty();
    });
    return passed;
  }
  Owes letters;
  AwaitedLetter letter{callee.address(), {5, 1, 0, "all_reduce"}};
};

TEST_F(Letters, C3_AProbeSaysWhichLetterIsAwaited) {
  std::vector<Probe> probes;
  EXPECT_EQ(wait_for_letter([&] {
              for (auto& each : probes_of(mine.self.address, callee)) probes.push_back(std::move(each));
            }),
            nullptr);
  ASSERT_FALSE(probes.empty());
  EXPECT_TRUE(probes[0].for_letter);
  EXPECT_TRUE(probes[0].by_letters);
  EXPECT_EQ(probes[0].letter.group, 5U);
  EXPECT_THAT(probes[0].members[0], HasSubstr("waits for process 3 in all_reduce"));
}

TEST_F(Letters, C3_AProbeThatComesBackEndsTheWait) {
  const auto cycle = wait_for_letter([&] {
    for (auto& each : probes_of(mine.self.address, callee)) say(caller, each, 8);
  });
  EXPECT_THAT(text_of(cycle), HasSubstr("these wait for each other: Bare1 (process 1"));
}

TEST_F(Letters, C3_AProbeIsPassedOnByWhoOwesThatLetterInItsCollective) {
  EXPECT_TRUE(passes(for_letter(third.address())));
  ASSERT_FALSE(letters.asked.empty());
  EXPECT_EQ(letters.asked[0], (std::pair<std::uint64_t, Address>(6, third.address())));
}

TEST_F(Letters, AProbeForALetterThatIsNotOwedIsNot) {
  letters.what = owing::nothing;
  EXPECT_FALSE(passes(for_letter(third.address())));
}

TEST_F(Letters, C3_OfACollectiveThatHasNotBegunOnlyIfNobodyElseCanBeginIt) {
  letters.what = owing::not_begun;
  EXPECT_FALSE(passes(for_letter(third.address()))) << "its root began elsewhere";
  root_began_here = true;
  EXPECT_TRUE(passes(for_letter(third.address())));
  run_for(caller, 8, 77, [&] {  // a call of that root is not answered yet
    auto beside = call(callee);
    EXPECT_FALSE(passes(for_letter(third.address())));
  });
}

TEST_F(Letters, AProbeOnTheWayOfACollectiveThatHasNotBegunSaysSo) {
  letters.what = owing::not_begun;
  root_began_here = true;
  std::vector<Probe> probes;
  wait_for_letter([&] {
    say(third, for_letter(third.address()), 0);
    for (auto& each : probes_of(third.address(), callee)) probes.push_back(std::move(each));
  });
  ASSERT_FALSE(probes.empty());
  EXPECT_TRUE(probes[0].alone);
}

// One that waits for a letter finds the cycle before: all its group hears of it, and the calls in its queue are served.
TEST_F(Letters, WhoWaitsForACallLeavesTheVerdictToWhoWaitsForALetter) {
  run_for(caller, 8, 77, [&] {
    auto state = call(callee);
    int rounds = 0;
    meanwhile([&] {
      for (auto& each : probes_of(mine.self.address, callee)) {
        each.by_letters = true;  // somebody on the way waits for one
        say(caller, each, 8);
      }
      if (++rounds == 4) answer(callee, *state);
    });
    EXPECT_TRUE(parts->finder.wait_for(*state, road::never));
    EXPECT_EQ(state->take(), 1);
  });
}

TEST_F(Letters, WhoFailsTellsThoseWhoWaitForItsLetter) {
  bool told = false;
  EXPECT_NE(wait_for_letter([&] {
              for (auto& each : probes_of(mine.self.address, callee)) {
                each.for_letter = true;
                each.letter.group = 6;
                say(third, each, 0);  // it waits for a letter of ours
              }
            }),
            nullptr);
  while (const auto message = third.hear()) told = told || message->header.flags == verdict_flag;
  EXPECT_TRUE(told);
}

TEST_F(Letters, C3_AVerdictOfWhomItsLetterIsAwaitedFromEndsTheWait) {
  const auto cycle = wait_for_letter([&] {
    say(third, for_letter(third.address()), 0);
    if (!probes_of(third.address(), callee).empty()) say_verdict(callee, {third.address(), 3, "all of these"});
  });
  EXPECT_THAT(text_of(cycle), HasSubstr("these wait for each other: all of these"));
  bool told = false;
  while (const auto message = third.hear()) told = told || message->header.flags == verdict_flag;
  EXPECT_TRUE(told) << "who waits for our letter hears of it, too";
}

TEST_F(Letters, AVerdictOfAnotherOrOfAWaitThatIsNotKnownSaysNothing) {
  EXPECT_EQ(wait_for_letter([&] {
              say(third, for_letter(third.address()), 0);
              say_verdict(third, {third.address(), 3, "not the one"});
              say_verdict(callee, {third.address(), 4, "another wait"});
            }),
            nullptr);
}

}  // namespace
}  // namespace octavo::detail
