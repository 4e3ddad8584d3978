// SPDX-License-Identifier: Apache-2.0
// Groups of objects with names, which have one life after another: the death of an earlier life is none of a group that was made after it (G-12).
#include <csignal>
#include <functional>

#include "conformance/process/named/named_scene.hpp"
#include "octavo/group.hpp"

namespace group_tests {

namespace ov = octavo;

class Voter {
 public:
  explicit Voter(int votes = 0) : votes_(votes) {}
  [[nodiscard]] int votes() const { return votes_; }
  void add(int more) { votes_ += more; }
  [[nodiscard]] int pid() const { return ::getpid(); }
  [[nodiscard]] int sum() const { return ov::self<Voter>().all_reduce(votes_, std::plus<>()); }
  [[nodiscard]] int sum_in(const ov::group<Voter>& g) const { return ov::self<Voter>(g).all_reduce(votes_, std::plus<>()); }
  // The pid of the member that died.
  [[nodiscard]] std::int64_t until_death() const {
    try {
      for (;;) ov::self<Voter>().barrier();
    } catch (const ov::process_died& e) {
      return e.obituary().facts.pid;
    }
  }
  [[nodiscard]] std::vector<int> sum_of(const std::vector<ov::remote_ptr<Voter>>& voters) const;  // in a group that it makes
  template <class Archive>
  void serialize(Archive& archive) {
    archive(votes_);
  }

