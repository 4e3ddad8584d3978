// SPDX-License-Identifier: Apache-2.0
// Mailboxes of the home: what becomes of them when a program, an object with a name, or the lasting agent ends.
#include <thread>

#include "conformance/message/home/programs.hpp"
#include "conformance/process/named/named_scene.hpp"

namespace message_tests {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::StartsWith;

class HomeEnds : public HomeBoxes {
 protected:
  // What was posted when the reader was gone already, and that not said yet, is the next one's.
  std::string take_behind(const std::string& lost, Program& program, const std::string& who) {
    std::string first = lost;
    while (first == lost) first = program.does(who, "take", box);
    return first;
  }
  // The death is said once; what is posted then is for the next reader.
  void expect_next_reader(Program& poster, const std::string& why) {
    std::string said = "posted";
    while (said == "posted") said = poster.does("main", "post", box, "lost");  // until it has heard
    EXPECT_THAT(said, StartsWith("process died: "));
    EXPECT_THAT(said, HasSubstr(why));
    EXPECT_EQ(poster.does("main", "post", box, "for the next"), "posted");
    Program next = begin();
    EXPECT_EQ(take_behind("lost", next, "main"), "for the next");
    EXPECT_EQ(poster.does("main", "post", box, "and more"), "posted");
    EXPECT_EQ(next.does("main", "take", box), "and more");
  }
};

TEST_F(HomeEnds, MB3_AProgramThatReadIsKilled) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  two.kill();
  expect_next_reader(one, "its program ended, or was killed");
}

TEST_F(HomeEnds, MB3_AProgramThatReadEnds) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  two.end();
  expect_next_reader(one, "its program ended");
}

TEST_F(HomeEnds, MB3_AnObjectOfAnotherProgramThatReadIsKilled) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("object", "take", box), "a");
  ::kill(two.pid_of("object"), SIGKILL);
  expect_next_reader(one, "was killed by SIGKILL");
}

TEST_F(HomeEnds, MB3_AnObjectOfAnotherProgramThatReadIsDestroyed) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("object", "take", box), "a");
  EXPECT_EQ(two.does("object", "destroy", ""), "destroyed");
  expect_next_reader(one, "was destroyed");
}

TEST_F(HomeEnds, MB3_AnObjectWithANameThatReadIsKilled) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(one.does("named/reader", "take", box), "a");
  ::kill(one.pid_of("named/reader"), SIGKILL);
  expect_next_reader(one, "was killed by SIGKILL");
}

// Also where nobody had posted to it yet.
TEST_F(HomeEnds, MB3_AReaderThatNobodyPostedToLeavesTheBox) {
  Program one = begin(), two = begin();
  EXPECT_EQ(two.does("object", "look", box), "nothing");
  EXPECT_THAT(one.does("main", "look", box), StartsWith("refused"));
  ::kill(two.pid_of("object"), SIGKILL);
  while (one.does("main", "look", box) != "nothing") {}
  Program three = begin();
  EXPECT_THAT(three.does("main", "look", box), StartsWith("refused"));
  one.kill();
  while (three.does("main", "look", box) != "nothing") {}
}

TEST_F(HomeEnds, MB3_AnObjectThatRestsReadsNoMore) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(one.does("lazy/reader", "take", box), "a");
  const int pid = one.pid_of("lazy/reader");
  ov::kit::await_end(pid);
  std::string said = "posted";
  while (said == "posted") said = one.does("main", "post", box, "lost");
  EXPECT_THAT(said, HasSubstr("was saved and ended"));
  EXPECT_EQ(one.does("main", "post", box, "for its next life"), "posted");
  EXPECT_EQ(take_behind("lost", one, "lazy/reader"), "for its next life");
  EXPECT_NE(one.pid_of("lazy/reader"), pid);
}

TEST_F(HomeEnds, MB3_AnObjectDoesNotRestWhileSomethingLiesUnread) {
  Program one = begin();
  // On a machine that is too busy it has rested before the second one comes.
  auto is_kept_awake = [&](const std::string& number) {
    const std::string reader = "lazy/reader" + number, other = "lazy/other" + number, its_box = box + number;
    EXPECT_EQ(one.does("main", "post", its_box, "a"), "posted");
    EXPECT_EQ(one.does("main", "post", its_box, "b"), "posted");
    EXPECT_EQ(one.does(reader, "take", its_box), "a");
    const int pid = one.pid_of(reader);
    EXPECT_EQ(one.does(other, "look", "ov://home/nothing"), "nothing");
    ov::kit::await_end(one.pid_of(other));
    return one.pid_of(reader) == pid && one.does(reader, "look", its_box) == "b";
  };
  int tries = 1;
  while (tries < 10 && !is_kept_awake(std::to_string(tries))) ++tries;
  EXPECT_LT(tries, 10);
}

