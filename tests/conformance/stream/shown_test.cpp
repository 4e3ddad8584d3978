// SPDX-License-Identifier: Apache-2.0
// Streams that run, as others see them: ST-13.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <latch>
#include <random>

#include "conformance/stream/stages.hpp"
#include "octavo/base/fd.hpp"
#include "stream/shown/layout.hpp"

namespace stream_tests {

// An object whose method runs a stream that does not end.
struct Runs {
  void run() {
    const auto stuck = [](int) { return ::pause(); };
    ov::pipeline(numbers(3), ov::stage(stuck).named("stuck")).run();
  }
};
OCTAVO_REMOTE(Runs, run)

namespace {

std::vector<ov::StreamStatus> streams_of(std::int64_t pid) {
  auto all = ov::all_streams();
  std::erase_if(all, [&](const auto& each) { return each.pid != pid; });
  return all;
}

// Looks until this process (or another) has one stream, and that is `right`.
template <class Right>
ov::StreamStatus await_stream(const Right& right, std::int64_t pid = ::getpid()) {
  for (;; std::this_thread::yield())
    if (auto all = streams_of(pid); all.size() == 1 && right(all.front())) return all.front();
}

class ShownStreams : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog_{60};
};

TEST_F(ShownStreams, ST13_StagesAreSeenWithTheirFiguresUntilTheEnd) {
  std::latch gate(1);
  const auto held = [&](int x) {
    gate.wait();
    return x;
  };
  const auto s = ov::pipeline(numbers(100), ov::stage([](int x) { return x + 1; }).named("first"), ov::farm(held).workers(2).named("held").bound({.items = 3}),
                              [](int) {});
  auto soon = ov::start(s);
  const auto seen = await_stream([](const auto& each) { return each.stages.at(1).taken == 2 && each.stages.at(0).waiting_for_room == 1; });
  ASSERT_EQ(seen.stages.size(), 2u);
  const auto &first = seen.stages[0], &second = seen.stages[1];
  EXPECT_EQ(std::tuple(first.name, first.place, first.workers), std::tuple("first", "thread", 1u));
  EXPECT_EQ(std::tuple(second.name, second.place, second.workers), std::tuple("held", "thread", 2u));
  EXPECT_EQ(first.given, 5u) << "two are held, three lie before them";
  EXPECT_EQ(second.left, 3u);
  EXPECT_EQ(first.left, seen.came - first.taken);
  EXPECT_EQ(std::tuple(second.given, seen.delivered, second.waiting_for_input, second.waiting_for_room), std::tuple(0u, 0u, 0u, 0u));
  EXPECT_GT(first.waits_seconds, 0);
  EXPECT_GE(first.waited_for_room, first.waits_seconds);
  EXPECT_GT(second.busy, 0);
  EXPECT_EQ(seen.address, ov::Address()) << "there is no Runtime";
  EXPECT_EQ(seen.agent_pid, ::getpid());
  EXPECT_GT(seen.started, 0);
  const auto later = await_stream([&](const auto& each) { return each.stages.at(1).busy > second.busy; });
  EXPECT_GT(later.stages[0].waited_for_room, first.waited_for_room) << "a wait that lasts is counted as it goes on";
  gate.count_down();
  const auto report = soon.get();
  EXPECT_EQ(report.stages.at(1).taken, 100u);
  EXPECT_TRUE(streams_of(::getpid()).empty());
}

TEST_F(ShownStreams, ST13_WhoWaitsForInputIsSeenToDoSo) {
  std::latch gate(1);
  const auto source = [&, next = 0]() mutable -> std::optional<int> {
    if (next == 5) gate.wait();
    return next == 5 ? std::nullopt : std::optional(next++);
  };
  auto soon = ov::start(ov::pipeline(source, ov::stage<Times>(2).named("one"), ov::farm<Times>(3).workers(3).by([](int x) { return x; }).named("three")));
  const auto seen =
      await_stream([](const auto& each) { return each.delivered == 5 && each.stages[0].waiting_for_input == 1 && each.stages[1].waiting_for_input == 3; });
  EXPECT_EQ(seen.stages.size(), 2u) << "who deals is no stage";
  EXPECT_EQ(std::tuple(seen.came, seen.stages[1].taken, seen.stages[1].left), std::tuple(5u, 5u, 0u));
  gate.count_down();
  EXPECT_EQ(soon.get().delivered, 5u);
}

TEST_F(ShownStreams, ST13_AStreamThatIsReadIsSeenUntilItIsLeft) {
  {
    int read = 0;
    for (int x : ov::pipeline(numbers(10), ov::stage<Times>(1))) {
      EXPECT_EQ(x, read++);
      const auto seen = await_stream([](const auto& each) { return each.stages.at(0).given == 10; });
      EXPECT_EQ(seen.delivered, static_cast<std::uint64_t>(read));
      if (read == 7) break;
    }
  }
  EXPECT_TRUE(streams_of(::getpid()).empty());
}

TEST_F(ShownStreams, ST13_AnErrorAndCancelEndItsBeingSeen) {
  EXPECT_THROW(ov::pipeline(numbers(10), ov::stage<FailsAt>(3)).run(), std::domain_error);
  EXPECT_TRUE(streams_of(::getpid()).empty());
  auto soon = ov::start(ov::pipeline([]() -> std::optional<int> { return 1; }, ov::stage<Times>(1)));
  await_stream([](const auto& each) { return each.delivered > 0; });
  soon.cancel();
  EXPECT_THROW(soon.get(), ov::cancelled);
  EXPECT_TRUE(streams_of(::getpid()).empty());
}

TEST_F(ShownStreams, ST13_SeveralOfAProcessAreSeenAsTheyBegan) {
  std::latch gate(1);
  const auto held = [&](int x) {
    gate.wait();
    return x;
  };
  auto one = ov::start(ov::pipeline(numbers(3), ov::stage(held).named("one")));
  auto two = ov::start(ov::pipeline(numbers(3), ov::stage(held).named("two")));
  const auto seen = streams_of(::getpid());
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::tuple(seen[0].stages.at(0).name, seen[1].stages.at(0).name), std::tuple("one", "two"));
  gate.count_down();
  one.get();
  two.get();
}

