// SPDX-License-Identifier: Apache-2.0
// How objects end: C-6 and C-7, on every place.
#include <csignal>
#include <filesystem>

#include "conformance/process/every_place.hpp"

namespace process_tests {
namespace {

class Death : public EveryPlace {};
class DeathAlone : public EveryPlace {};

TEST_P(DeathAlone, C6_PendingAndLaterCallsFailWithTheCause) {
  auto p = here.make<Counter>();
  auto waiting = ov::start(p)->sleep_until_killed();
  auto queued = ov::start(p)->add(1);
  runtime.kill(p.address(), SIGKILL);
  try {
    waiting.get();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), HasSubstr("Counter"));
    EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
    EXPECT_EQ(e.kind(), ov::error_kind::gone);
  }
  EXPECT_THROW(queued.get(), ov::process_died);
  EXPECT_THROW(p->value(), ov::process_died);
}

// the status and the last lines, to who is connected.
TEST_P(DeathAlone, C6_TheLastLinesItWroteAreTold) {
  auto p = here.make<Counter>();
  try {
    p->die("the last words");
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), HasSubstr("the last words"));
    EXPECT_THAT(e.what(), HasSubstr("SIGUSR1"));
    EXPECT_EQ(e.obituary().facts.address, p.address());
  }
}

// the agent tells the other object that was connected with it.
TEST_P(DeathAlone, C6_ADeathTwoCallsAwayIsTold) {
  auto a = here.make<Counter>();
  auto b = here.make<Counter>();
  EXPECT_EQ(a->ask(b, 1), 1);
  runtime.kill(b.address(), SIGKILL);
  try {
    for (;;) a->ask(b, 1);
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, b.address());
  }
  EXPECT_EQ(a->add(1), 1);
}

TEST_P(Death, C7_DestroyRunsTheDestructorAndEndsTheProcess) {
  auto path = std::filesystem::temp_directory_path() / ("octavo-farewell-" + std::to_string(::getpid()));
  auto p = here.make<Farewell>(path.string());
  auto pid = static_cast<int>(runtime.processes().back().pid);
  std::size_t before = objects();
  ov::destroy(p);
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
  until([&] { return objects() == before - 1 && (pid == ::getpid() || !alive(pid)); });
  try {
    p->nothing();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_TRUE(e.obituary().destroyed);
    EXPECT_THAT(e.what(), HasSubstr("was destroyed"));
  }
}

TEST_P(DeathAlone, C7_KillEndsWhatRunsAtOnce) {
  auto p = here.make<Counter>();
  const int pid = p->pid();
  auto waiting = ov::start(p)->sleep_until_killed();
  EXPECT_THROW(ov::destroy(p, std::chrono::milliseconds(20)), ov::timed_out);
  ov::kill(p);
  EXPECT_FALSE(alive(pid)) << "it is gone when kill() returns";
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_NO_THROW(ov::kill(p)) << "of what is gone";
  EXPECT_NO_THROW(ov::destroy(p)) << "that it is dead is no news";
}

TEST_P(DeathAlone, C7_DestroyTellsADeathThatNothingHasTold) {
  auto p = here.make<Counter>(), q = here.make<Counter>();
  for (const auto& each : {p, q}) runtime.kill(each.address(), SIGKILL);
  EXPECT_THROW(ov::destroy(p), ov::process_died);
  EXPECT_THROW(q->value(), ov::process_died);
  EXPECT_NO_THROW(ov::destroy(q));
}

TEST_P(Death, C7_DestroyWithinATimeOfWhatIsIdle) {
  auto p = here.make<Counter>();
  ov::destroy(p, std::chrono::seconds(30));
  EXPECT_THROW(p->value(), ov::process_died);
  auto nobody = ov::remote_ptr<Counter>();
  EXPECT_THROW(ov::kill(nobody), ov::usage_error);
  if (GetParam() != "thread") return;
  EXPECT_THROW(ov::kill(here.make<Counter>()), ov::usage_error);
}

TEST_P(Death, C7_ScopedDestroysAtTheEnd) {
  int pid = 0;
  {
    auto p = ov::scoped(here.make<Counter>(1));
    pid = p->pid();
    EXPECT_TRUE(alive(pid));
  }
  until([&] { return objects() == 0 && (pid == ::getpid() || !alive(pid)); });
}

TEST_P(Death, C6_AnObjectOnAThreadSharesTheFateOfItsProcess) {
  auto host = here.make<Counter>();
  auto guest = host->lodger(5);
  EXPECT_EQ(guest->add(1), 6);
  EXPECT_EQ(guest->pid(), host->pid());
  EXPECT_THROW(runtime.kill(guest.address(), SIGKILL), ov::usage_error);
  if (GetParam() == "thread") return;
  auto waiting = ov::start(guest)->sleep_until_killed();
  runtime.kill(host.address(), SIGKILL);
  try {
    waiting.get();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, guest.address());
    EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
  }
  EXPECT_THROW(guest->value(), ov::process_died);
}

TEST(Program, C7_LeavesNothingBehindWhenItEnds) {
  ov::kit::Watchdog watchdog(60);
  int pid = 0;
  {
    ov::Runtime runtime;
    auto p = runtime.machine().make<Counter>();
    pid = p->pid();
  }
  EXPECT_NE(::kill(pid, 0), 0) << "reaped before the Runtime's destructor returns (A-3)";
}

INSTANTIATE_TEST_SUITE_P(, Death, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, DeathAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