TEST_F(HomeEnds, MB4_APosterThatIsKilledTakesOnlyWhatHadNotLeft) {
  Program one = begin(), two = begin(), three = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  EXPECT_EQ(three.does("main", "post", "ov://home/unread", "lost with it"), "posted");
  one.kill();
  three.kill();
  Program four = begin();
  EXPECT_EQ(four.does("main", "post", box, "c"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "c");
  EXPECT_EQ(four.does("main", "post", "ov://home/unread", "c"), "posted");
  EXPECT_EQ(two.does("main", "take", "ov://home/unread"), "c");
}

TEST_F(HomeEnds, MB4_APosterThatEndsHandsOverWhatIsPosted) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  for (int round = 0; round < 5; ++round) {
    Program two = begin();
    two.tell("main", "post", box, "first");
    two.tell("main", "post", box, "second");
    EXPECT_EQ(two.hear(), "posted");
    EXPECT_EQ(two.hear(), "posted");
    two.end();
    EXPECT_EQ(one.does("main", "take", box), "first");
    EXPECT_EQ(one.does("main", "take", box), "second");
  }
}

// More than all rings and windows on the way hold.
TEST_F(HomeEnds, MB4_APosterThatEndsHandsOverWhatIsLarge) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  for (const auto* bytes : {"200000", "700000", "3000000", "20000000"}) {
    Program two = begin();
    EXPECT_EQ(two.does("main", "post large", box, bytes), "posted");
    EXPECT_EQ(two.does("main", "post", box, "last"), "posted");
    one.tell("main", "take large", box);
    two.end();
    EXPECT_EQ(one.hear(), bytes);
    EXPECT_EQ(one.does("main", "take", box), "last");
  }
}

TEST_F(HomeEnds, MB4_AnObjectThatIsDestroyedHandsOverWhatIsLarge) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  for (const auto* bytes : {"200000", "700000", "3000000", "20000000"}) {
    EXPECT_EQ(two.does("object", "post large", box, bytes), "posted");
    one.tell("main", "take large", box);
    EXPECT_EQ(two.does("object", "destroy", ""), "destroyed");
    EXPECT_EQ(one.hear(), bytes);
  }
}

// Its end waits for a reader that takes something, and not for ever for one that takes nothing.
TEST_F(HomeEnds, MB4_APosterDoesNotWaitForEverForAReaderThatTakesNothing) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  const int reader = one.pid_of("main");
  one.stop();
  EXPECT_EQ(two.does("main", "post large", box, "20000000"), "posted");
  two.end();
  ::kill(reader, SIGCONT);
  EXPECT_EQ(one.does("main", "look", box), "nothing") << "half a message is none";
  Program three = begin();
  EXPECT_EQ(three.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(one.does("main", "take", box), "a");
}

class HomeOfTwoRuntimes : public process_tests::NamedObjects {};

// By its own endpoint, where this thread uses another.
TEST_F(HomeOfTwoRuntimes, MB4_ARuntimeThatEndsHandsOverWhatIsPosted) {
  const ov::Mailbox<int> read("ov://home/numbers");
  EXPECT_FALSE(read.try_retrieve()) << "read here from now on";
  {
    ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
    const auto mine = second.use();
    const ov::Mailbox<int> posted("ov://home/numbers");
    for (int i = 0; i < 100; ++i) posted.post(int{i});
  }
  for (int i = 0; i < 100; ++i) ASSERT_EQ(read.retrieve_for(std::chrono::seconds(20)), i);
}

TEST_F(HomeEnds, MB5_TheLastingAgentIsKilled) {
  Program one = begin(), two = begin(), three = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  EXPECT_EQ(one.does("main", "post", "ov://home/waits", "for a reader"), "posted");
  const int agent = one.lasting_agent();
  ::kill(agent, SIGKILL);
  ov::kit::await_end(agent);
  EXPECT_EQ(three.does("main", "post", box, "b"), "posted") << "the reader is known to the next lasting agent";
  EXPECT_EQ(two.does("main", "take", box), "b");
  EXPECT_EQ(three.does("main", "take", "ov://home/waits"), "for a reader") << "what waits is asked for again";
  Program four = begin();
  EXPECT_THAT(four.does("main", "take", box), StartsWith("refused: "));
}

