// SPDX-License-Identifier: Apache-2.0
// Mailboxes of the home: what several programs of one user, and objects with names, post to each other.
#include "conformance/message/home/programs.hpp"

namespace message_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST_F(HomeBoxes, MB1_OneProgramReadsWhatAnotherPosts) {
  Program one = begin(), two = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  for (const char* text : {"a", "b", "a text that is longer than a line of a cache, and so comes as a message of its own"})
    EXPECT_EQ(one.does("main", "post", box, text), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  EXPECT_EQ(two.does("main", "take", box), "b");
  EXPECT_THAT(two.does("main", "take", box), StartsWith("a text that is longer"));
  EXPECT_EQ(one.does("main", "post large", box, "3000000"), "posted");
  EXPECT_EQ(two.does("main", "take large", box), "3000000");
  two.tell("main", "post", "ov://home/back", "there");
  EXPECT_EQ(one.does("main", "take", "ov://home/back"), "there");
  EXPECT_EQ(two.hear(), "posted");
}

TEST_F(HomeBoxes, MB1_TheirObjectsAndThoseWithNamesDoTheSame) {
  Program one = begin(), two = begin();
  const std::vector<std::string> readers{"object", "named/reader"}, posters{"main", "object", "named/poster"};
  for (const auto& reader : readers)
    for (const auto& poster : posters) {
      const auto name = "ov://home/" + reader + "/" + poster;
      EXPECT_EQ(one.does(poster, "post", name, "first"), "posted");
      EXPECT_EQ(two.does(reader, "take", name), "first");
      EXPECT_EQ(one.does(poster, "post", name, "second"), "posted");
      EXPECT_EQ(two.does(reader, "take", name), "second");
    }
  EXPECT_EQ(one.does("named/poster", "post", "ov://home/of program", "up"), "posted");
  EXPECT_EQ(two.does("main", "take", "ov://home/of program"), "up");
}

TEST_F(HomeBoxes, MB1_OtherNamesAreThoseOfTheProgram) {
  Program one = begin(), two = begin();
  EXPECT_EQ(two.does("main", "look", "box"), "nothing");
  EXPECT_EQ(one.does("main", "look", "box"), "nothing") << "else it were refused";
  EXPECT_THAT(one.does("named/reader", "take", "box"), HasSubstr("Give it a name that begins with ov://home/"));
  EXPECT_THAT(one.does("main", "take", "ov://home/a//b"), HasSubstr("a part of it is empty"));
}

TEST_F(HomeBoxes, MB2_OfTwoProgramsOneReads) {
  Program one = begin(), two = begin();
  for (int round = 0; round < 20; ++round) {
    const auto name = "ov://home/" + std::to_string(round);
    one.tell("main", "look", name);
    two.tell("main", "look", name);
    const auto first = one.hear(), second = two.hear();
    const auto& refused = first == "nothing" ? second : first;
    EXPECT_NE(first == "nothing", second == "nothing");
    EXPECT_THAT(refused, StartsWith("refused: mailbox '" + name + "' is read by process 1 (the program, pid "));
  }
}

TEST_F(HomeBoxes, MB2_OneNameHasOneTypeWhileItIsOfUse) {
  Program one = begin(), two = begin(), three = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  EXPECT_THAT(three.does("main", "look for number", box), HasSubstr("holds messages of type"));
  std::string said = "posted";
  while (said == "posted") said = one.does("main", "post number", box, "3");  // until it has heard who reads there
  EXPECT_THAT(said, HasSubstr("holds messages of type"));
  one.end();
  two.end();
  while (three.does("main", "look for number", box) != "nothing") {}  // until the end of two is known
  Program four = begin();
  EXPECT_EQ(four.does("main", "post number", box, "4"), "posted");
  EXPECT_EQ(three.does("main", "take number", box), "4");
}

TEST_F(HomeBoxes, MB4_WhatWasPostedBeforeThereIsAReaderIsHis) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(one.does("object", "post", box, "a"), "posted");
  EXPECT_EQ(one.does("named/poster", "post", box, "a"), "posted");
  two.tell("main", "take", box);
  EXPECT_EQ(two.hear(), "a");
  EXPECT_EQ(two.does("main", "take", box), "a");
  EXPECT_EQ(two.does("main", "take", box), "a");
}

// It would be gone with this life of the object.
TEST_F(HomeBoxes, MB4_AnObjectStaysAwakeForWhatItHasPosted) {
  Program one = begin();
  EXPECT_EQ(one.does("lazy/poster", "post", box, "kept"), "posted");
  const int pid = one.pid_of("lazy/poster");
  EXPECT_EQ(one.does("lazy/other", "look", "ov://home/nothing"), "nothing");
  ov::kit::await_end(one.pid_of("lazy/other"));  // it rests
  EXPECT_TRUE(ov::kit::alive(pid));
  EXPECT_EQ(one.does("main", "take", box), "kept");
  ov::kit::await_end(pid);
}

}  // namespace
}  // namespace message_tests