 private:
  int votes_;
};
OCTAVO_REMOTE(Voter, votes, add, pid, sum, sum_in, until_death, sum_of)
std::vector<int> Voter::sum_of(const std::vector<ov::remote_ptr<Voter>>& voters) const { return ov::group<Voter>(voters)->sum(); }

namespace {

using namespace std::chrono_literals;
using process_tests::until;
using testing::Each;
using testing::HasSubstr;
using Voters = std::vector<ov::remote_ptr<Voter>>;

class NamedMembers : public process_tests::NamedObjects {
 protected:
  static std::string name_of(int i) { return "voters/" + std::to_string(i); }
  // Member i has 1 << i votes.
  static Voters make_voters(int n) {
    Voters made;
    for (int i = 0; i < n; ++i) made.push_back(ov::named(name_of(i)).restart_when_called(1000).make<Voter>(1 << i));
    return made;
  }
  static std::int64_t pid_of(int i) { return ov::names(name_of(i)).at(0).pid; }
  // Dead, and its agent knows it.
  static void kill(int i) {
    const auto pid = pid_of(i);
    ::kill(static_cast<pid_t>(pid), SIGKILL);
    until([&] { return pid_of(i) != pid; });
  }
  // A call that is on its way to the dead one fails.
  static int votes_of(const ov::remote_ptr<Voter>& voter) {
    for (;;) {
      try {
        return voter->votes();
      } catch (const ov::error& e) {
        EXPECT_EQ(e.kind(), ov::error_kind::gone) << e.what();
      }
    }
  }
  static void expect_whole(const Voters& voters, const std::string& after) {
    for (int round = 0; round < 2; ++round) {
      const ov::group<Voter> g(voters);
      EXPECT_EQ(g->sum(), std::vector<int>(voters.size(), (1 << voters.size()) - 1)) << "group " << round << " after " << after;
    }
  }
};

TEST_F(NamedMembers, G12_OfWhichSomeWereKilledBefore) {
  const auto voters = make_voters(4);
  kill(1);
  for (const auto& each : voters) votes_of(each);
  expect_whole(voters, "one was killed");
  for (int i = 0; i < 4; ++i) kill(i);
  for (const auto& each : voters) votes_of(each);
  expect_whole(voters, "all were killed");
  as_another_program();
  expect_whole(voters, "a new program began");
  for (int i : {1, 2}) kill(i);
  expect_whole(voters, "some were killed whom nobody has called since");
}

TEST_F(NamedMembers, G12_ThatRestedBefore) {
  Voters voters;
  for (int i = 0; i < 3; ++i) voters.push_back(ov::named(name_of(i)).resting_after(5ms).make<Voter>(1 << i));
  for (int i = 0; i < 3; ++i) until([&] { return pid_of(i) == 0; });
  expect_whole(voters, "they rested");
}

TEST_F(NamedMembers, G12_WhoseAgentEndedInOrderOrWasKilled) {
  const auto voters = make_voters(3);
  expect_whole(voters, "they were made");
  ov::end_lasting_agent();
  for (const auto& each : voters) votes_of(each);
  expect_whole(voters, "their agent ended");
  as_another_program();
  for (const auto& each : voters) ov::save(each);
  end_agent(SIGKILL);
  for (const auto& each : voters) votes_of(each);
  expect_whole(voters, "their agent was killed");
}

TEST_F(NamedMembers, G12_ThatWentBackToAnEarlierState) {
  const auto voters = make_voters(3);
  expect_whole(voters, "they were made");
  voters[1]->add(100);
  ov::save(voters[1]);
  ov::restore_previous(name_of(1));
  expect_whole(voters, "one went back");
}

TEST_F(NamedMembers, G12_AMemberThatComesBackIsNotInTheGroupItWasIn) {
  const auto voters = make_voters(3);
  const ov::group<Voter> g(voters);
  EXPECT_EQ(g->sum(), std::vector<int>(3, 7));
  const auto pid = pid_of(1);
  kill(1);
  EXPECT_EQ(votes_of(voters[1]), 2);
  EXPECT_EQ(voters[0]->until_death(), pid);
  EXPECT_EQ(voters[2]->until_death(), pid);
  for (int i : {0, 2}) EXPECT_THROW((void)voters[static_cast<std::size_t>(i)]->sum(), ov::process_died) << "so does each later one";
  try {
    (void)voters[1]->sum_in(g);
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("no member of the group"));
    EXPECT_THAT(e.cure(), HasSubstr("came back"));
  }
  expect_whole(voters, "it came back");
  EXPECT_THROW((void)voters[0]->sum_in(g), ov::process_died) << "the old group stays as it was";
}

// The life that dies is the one that is in the group, in whichever life its member is.
TEST_F(NamedMembers, G9_G12_EachLaterLifeIsMissedToo) {
  const auto voters = make_voters(4);
  for (int life = 0; life < 3; ++life) {
    const ov::group<Voter> g(voters);
    const auto pid = pid_of(life);
    std::vector<ov::future<std::int64_t>> waiting;
    for (int i = 0; i < 4; ++i)
      if (i != life) waiting.push_back(ov::start(voters[static_cast<std::size_t>(i)])->until_death());
    ::kill(static_cast<pid_t>(pid), SIGKILL);
    for (auto& each : waiting) EXPECT_EQ(each.get(), pid);
    votes_of(voters[static_cast<std::size_t>(life)]);
    expect_whole(voters, "life " + std::to_string(life));
  }
}

// It is back before the others have looked, and is no member for that.
TEST_F(NamedMembers, G12_OneThatIsBackAtOnceIsMissedAllTheSame) {
  Voters voters;
  for (int i = 0; i < 3; ++i) voters.push_back(ov::named(name_of(i)).restart_always(1000).make<Voter>(1 << i));
  for (int life = 0; life < 5; ++life) {
    const ov::group<Voter> g(voters);
    EXPECT_EQ(g->sum(), std::vector<int>(3, 7));
    const auto pid = pid_of(2);
    kill(2);
    votes_of(voters[2]);
    EXPECT_EQ(voters[0]->until_death(), pid);
    EXPECT_EQ(voters[1]->until_death(), pid);
  }
}

TEST_F(NamedMembers, G12_WhileOneDiesAGroupIsMadeOrIsNot) {
  const auto voters = make_voters(3);
  for (int round = 0; round < 20; ++round) {
    votes_of(voters[1]);
    ::kill(static_cast<pid_t>(pid_of(1)), SIGKILL);
    try {
      EXPECT_THAT(ov::group<Voter>(voters)->sum(), Each(7));
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone) << e.what();
    }
  }
  votes_of(voters[1]);
  expect_whole(voters, "all that");
}

