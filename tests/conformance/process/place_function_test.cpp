// SPDX-License-Identifier: Apache-2.0
// Functions on a place: the worker that is made for a call ends with it, however that goes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "conformance/process/every_place.hpp"

namespace process_tests {

using testing::ElementsAre;

namespace far {
int pid_of(int) { return ::getpid(); }
int doubled(int n) { return 2 * n; }
void grow(std::vector<int>& list, int by) {
  for (int& n : list) n += by;
}
int fail(const std::string& why) { throw ov::refused(why); }
void tell_pid(ov::remote_ptr<int[]> where) {
  where[0] = ::getpid();
  for (;;) ::pause();
}
int pass(ov::remote_ptr<int[]> gate) {
  gate[0] = 1;
  until([&] { return gate[1] != 0; });
  return gate[1];
}
ov::future<int> add_twice(ov::remote_ptr<Counter> p, int n) {
  int first = co_await ov::start(p)->add(n);
  int second = co_await ov::start(p)->add(n);
  co_return first + second;
}
struct Opaque {  // travels, until it is asked to
  int n = 0;
  template <class Archive>
  void save(Archive&) const {
    throw ov::usage_error("it does not want to travel");
  }
  template <class Archive>
  void load(Archive&) {}
};
int open_it(const Opaque& value) { return value.n; }
// Calls from within a process, which waits in its method meanwhile.
class Clerk {
 public:
  int send_out(const ov::remote_ptr<Counter>& p) {
    auto soon = ov::start(ov::beside(p), add_twice, p, 1);
    return ov::call(ov::beside(p), doubled, 4) + soon.get();
  }
  int round_trip(const ov::remote_ptr<Clerk>& me);
  int next(int n) { return n + 1; }
  void leave(const ov::remote_ptr<int[]>& gate) {
    auto forgotten = ov::start(ov::process, pass, gate);
    until([&] { return gate[0] != 0; });
    std::raise(SIGKILL);
  }
};
OCTAVO_REMOTE(Clerk, send_out, round_trip, next, leave)
int ask_next(ov::remote_ptr<Clerk> clerk, int n) { return clerk->next(n); }
int Clerk::round_trip(const ov::remote_ptr<Clerk>& me) { return ov::call(ov::process, ask_next, me, 5); }
}  // namespace far

namespace {

class PlaceFunction : public EveryPlace {
 protected:
  // Waits until no more than these objects are left.
  void expect_left(std::size_t count) {
    until([&] { return objects() <= count; });
    EXPECT_EQ(objects(), count);
  }
};
class PlaceFunctionAlone : public PlaceFunction {};

TEST_P(PlaceFunction, RunsThereAndLeavesNothing) {
  EXPECT_EQ(ov::call(here, far::pid_of, 0) == ::getpid(), GetParam() == "thread");
  EXPECT_EQ(ov::call(here, far::doubled, 4), 8);
  std::vector<int> list{1, 2};
  ov::call(here, far::grow, list, 5);
  EXPECT_THAT(list, ElementsAre(6, 7)) << "T& is copied back";
  EXPECT_EQ(ov::call(
                here, [](const std::string& text) { return text + "!"; }, "text"),
            "text!");
  EXPECT_EQ(ov::start(here, far::doubled, 5).get(), 10);
  EXPECT_EQ(ov::start(here, std::plus<>(), 1, 2).get(), 3);
  expect_left(0);
}

TEST_P(PlaceFunction, BesideAnObject) {
  auto p = here.make<Counter>(3);
  EXPECT_EQ(ov::call(ov::beside(p), far::doubled, 4), 8);
  int there = ov::call(ov::beside(p), far::pid_of, 0);
  EXPECT_NE(there, ::getpid());
  expect_left(1);
}

TEST_P(PlaceFunction, ManyAtOnce) {
  std::vector<ov::future<int>> started;
  for (int i = 0; i < 12; ++i) started.push_back(ov::start(here, far::doubled, i));
  for (int i = 0; i < 12; ++i) EXPECT_EQ(started[static_cast<std::size_t>(i)].get(), 2 * i);
  expect_left(0);
}

TEST_P(PlaceFunction, ACoroutineRunsToItsEnd) {
  auto p = here.make<Counter>(0);
  EXPECT_EQ(ov::call(here, far::add_twice, p, 1), 1 + 2);
  EXPECT_EQ(ov::start(here, far::add_twice, p, 10).get(), 12 + 22);
  expect_left(1);
}

TEST_P(PlaceFunction, ErrorsArriveAndLeaveNothing) {
  try {
    ov::call(here, far::fail, "no more");
    FAIL();
  } catch (const ov::refused& e) {
    EXPECT_STREQ(e.what(), "no more");
    ASSERT_NE(ov::origin(e), nullptr);
    EXPECT_EQ(ov::origin(e)->process.class_name, "worker");
  }
  EXPECT_THROW(ov::start(here, far::fail, "no").get(), ov::refused);
  EXPECT_THROW((void)ov::start(here, far::open_it, far::Opaque()), ov::usage_error) << "the worker is there by then";
  EXPECT_THROW(ov::call(here, far::open_it, far::Opaque()), ov::usage_error);
  expect_left(0);
}

TEST_P(PlaceFunction, ADroppedFutureLeavesNothing) {
  auto gate = here.make<int[]>(2);
  { auto dropped = ov::start(here, far::pass, gate); }
  until([&] { return gate[0] != 0; });
  EXPECT_EQ(objects(), 2u) << "it runs on";
  gate[1] = 1;
  { auto failed = ov::start(here, far::fail, "nobody looks"); }
  expect_left(1);
}

TEST_P(PlaceFunction, ACancelledCallLeavesNothing) {
  for (int i = 0; i < 5; ++i) {
    auto soon = ov::start(here, far::doubled, 1);
    if (soon.cancel()) EXPECT_THROW(soon.get(), ov::cancelled);
    else EXPECT_EQ(soon.get(), 2);
  }
  expect_left(0);
}

TEST_P(PlaceFunction, FromWithinAMethod) {
  auto clerk = here.make<far::Clerk>();
  auto p = here.make<Counter>(0);
  EXPECT_EQ(clerk->send_out(p), 8 + 1 + 2) << "the end of the worker does not overtake the function, while that waits";
  EXPECT_EQ(clerk->round_trip(clerk), 6) << "it calls back (C-3)";
  expect_left(2);
}

TEST_P(PlaceFunctionAlone, TheCallerMayDie) {
  auto gate = here.make<int[]>(2);
  auto clerk = here.make<far::Clerk>();
  EXPECT_THROW(clerk->leave(gate), ov::process_died);
  gate[1] = 1;
  expect_left(1);
}

TEST_P(PlaceFunctionAlone, TheWorkerMayDie) {
  auto pid = here.make<int[]>(1);
  auto waiting = ov::start(here, far::tell_pid, pid);
  until([&] { return pid[0] != 0; });
  ::kill(pid[0], SIGKILL);
  EXPECT_THROW(waiting.get(), ov::process_died);
  expect_left(1);
}

TEST_P(PlaceFunctionAlone, ThePlaceMayDie) {
  if (GetParam() == "process") return;  // this machine dies with its program
  auto pid = ov::process.make<int[]>(1);
  auto waiting = ov::start(here, far::tell_pid, pid);
  until([&] { return pid[0] != 0; });
  for (const auto& facts : runtime.processes())
    if (facts.machine == "box" && facts.address.object == 0) ::kill(static_cast<pid_t>(facts.pid), SIGKILL);
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_EQ(ov::call(here, far::doubled, 1), 2) << "its agent is started again";
  until([&] { return !alive(pid[0]); });
  expect_left(1);
}

INSTANTIATE_TEST_SUITE_P(, PlaceFunction, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, PlaceFunctionAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
