// SPDX-License-Identifier: Apache-2.0
// Who has posted as much as may lie unread, and loses the connection with a reader who lives: nothing tells him any more how much was taken.
#include <sys/wait.h>

#include <cstdlib>
#include <string>
#include <thread>

#include "conformance/process/every_place.hpp"
#include "kit/sanitized.hpp"
#include "octavo/message.hpp"
#include "process/endpoint.hpp"

namespace message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

// A reader who takes nothing.
class Mute {
 public:
  void own(const std::string& box) { (void)ov::Mailbox<int>(box).try_retrieve(); }
  // Ends this end of the connection with the program: in order, or by saying what nobody understands. Never answers: it could not.
  void cut(bool in_order) {
    std::this_thread::sleep_for(200ms);  // the poster waits by then, most likely
    const auto& around = ov::detail::Endpoint::require().around();
    for (const auto& each : around.agent.ask<ov::control::Listing>(ov::control::List{}).processes) {
      if (each.address.object != 1) continue;
      auto link = around.links.link_if_there(each.address, each.pid);
      if (!link) continue;
      ov::wire::Outgoing garbage;
      garbage.header.kind = static_cast<ov::wire::frame_kind>(200);
      garbage.seal();
      if (in_order) link->connection->close();
      else link->connection->send(garbage, ov::road::keep_rest);
    }
  }
};
OCTAVO_REMOTE(Mute, own, cut)

namespace {

constexpr int bound = 4;

class CutOffPosters : public process_tests::EveryPlace {
 protected:
  // Waits for room, and hears that there will be none.
  void expect_told(bool in_order) {
    auto reader = here.make<Mute>();
    reader->own("box");
    const ov::Mailbox<int> box("box", {.messages = bound});
    until_theirs(box);
    auto cut = ov::start(reader)->cut(in_order);
    try {
      for (int i = 0; i < 2 * bound; ++i) box.post(i);
      FAIL() << "all were posted";
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone);
      EXPECT_THAT(e.what(), testing::HasSubstr("posting to mailbox 'box'"));
    }
  }
  // From then on each post is a frame.
  static void until_theirs(const ov::Mailbox<int>& box) {
    box.post(-1);
    ov::detail::read_now();
  }
};
class CutOffByDamage : public CutOffPosters {};
class CutOffByFork : public CutOffPosters {};

TEST_P(CutOffPosters, AreToldThatTheirReaderHungUp) { expect_told(true); }
TEST_P(CutOffByDamage, AreToldThatTheConnectionIsDamaged) { expect_told(false); }

// A process that was forked off a poster, or a reader, is neither.
TEST_P(CutOffByFork, AForkedProcessMayNotPost) {
  if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::forks_no_threads;
  auto reader = here.make<Mute>();
  reader->own("theirs");
  const ov::Mailbox<int> theirs("theirs"), mine("mine");
  until_theirs(theirs);
  (void)mine.try_retrieve();
  const int child = watchdog.fork();
  if (child == 0) {
    int status = 0;
    for (const auto* box : {&theirs, &mine}) {
      try {
        box->post(1);
        status = 1;
      } catch (const ov::usage_error&) {}
    }
    std::_Exit(status);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(mine.try_retrieve());
}

INSTANTIATE_TEST_SUITE_P(, CutOffPosters, testing::Values("process", "thread"), process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, CutOffByDamage, testing::Values("process"), process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, CutOffByFork, testing::Values("process"), process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
