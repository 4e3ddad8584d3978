// SPDX-License-Identifier: Apache-2.0
// G-9: the death of a member, at each step of a collective; and which groups go on.
#include <csignal>

#include "conformance/group/player.hpp"
#include "conformance/process/every_place.hpp"

namespace group_tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class MemberDeath : public process_tests::EveryPlace {
 protected:
  void expect_named(std::vector<ov::future<std::string>>& waiting, const ov::remote_ptr<Player>& dead, const char* how) {
    for (auto& each : waiting)
      EXPECT_THAT(each.get(), AllOf(StartsWith(std::to_string(dead.address().object) + " "), HasSubstr("Player"), HasSubstr(how))) << "at every member";
  }
};
class MemberDeathAlone : public MemberDeath {};

TEST_P(MemberDeathAlone, G9_KilledWhileTheOthersWait) {
  for (const char* how : {"barrier", "all_reduce", "broadcast 0", "broadcast last", "gather last", "scatter 0", "all_gather", "scan", "all_to_all"}) {
    for (std::size_t who : {0, 4, 8}) {
      auto g = ov::make_group<Player>(here, 9);
      std::vector<ov::future<std::string>> waiting;
      for (std::size_t i = 0; i < g.size(); ++i)
        if (i != who) waiting.push_back(ov::start(g[i])->until_death(how, 0));
      runtime.kill(g[who].address(), SIGKILL);  // it never entered; most have no connection with it
      expect_named(waiting, g[who], "SIGKILL");
      for (std::size_t i = 0; i < g.size(); ++i)
        if (i != who) {
          EXPECT_THROW(g[i]->barrier(), ov::process_died) << "later ones fail too";
        }
      for (std::size_t i = 0; i < g.size(); ++i)
        if (i != who) runtime.kill(g[i].address(), SIGKILL);
    }
  }
}

TEST_P(MemberDeathAlone, G9_KilledWithinAndBetween) {
  for (const char* how : {"within", "between"}) {
    for (std::size_t who : {0, 2, 4}) {
      auto g = ov::make_group<Player>(here, 7);
      std::vector<ov::future<std::string>> waiting;
      for (std::size_t i = 0; i < g.size(); ++i)
        if (i != who) waiting.push_back(ov::start(g[i])->until_death("all_reduce", 3));
      auto dying = ov::start(g[who])->die_in(how);
      EXPECT_THROW(dying.get(), ov::process_died);
      expect_named(waiting, g[who], "SIGKILL");
      std::vector<std::size_t> alive;
      for (std::size_t i = 0; i < g.size(); ++i)
        if (i != who) alive.push_back(i);
      auto rest = g.sub(alive);
      EXPECT_EQ(rest->play(3, 10), model_of_play(3, 10, 6)) << "a group without it goes on";
    }
  }
}

TEST_P(MemberDeathAlone, G9_AGroupOfOneThatIsDeadIsNotMade) {
  auto p = here.make<Player>(), q = here.make<Player>();
  runtime.kill(q.address(), SIGKILL);
  try {
    ov::group<Player> g(p, q);
    // It may still have answered; then it is dead for the group.
    EXPECT_THROW(
        {
          for (;;) g.barrier();
        },
        ov::process_died);
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, q.address());
  }
}

TEST_P(MemberDeath, G9_DestroyedWhileTheOthersWait) {
  auto g = ov::make_group<Player>(here, 6);
  std::vector<ov::future<std::string>> waiting;
  for (std::size_t i = 0; i < 5; ++i) waiting.push_back(ov::start(g[i])->until_death("barrier", 0));
  ov::destroy(g[5]);
  expect_named(waiting, g[5], "was destroyed");
}

INSTANTIATE_TEST_SUITE_P(, MemberDeath, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, MemberDeathAlone, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
