// SPDX-License-Identifier: Apache-2.0
// Locks of the home: between programs of one user, their objects, and objects with names.
#include "conformance/message/home/programs.hpp"

namespace message_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HomeLocks : public HomeBoxes {
 protected:
  const std::string table = "ov://home/table";
};

TEST_F(HomeLocks, HL1_OneProgramHasItAndTheNextWaits) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "lock", table), "locked");
  EXPECT_EQ(two.does("main", "try lock", table), "nothing");
  EXPECT_EQ(two.does("main", "lock soon", table), "nothing");
  EXPECT_EQ(two.does("main", "try lock", "ov://home/other"), "locked");
  two.tell("main", "lock", table);
  EXPECT_EQ(one.does("main", "unlock", table), "unlocked");
  EXPECT_EQ(two.hear(), "locked");
  EXPECT_EQ(one.does("main", "try lock", table), "nothing");
}

TEST_F(HomeLocks, HL1_TheirObjectsAndThoseWithNamesDoTheSame) {
  Program one = begin(), two = begin();
  const std::vector<std::string> first{"main", "object", "named/first"}, second{"main", "object", "named/second"};
  for (const auto& who : first)
    for (const auto& other : second) {
      EXPECT_EQ(one.does(who, "lock", table), "locked") << who;
      EXPECT_EQ(two.does(other, "try lock", table), "nothing") << other;
      EXPECT_EQ(one.does(who, "unlock", table), "unlocked");
      EXPECT_EQ(two.does(other, "try lock", table), "locked");
      EXPECT_EQ(two.does(other, "unlock", table), "unlocked");
    }
}

TEST_F(HomeLocks, HL1_OtherNamesAreThoseOfTheProgram) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "lock", "table"), "locked");
  EXPECT_EQ(two.does("main", "lock", "table"), "locked");
  EXPECT_THAT(one.does("main", "lock", "ov://house/table"), StartsWith("usage: 'ov://house/table' is no name of a mutex. Begin it with ov://home/"));
  EXPECT_THAT(one.does("main", "lock", "ov://home/a//b"), HasSubstr("a part of it is empty"));
}

TEST_F(HomeLocks, HL1_AThreadThatHasItIsToldSo) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "lock", table), "locked");
  EXPECT_THAT(one.does("main", "lock", table), HasSubstr("is locked by a thread that has it already"));
  EXPECT_THAT(one.does("main", "try lock", table), HasSubstr("is locked by a thread that has it already"));
  EXPECT_EQ(one.does("main", "unlock", table), "unlocked");
  EXPECT_THAT(one.does("main", "unlock", table), HasSubstr("is unlocked by a thread that does not have it"));
}

TEST_F(HomeLocks, HL1_UnitsOfASemaphoreAreCountedForAll) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "acquire unit", table), "acquired");
  EXPECT_EQ(two.does("main", "acquire unit", table), "acquired");
  EXPECT_EQ(two.does("object", "try unit", table), "nothing");
  two.tell("object", "acquire unit", table);
  EXPECT_EQ(one.does("main", "release unit", table), "released");
  EXPECT_EQ(two.hear(), "acquired");
}

TEST_F(HomeLocks, HL1_AConditionGivesItsMutexUpAndHasItAgain) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "lock", table), "locked");
  EXPECT_EQ(one.does("main", "wait lock", table, "for a while"), "not notified");
  EXPECT_EQ(two.does("main", "try lock", table), "nothing") << "it has the mutex again";
  one.tell("main", "wait lock", table);
  EXPECT_EQ(two.does("main", "lock", table), "locked");
  EXPECT_EQ(two.does("main", "notify lock", table), "notify locked");
  EXPECT_EQ(two.does("main", "unlock", table), "unlocked");
  EXPECT_EQ(one.hear(), "notified");
  EXPECT_EQ(two.does("main", "try lock", table), "nothing");
  EXPECT_EQ(one.does("main", "unlock", table), "unlocked");
}

