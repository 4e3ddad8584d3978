// SPDX-License-Identifier: Apache-2.0
// What is said before the cluster's key is: only an agent of this version is taken for one, however what it says is cut into pieces.
#include "machine/engine/hail.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "machine/engine/invitation.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine {
namespace {

using testing::HasSubstr;

struct Heard {
  bool agent = false;
  std::vector<std::string> others;
  std::string rest, why;
};

// In pieces of so many bytes.
Heard heard(const std::string& said, std::size_t piece) {
  Heard result;
  Hearing hearing("ssh");
  try {
    for (std::size_t at = 0; at < said.size(); at += piece) {
      if (result.agent) result.rest += said.substr(at, piece);
      else if (hearing.take(said.substr(at, piece), [&](const std::string& line) { result.others.push_back(line); }))
        result.agent = true, result.rest = hearing.rest();
    }
  } catch (const refused& e) {
    result.why = e.what();
  }
  return result;
}

TEST(Hail, AnAgentIsHeardBehindWhatALoginSays) {
  for (std::size_t piece : {1, 2, 7, 1000})
    for (const std::string login : {"", "Welcome to node1\r\n\nYou have mail.\n", "no end of line", "octavo is installed here\n"}) {
      auto result = heard(login + answer() + "printed\nby objects", piece);
      EXPECT_TRUE(result.agent) << login << result.why;
      EXPECT_EQ(result.rest, "printed\nby objects") << piece;
      std::string others;
      for (const auto& each : result.others) others += each + "\n";
      EXPECT_EQ(others.empty(), login.empty()) << others;
      EXPECT_EQ(others.find('\r'), std::string::npos);
    }
}

TEST(Hail, WhatIsNoAgentIsRefusedWithWhatItSaid) {
  for (std::size_t piece : {1, 5, 1000}) {
    EXPECT_THAT(heard(question(), piece).why, HasSubstr("gives back what it is told"));
    EXPECT_THAT(heard("user@node1:~$ " + question(), piece).why, HasSubstr("ssh without -t"));
    EXPECT_THAT(heard("motd\r\n" + question().substr(0, question().size() - 1) + "\r\n", piece).why, HasSubstr("gives back what it is told"));
    EXPECT_THAT(heard(refusal("its standard input is a terminal"), piece).why, HasSubstr("takes no key: its standard input is a terminal"));
    for (const std::uint32_t version : {invitation_version - 1, invitation_version + 1, invitation_version * 10}) {
      const auto said = "octavo agent, invitation " + std::to_string(version);
      EXPECT_THAT(heard(said + "\n", piece).why, testing::AllOf(HasSubstr("'" + said + "'"), HasSubstr("Install the same Octavo")));
    }
    EXPECT_THAT(heard("octavo agent, \x1b[2J\n", piece).why, HasSubstr("'octavo agent, \\x1b[2J'"));
  }
}

TEST(Hail, SLURM3_OneOfSeveralSaysWhichItIs) {
  Hearing named("srun"), alone("ssh");
  const auto none = [](const std::string&) {};
  EXPECT_TRUE(named.take(answer("n2"), none));
  EXPECT_EQ(named.machine(), "n2");
  EXPECT_TRUE(alone.take(answer(), none));
  EXPECT_EQ(alone.machine(), "");
}

TEST(Hail, NoWordsAreTakenForAnAgent) {
  for (const std::string said : {"y\n", "octavo agent", "Octavo agent, invitation 3\n", " octavo agent, invitation 3\n", "octavo cluster key 1\n"})
    EXPECT_FALSE(heard(said, 1000).agent) << said;
  EXPECT_FALSE(heard(answer().substr(0, answer().size() - 1), 1000).agent) << "not before its line has ended";
}

TEST(Hail, TooManyWordsAreRefused) {
  std::string yes;
  for (int i = 0; i < 100'000; ++i) yes += "y\n";
  EXPECT_THAT(heard(yes, 4096).why, HasSubstr("says more than an agent does"));
  EXPECT_THAT(heard(std::string(100'000, 'y'), 4096).why, HasSubstr("says more than an agent does"));
  EXPECT_THAT(heard(std::string(1000, 'y') + "\n" + answer(), 4096).why, "") << "some lines are usual";
}

TEST(Hail, LastLinesAreOneWithoutControlCharacters) {
  EXPECT_EQ(last_lines(""), "");
  EXPECT_EQ(last_lines("\n\r\n"), "");
  EXPECT_EQ(last_lines("ssh: no route\r\nlost\x07\n"), "ssh: no route; lost\\x07");
  EXPECT_EQ(last_lines("1\n2\n3\n4\n5\n6\n7"), "3; 4; 5; 6; 7");
}

}  // namespace
}  // namespace octavo::engine
