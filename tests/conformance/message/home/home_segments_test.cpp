// SPDX-License-Identifier: Apache-2.0
// Segments of the home: memory of several programs of one user, their objects, and objects with names.
#include "conformance/message/home/programs.hpp"

namespace message_tests {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class HomeSegments : public HomeBoxes {
 protected:
  const std::string heat = "ov://home/heat";
};

TEST_F(HomeSegments, SEG6_WhatOneProgramWritesTheOthersSee) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "read segment", heat), "0");
  EXPECT_EQ(two.does("main", "write segment", heat, "5"), "5");
  EXPECT_EQ(one.does("main", "read segment", heat), "5");
  EXPECT_EQ(one.does("object", "write segment", heat, "6"), "6");
  EXPECT_EQ(two.does("named/keeper", "read segment", heat), "6");
  EXPECT_EQ(two.does("main", "read segment", "ov://home/other"), "0");
}

TEST_F(HomeSegments, SEG6_ItLivesWhileSomebodyHasItAndThenIsNew) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "write segment", heat, "5"), "5");
  EXPECT_EQ(two.does("main", "read segment", heat), "5");
  one.kill();
  EXPECT_EQ(two.does("main", "read segment", heat), "5");
  EXPECT_EQ(two.does("main", "drop segment", heat), "dropped");
  Program three = begin();
  std::string seen = "5";
  while (seen == "5") {  // until the end of one is known
    seen = three.does("main", "read segment", heat);
    if (seen == "5") {
      EXPECT_EQ(three.does("main", "drop segment", heat), "dropped");
    }
  }
  EXPECT_EQ(seen, "0");
}

TEST_F(HomeSegments, SEG6_ItGoesWithAProgramThatIsKilled) {
  Program two = begin();
  for (int round = 0; round < 3; ++round) {
    Program one = begin();
    EXPECT_EQ(one.does("main", "write segment", heat, "5"), "5");
  }  // it is killed
  std::string seen = "5";
  while (seen == "5") {
    seen = two.does("main", "read segment", heat);
    if (seen == "5") {
      EXPECT_EQ(two.does("main", "drop segment", heat), "dropped");
    }
  }
  EXPECT_EQ(seen, "0");
}

TEST_F(HomeSegments, SEG2_OfAnotherSizeItIsRefused) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "read segment", heat), "0");
  EXPECT_THAT(two.does("main", "open large segment", heat), StartsWith("usage: segment 'ov://home/heat' has 10 of type int64, not 20 of type int64"));
  EXPECT_THAT(two.does("main", "read segment", "ov://house/heat"), HasSubstr("is no name of a segment"));
}

}  // namespace
}  // namespace message_tests
