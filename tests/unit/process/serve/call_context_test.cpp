// SPDX-License-Identifier: Apache-2.0
// Which call runs, and what that says of those that come and those that are made meanwhile.
#include "process/context/call_context.hpp"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace octavo::detail {
namespace {

wire::FrameHeader call(std::uint64_t root, std::uint8_t depth, wire::frame_kind kind = wire::frame_kind::call) {
  wire::FrameHeader header;
  header.kind = kind;
  header.root = root;
  header.flags = depth;
  return header;
}

class Context : public testing::Test {
 protected:
  Context() { context.serve_here(); }
  CallContext context;
};

TEST(CallContextBefore, NobodyServesUntilAThreadSaysSo) {
  CallContext context;
  EXPECT_FALSE(context.serves());
  EXPECT_FALSE(context.runs_methods());
  context.serve_here();
  EXPECT_TRUE(context.serves());
  EXPECT_TRUE(context.runs_methods());
}

TEST_F(Context, TheOtherThreadsLearnThatTheyAreNotThatOne) {
  CallContext::Scope running(context, 7, 2);
  running.nothing_else_runs(true);
  std::thread([&] {
    EXPECT_TRUE(context.serves());
    EXPECT_FALSE(context.runs_methods());
    EXPECT_EQ(context.root(), 0U);
    EXPECT_FALSE(context.runs(7));
    EXPECT_EQ(context.depth_of_next_call(), 1) << "what it calls is a root itself";
    context.others_may_run();
  }).join();
  EXPECT_FALSE(context.may_others_run()) << "of its own calls nobody asks";
  std::thread([&] { context.others_may_run(8); }).join();
  EXPECT_TRUE(context.may_others_run()) << "it has read a reply, and does not know whose root runs";
}

TEST_F(Context, ARootIsOfOneCallOfOneProcess) {
  std::set<std::uint64_t> roots;
  for (std::uint64_t agent = 1; agent <= 3; ++agent)
    for (std::uint64_t object = 1; object <= 3; ++object)
      for (std::uint64_t number = 1; number <= 3; ++number) roots.insert(root_of({agent, 1, object}, number));
  EXPECT_EQ(roots.size(), 27U);
  EXPECT_FALSE(roots.contains(0));
  EXPECT_NE(root_of({1, 1, 1}, 0 - root_of({1, 1, 1}, 0)), 0U) << "that would be none";
}

TEST_F(Context, C3_WhatIsCalledIsOneLevelDeeper) {
  EXPECT_EQ(context.depth_of_next_call(), 1);
  {
    const CallContext::Scope running(context, 7, 3);
    EXPECT_EQ(context.root(), 7U);
    EXPECT_EQ(context.depth_of_next_call(), 4);
    {
      const CallContext::Scope unknown(context, 7, 0);
      EXPECT_EQ(context.depth_of_next_call(), 0);
    }
    {
      const CallContext::Scope deepest(context, 7, 255);
      EXPECT_EQ(context.depth_of_next_call(), 0) << "not known any more";
    }
    EXPECT_EQ(context.depth_of_next_call(), 4);
  }
  EXPECT_EQ(context.root(), 0U);
}

TEST_F(Context, C3_OnlyWhatDescendsFromTheRunningCallIsACallback) {
  EXPECT_FALSE(context.is_callback(call(0, 1))) << "nothing runs";
  const CallContext::Scope running(context, 7, 2);
  EXPECT_TRUE(context.is_callback(call(7, 3)));
  EXPECT_TRUE(context.is_callback(call(7, 9)));
  EXPECT_FALSE(context.is_callback(call(8, 3))) << "another root";
  EXPECT_FALSE(context.is_callback(call(7, 3, wire::frame_kind::destroy))) << "it would end the object under the call";
}

TEST_F(Context, C2_SiblingsAreNoCallbacks) {
  const CallContext::Scope running(context, 7, 2);
  EXPECT_FALSE(context.is_callback(call(7, 2))) << "the same method made it after the one that runs";
  EXPECT_FALSE(context.is_callback(call(7, 1)));
  EXPECT_TRUE(context.is_callback(call(7, 0))) << "how deep it is is not known: it may be one";
  const CallContext::Scope unknown(context, 7, 0);
  EXPECT_TRUE(context.is_callback(call(7, 2)));
}

// --- what may run elsewhere ---

TEST_F(Context, OthersMayRunUntilMoreIsKnown) {
  CallContext::Scope running(context, 7, 2);
  EXPECT_TRUE(running.outermost());
  EXPECT_TRUE(context.may_others_run());
  EXPECT_FALSE(context.root_began_here());
  running.nothing_else_runs(true);
  EXPECT_FALSE(context.may_others_run());
  EXPECT_TRUE(context.root_began_here());
}

TEST_F(Context, ACallWithinChangesNothingOfThat) {
  CallContext::Scope running(context, 7, 2);
  running.nothing_else_runs(true);
  {
    CallContext::Scope within(context, 7, 4);
    EXPECT_FALSE(within.outermost());
    EXPECT_FALSE(context.may_others_run());
    EXPECT_TRUE(context.root_began_here());
    context.others_may_run();
    within.nothing_else_runs(false);
    EXPECT_TRUE(context.may_others_run()) << "the outermost one decides";
  }
  EXPECT_TRUE(context.may_others_run()) << "and it stays so";
}

TEST_F(Context, RepliesSayWhatMayRunOfTheirRoot) {
  CallContext::Scope running(context, 7, 2);
  running.nothing_else_runs(true);
  wire::SmallFrame small;
  small.root = 7;
  context.reply_came(call(7, 0));
  context.reply_came(small);
  context.reply_came(call(8, wire::flag_more_may_run));
  EXPECT_FALSE(context.may_others_run());
  context.reply_came(call(7, wire::flag_more_may_run));
  EXPECT_TRUE(context.may_others_run());
  running.nothing_else_runs(true);
  small.flags = wire::flag_more_may_run;
  context.reply_came(small);
  EXPECT_TRUE(context.may_others_run());
}

}  // namespace
}  // namespace octavo::detail