// Of a process that has no Runtime, and of a fork of one with a stream.
TEST_F(ShownStreams, ST13_AProcessThatIsStoppedIsSeenUntilItDies) {
  std::latch never(1);
  const auto held = [&](int) { never.wait(); };
  const int child = watchdog_.fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ov::pipeline(numbers(3), ov::stage([](int x) { return x; }).named("one"), held).run();
    std::_Exit(0);
  }
  await_stream([](const auto& each) { return each.stages.at(0).given == 3; }, child);
  ASSERT_EQ(::kill(child, SIGSTOP), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  EXPECT_EQ(await_stream([](const auto&) { return true; }, child).stages.at(0).taken, 3u);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(streams_of(child).empty());
}

TEST_F(ShownStreams, ST13_AForkIsNotSeenAsItsParent) {
  std::latch gate(1);
  auto soon = ov::start(ov::pipeline(numbers(3), [&](int) { gate.wait(); }));
  const int child = watchdog_.fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) ::pause();
  }
  EXPECT_EQ(streams_of(::getpid()).size(), 1u);
  EXPECT_TRUE(streams_of(child).empty());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  gate.count_down();
  soon.get();
}

TEST_F(ShownStreams, ST13_OfAnObjectItIsToldWhoseProgramItBelongsTo) {
  const ov::Runtime runtime;
  const auto p = ov::process.make<Runs>();
  auto never = ov::start(p)->run();
  for (bool found = false; !found; std::this_thread::yield()) {
    for (const auto& each : ov::all_streams()) {
      if (each.address != p.address()) continue;
      EXPECT_EQ(std::tuple(each.agent_pid, each.class_name, each.stages.at(0).name), std::tuple(::getpid(), "stream_tests::Runs", "stuck"));
      EXPECT_NE(each.pid, ::getpid());
      EXPECT_EQ(::kill(static_cast<pid_t>(each.pid), SIGKILL), 0);
      found = true;
    }
  }
  EXPECT_THROW(never.get(), ov::process_died);
}

TEST_F(ShownStreams, ST13_WithoutADescriptorAStreamRunsUnseen) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto got = all_of(ov::pipeline(numbers(100), ov::stage<Times>(1)));
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(got, numbers(100));
}

// Whatever lies in memory of this name: it is read, and what cannot be is not told.
TEST_F(ShownStreams, ST13_WhatIsNoStreamIsNotSeen) {
  namespace shown = ov::stream::shown;
  std::mt19937_64 random(13);
  std::vector<ov::Fd> memories;
  while (memories.size() < 200) {
    const std::size_t bytes = 64 + random() % 4096;
    auto& memory = memories.emplace_back(::memfd_create(shown::memory_name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
    std::vector<std::uint64_t> words(bytes / 8 + 16);
    for (auto& each : words) each = random() % 3 == 0 ? random() % 8 : random();
    words[0] = shown::magic;
    words[1] = shown::version;
    words[8] = static_cast<std::uint64_t>(::getpid());
    ASSERT_EQ(::write(memory.get(), words.data(), bytes), static_cast<ssize_t>(bytes));
    ASSERT_EQ(::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), 0);
  }
  const auto seen = streams_of(::getpid());
  EXPECT_FALSE(seen.empty()) << "some of it may be a stream";
  EXPECT_LT(seen.size(), memories.size());
  for (const auto& each : seen) {
    EXPECT_LE(each.stages.size() * sizeof(shown::Part), 4160u);
    for (const auto& stage : each.stages) {
      EXPECT_EQ(stage.name.find('\n'), std::string::npos);
      EXPECT_GE(stage.busy, 0);
    }
  }
}

}  // namespace
}  // namespace stream_tests