TEST_F(HomeEnds, MB5_WhoIsConnectedStaysSoWhenTheLastingAgentIsKilled) {
  Program one = begin(), two = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  for (int round = 0; round < 3; ++round) {
    const int agent = two.lasting_agent();
    ::kill(agent, SIGKILL);
    ov::kit::await_end(agent);
    for (const auto* text : {"x", "y"}) EXPECT_EQ(one.does("main", "post", box, text), "posted");
    for (const auto* text : {"x", "y"}) EXPECT_EQ(two.does("main", "take", box), text);
  }
  two.kill();
  std::string said = "posted";
  while (said == "posted") said = one.does("main", "post", box, "to nobody");
  EXPECT_THAT(said, StartsWith("process died: ")) << "the end of the connection tells";
  Program three = begin();
  while (three.does("main", "look", box) != "nothing") {}  // it is refused until the lasting agent knows of the death, and may take one to nobody
  EXPECT_EQ(one.does("main", "post", box, "to the next"), "posted");
  EXPECT_EQ(take_behind("to nobody", three, "main"), "to the next");
}

// It holds the socket whose end would tell, and so does one of a program that ends in order.
TEST_F(HomeEnds, MB3_AReaderWhoseForkLivesOnIsGoneAllTheSame) {
  Program one = begin();
  for (const bool killed : {true, false}) {
    Program two = begin();
    std::string looked = "refused";
    while (looked.starts_with("refused")) looked = two.does("main", "look", box);  // until the lasting agent knows of the death, too
    EXPECT_THAT(looked, AnyOf("nothing", "to nobody")) << "one may be posted while the death is heard of";
    EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
    EXPECT_EQ(take_behind("to nobody", two, "main"), "a");
    const int fork = std::stoi(two.does("main", "fork", ""));
    if (killed) two.kill();
    else two.end();
    std::string said = "posted";
    while (said == "posted") said = one.does("main", "post", box, "to nobody");
    EXPECT_THAT(said, StartsWith("process died: "));
    ::kill(fork, SIGKILL);
  }
}

// The lasting agent gives it up after 10 s, and tells the other program so.
TEST_F(HomeEnds, MB5_AProgramThatWasStoppedForLongIsThereAgain) {
  Program one = begin(), two = begin(), three = begin();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
  EXPECT_EQ(two.does("main", "look", "ov://home/marker"), "nothing");
  EXPECT_EQ(one.does("main", "post", box, "a"), "posted");
  EXPECT_EQ(two.does("main", "take", box), "a");
  const int reader = two.pid_of("main");
  two.stop();
  while (three.does("main", "look", "ov://home/marker") != "nothing") {}
  ::kill(reader, SIGCONT);
  EXPECT_EQ(one.does("main", "post", box, "b"), "posted") << "their connection holds";
  EXPECT_EQ(two.does("main", "take", box), "b");
  EXPECT_EQ(one.does("object", "post", box, "c"), "posted") << "another process of that program has none yet";
  EXPECT_EQ(two.does("main", "take", box), "c");
}

// Its program cannot tell the next lasting agent yet.
TEST_F(HomeEnds, MB2_TheNextLastingAgentKnowsTheReader) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  EXPECT_EQ(two.does("main", "look", "ov://home/other"), "nothing");
  const int reader = one.pid_of("main"), agent = two.lasting_agent();
  one.stop();
  ::kill(agent, SIGKILL);
  ov::kit::await_end(agent);
  EXPECT_THAT(two.does("main", "look", box), StartsWith("refused: mailbox '" + box + "' is read by process 1 (the program, pid " + std::to_string(reader)));
  EXPECT_EQ(two.does("main", "post", box, "a"), "posted");
  ::kill(reader, SIGCONT);
  EXPECT_EQ(one.does("main", "take", box), "a");
  EXPECT_THAT(two.does("main", "look", box), StartsWith("refused: "));
}

TEST_F(HomeEnds, MB2_AReaderThatEndsWhileThereIsNoLastingAgentIsNone) {
  Program one = begin(), two = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  EXPECT_EQ(two.does("main", "look", "ov://home/other"), "nothing");
  const int agent = two.lasting_agent();
  one.stop();
  ::kill(agent, SIGKILL);
  ov::kit::await_end(agent);
  one.kill();
  EXPECT_EQ(two.does("main", "look", box), "nothing");
}

// The lasting agent has closed what it had for them.
TEST_F(HomeEnds, MB3_ProgramsThatEndLeaveNothing) {
  Program one = begin();
  EXPECT_EQ(one.does("main", "look", box), "nothing");
  const int agent = one.lasting_agent();
  const auto descriptors = [agent] {
    using Entries = std::filesystem::directory_iterator;
    return std::distance(Entries("/proc/" + std::to_string(agent) + "/fd"), Entries());
  };
  const auto before = descriptors();
  for (int round = 0; round < 3; ++round) {
    Program two = begin();
    EXPECT_EQ(two.does("object", "post", box, "a"), "posted");
    EXPECT_EQ(one.does("main", "take", box), "a");
    if (round == 0) two.end();
    else two.kill();
  }
  while (descriptors() > before) std::this_thread::yield();  // the watchdog bounds it
}

}  // namespace
}  // namespace message_tests