TEST_F(HomeLocks, HL2_TheDeathOfAHolderIsToldOnceAndThenItIsFree) {
  Program one = begin(), two = begin(), three = begin();
  EXPECT_EQ(one.does("main", "lock", table), "locked");
  EXPECT_EQ(one.does("main", "acquire unit", table), "acquired");
  EXPECT_EQ(two.does("main", "acquire unit", table), "acquired");
  two.tell("main", "lock", table);
  EXPECT_EQ(three.does("main", "try lock", table), "nothing");
  one.kill();
  EXPECT_THAT(two.hear(), HasSubstr("mutex 'ov://home/table'"));
  EXPECT_EQ(two.does("main", "lock", table), "locked");
  EXPECT_THAT(three.does("main", "acquire unit", table), HasSubstr("semaphore 'ov://home/table'"));
  EXPECT_EQ(three.does("main", "acquire unit", table), "acquired");
}

TEST_F(HomeLocks, HL2_AnObjectThatDiesAloneIsAHolderToo) {
  Program one = begin(), two = begin();
  for (const std::string who : {"object", "named/holder"}) {
    const int pid = one.pid_of(who);
    EXPECT_EQ(one.does(who, "lock", table), "locked");
    two.tell("main", "lock", table);
    ::kill(pid, SIGKILL);
    EXPECT_THAT(two.hear(), HasSubstr("HomeClerk"));
    EXPECT_EQ(two.does("main", "lock", table), "locked");
    EXPECT_EQ(two.does("main", "unlock", table), "unlocked");
  }
}

TEST_F(HomeLocks, HL3_OneThatUnlocksAndEndsHasAbandonedNothing) {
  Program two = begin();
  for (int round = 0; round < 5; ++round) {
    Program one = begin();
    EXPECT_EQ(one.does("main", "lock", table), "locked");
    one.tell("main", "unlock and die", table);
    EXPECT_EQ(one.hear(), "the program has ended");
    EXPECT_EQ(two.does("main", "lock", table), "locked");
    EXPECT_EQ(two.does("main", "unlock", table), "unlocked");
  }
}

// A request that came to the agent that was killed is answered as the clause says, and made again.
std::string at_the_next_agent(Program& program, const std::string& what, const std::string& lock) {
  std::string said = "gone";
  while (said.starts_with("gone")) said = program.does("main", what, lock);
  return said;
}

TEST_F(HomeLocks, HL4_WhatIsHeldStaysHeldWhenTheLastingAgentIsKilled) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "lock", table), "locked");
  EXPECT_EQ(two.does("main", "try lock", table), "nothing");
  ::kill(one.lasting_agent(), SIGKILL);
  EXPECT_EQ(at_the_next_agent(one, "try lock", "ov://home/other"), "locked") << "that has heard of one";
  EXPECT_EQ(at_the_next_agent(two, "try lock", table), "nothing");
  EXPECT_EQ(one.does("main", "unlock", table), "unlocked");
  EXPECT_EQ(two.does("main", "lock", table), "locked");
}

// Again where the request was still on its way: then it waits at the next agent, and is granted there.
TEST_F(HomeLocks, HL4_WhoWaitsHearsOfTheDeathOfTheLastingAgent) {
  Program one = begin(), two = begin();
  std::string heard = "locked";
  while (heard == "locked") {
    EXPECT_EQ(one.does("main", "lock", table), "locked");
    two.tell("main", "lock", table);
    ::kill(one.lasting_agent(), SIGKILL);
    EXPECT_EQ(at_the_next_agent(one, "try lock", "ov://home/other"), "locked");
    EXPECT_EQ(one.does("main", "unlock", table), "unlocked");
    EXPECT_EQ(one.does("main", "unlock", "ov://home/other"), "unlocked");
    heard = two.hear();
    if (heard == "locked") {
      EXPECT_EQ(two.does("main", "unlock", table), "unlocked");
    }
  }
  EXPECT_THAT(heard, StartsWith("gone: mutex 'ov://home/table': the lasting agent of this machine, which kept it, has ended"));
}

}  // namespace
}  // namespace message_tests
