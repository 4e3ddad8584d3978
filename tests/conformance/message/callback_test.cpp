// SPDX-License-Identifier: Apache-2.0
// A method that waits at a mailbox is called back meanwhile (C-3), also when the call had come before it began to wait.
#include <algorithm>

#include "conformance/process/every_place.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/message.hpp"

namespace message_tests {

namespace ov = octavo;

class Helper;
class Waiter {
 public:
  void poke(const std::string& box) { ov::Mailbox<int>(box).post(7); }
  int play(ov::remote_ptr<Helper> helper, ov::remote_ptr<Waiter> self, const std::string& box);
};
class Helper {
 public:
  void bounce(ov::remote_ptr<Waiter> caller, const std::string& box);
  void nothing(int) {}
};
// Reads one of a box, and then no more of it.
class Hoarder {
 public:
  void read_one(const ov::Mailbox<std::string>& from, const ov::Mailbox<int>& told) {
    static_cast<void>(from.retrieve());
    told.post(1);
    static_cast<void>(ov::Mailbox<int>("end").retrieve());
  }
};
OCTAVO_REMOTE(Waiter, poke, play)
OCTAVO_REMOTE(Helper, bounce, nothing)
OCTAVO_REMOTE(Hoarder, read_one)

void Helper::bounce(ov::remote_ptr<Waiter> caller, const std::string& box) { caller->poke(box); }

namespace {
bool is_called(const ov::Address& who) {
  auto all = ov::all_processes();
  return std::any_of(all.begin(), all.end(), [&](const ov::ProcessStatus& each) { return each.facts.address == who && each.calls_waiting != 0; });
}
}  // namespace

// Who starts calls reads now and then, and here it is the callback alone that it can read: the helper answers nothing before that has run.
int Waiter::play(ov::remote_ptr<Helper> helper, ov::remote_ptr<Waiter> self, const std::string& box) {
  const ov::Mailbox<int> mine(box);
  EXPECT_FALSE(mine.try_retrieve());  // from now on it is read here
  auto bounced = ov::start(helper)->bounce(self, box);
  process_tests::until([&] { return is_called(self.address()); });
  std::vector<ov::future<void>> started;
  for (int i = 0; i < 40; ++i) started.push_back(ov::start(helper)->nothing(i));
  const int came = mine.retrieve();
  bounced.get();
  for (auto& each : started) each.get();
  return came;
}

namespace {

class MailboxCallbacks : public process_tests::EveryPlace {};

TEST_P(MailboxCallbacks, C3_TheOneThatWasReadBeforeIsRun) {
  if (GetParam() == "box") GTEST_SKIP() << "calls from another machine are counted when they are read";
  auto waiter = here.make<Waiter>();
  auto helper = here.make<Helper>();
  for (int i = 0; i < 20; ++i) EXPECT_EQ(waiter->play(helper, waiter, "box " + std::to_string(i)), 7);
}

// He has the role of the one who reads, each time for a moment; nobody else would.
TEST_P(MailboxCallbacks, WhoPostsAgainAndAgainHoldsUpNothing) {
  auto waiter = here.make<Waiter>();
  const ov::Mailbox<std::string> box("letters", {1 << 20, std::uint64_t{1} << 30});
  auto reader = here.make<Hoarder>();
  ov::Mailbox<int> told("told");
  auto reads = ov::start(reader)->read_one(box, told);
  box.post("first");
  EXPECT_EQ(told.retrieve(), 1);
  const std::string letter(100, 'x');
  std::atomic<bool> came{false};
  auto then = ov::start(waiter)->poke("elsewhere").then([&] { came = true; });
  // Not so fast that there is no room: then he would read.
  for (auto next = std::chrono::steady_clock::now(); !came.load(); next += std::chrono::microseconds(300)) {
    box.post(letter);
    while (std::chrono::steady_clock::now() < next) {}
  }
  then.get();
  ov::Mailbox<int>("end").post(1);
  reads.get();
}

INSTANTIATE_TEST_SUITE_P(, MailboxCallbacks, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