// Whichever member it was, at the moment of the call or long before it, and alone or with others.
TEST_F(NamedMembers, G9_G12_ACallToAllSaysThatAMemberDiedWhicheverItWas) {
  const auto voters = make_voters(3);
  for (int round = 0; round < 24; ++round) {
    const ov::group<Voter> g(voters);
    EXPECT_THAT(g->sum(), Each(7));
    const int killed = round % 3, way = round / 3 % 4;
    const auto pid = pid_of(killed);
    if (way == 0) ::kill(static_cast<pid_t>(pid), SIGKILL);
    else kill(killed);
    if (way == 2) votes_of(voters[static_cast<std::size_t>(killed)]);
    if (way == 3) kill((killed + 1) % 3);
    for (int again = 0; again < 2; ++again) {
      try {
        if (again == 0) static_cast<void>(g->sum());
        else static_cast<void>(g->sum_in(g));
        ADD_FAILURE() << "way " << way << ", member " << killed;
      } catch (const ov::process_died& e) {
        EXPECT_TRUE(e.obituary().facts.pid == pid || way == 3) << e.what();
      } catch (const ov::error& e) {
        ADD_FAILURE() << "way " << way << ", member " << killed << ": " << e.what();
      }
    }
  }
  expect_whole(voters, "all that");
}

TEST_F(NamedMembers, G12_WithOthersThatHaveNoName) {
  auto voters = make_voters(2);
  voters.push_back(ov::process.make<Voter>(4));
  voters.push_back(ov::thread.make<Voter>(8));
  for (int life = 0; life < 3; ++life) {
    const ov::group<Voter> g(voters);
    EXPECT_THAT(g->sum(), Each(15));
    const auto pid = pid_of(1);
    kill(1);
    votes_of(voters[1]);
    for (std::size_t i : {0, 2, 3}) EXPECT_EQ(voters[i]->until_death(), pid) << "member " << i;
  }
  expect_whole(voters, "all that");
}

TEST_F(NamedMembers, G12_MadeByOneWithAName) {
  const auto voters = make_voters(4);
  const Voters others(voters.begin(), voters.end() - 1);
  EXPECT_THAT(voters.back()->sum_of(others), Each(7));
  for (int i = 0; i < 3; ++i) kill(i);
  for (const auto& each : others) votes_of(each);
  EXPECT_THAT(voters.back()->sum_of(others), Each(7));
}

TEST_F(NamedMembers, G12_OnAnotherMachineAmongOthersHereAndThere) {
  runtime.reset();
  runtime.emplace(ov::RuntimeOptions{.engine = ov::played({"box"}, home.string()), .home = home.string()});
  const auto box = runtime->machine("box");
  Voters voters;
  for (int i = 0; i < 2; ++i) voters.push_back(ov::named(name_of(i)).restart_when_called(1000).on(box).make<Voter>(1 << i));
  voters.push_back(box.make<Voter>(4));
  voters.push_back(ov::process.make<Voter>(8));
  voters.push_back(ov::thread.make<Voter>(16));
  for (int life = 0; life < 4; ++life) {
    const ov::group<Voter> g(voters);
    EXPECT_THAT(g->sum(), Each(31));
    const auto killed = static_cast<std::size_t>(life) % 2;
    const auto pid = voters[killed]->pid();
    runtime->kill(voters[killed].address(), SIGKILL);
    for (std::size_t i = 0; i < voters.size(); ++i)
      if (i != killed) {
        EXPECT_EQ(voters[i]->until_death(), pid) << "member " << i;
      }
    votes_of(voters[killed]);
  }
  expect_whole(voters, "all that");
  ov::end_lasting_agent(box);
  for (int i = 0; i < 2; ++i) votes_of(voters[static_cast<std::size_t>(i)]);
  expect_whole(voters, "its lasting agent ended");
  ov::end_lasting_agent(box);
}

}  // namespace
}  // namespace group_tests
