// SPDX-License-Identifier: Apache-2.0
// The status board: what is written is what is read, while it is written, and whoever wrote it.
#include "machine/board/board.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "machine/board/read.hpp"

namespace octavo {
namespace {

constexpr std::uint64_t late = std::numeric_limits<std::int64_t>::max();
std::chrono::steady_clock::time_point seconds(int since) { return std::chrono::steady_clock::time_point(std::chrono::seconds(since)); }
const ProcessFacts agent{{77, 3, 0}, "the agent", "box", ::getpid(), 1000.5};
const ProcessFacts counter{{77, 3, 9}, "Counter", "box", 4711, 2000.25};

struct Hung {
  Fd memory = StatusBoard::make(agent_kind::machine, agent);
  StatusBoard board{memory};
  const board::Board* mapped = static_cast<const board::Board*>(::mmap(nullptr, sizeof(board::Board), PROT_READ, MAP_SHARED, memory.get(), 0));
  Hung() = default;
  ~Hung() { ::munmap(const_cast<board::Board*>(mapped), sizeof(board::Board)); }
  Hung(const Hung&) = delete;
  Hung& operator=(const Hung&) = delete;
  [[nodiscard]] std::optional<ProcessStatus> read(unsigned slot) const { return board::read_row(mapped->rows[slot], late); }
};

TEST(StatusBoard, TheHeadSaysWhose) {
  Hung hung;
  auto head = board::read_head(hung.mapped->header);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->kind, agent_kind::machine);
  EXPECT_EQ(head->agent.address, agent.address);
  EXPECT_EQ(head->agent.machine, "box");
  EXPECT_EQ(head->agent.pid, ::getpid());
  EXPECT_EQ(head->agent.started, 1000.5);
}

TEST(StatusBoard, ItsSizeIsSealed) {
  Hung hung;
  EXPECT_NE(::ftruncate(hung.memory.get(), 0), 0);
  EXPECT_NE(::ftruncate(hung.memory.get(), 1 << 24), 0);
}

TEST(StatusBoard, ARoadIsThereUntilOneOfItsEndsLeaves) {
  Hung hung;
  auto roads = [&] {
    std::vector<RoadStatus> all;
    for (const auto& each : hung.mapped->roads)
      if (auto road = board::read_road(each, agent.address)) all.push_back(*road);
    return all;
  };
  const Address far{77, 3, 5}, near{agent.address.agent, agent.address.incarnation, 10};
  hung.board.enter_road(9, far, road::road_kind::net);
  hung.board.enter_road(9, near, road::road_kind::shm);
  hung.board.enter_road(8, near, road::road_kind::thread);
  ASSERT_EQ(roads().size(), 3u);
  EXPECT_EQ(roads()[0].first, (Address{agent.address.agent, agent.address.incarnation, 9}));
  EXPECT_EQ(roads()[0].second, far);
  EXPECT_EQ(roads()[0].road, road::road_kind::net);
  hung.board.leave_roads(far);
  hung.board.leave_roads({agent.address.agent, 0, 8});
  ASSERT_EQ(roads().size(), 1u);
  EXPECT_EQ(roads()[0].second, near);
  for (int i = 0; i < 5000; ++i) hung.board.enter_road(20, near, road::road_kind::shm);  // more than there is room for
  EXPECT_EQ(roads().size(), hung.mapped->roads.size());
  hung.board.leave_roads(near);
  EXPECT_TRUE(roads().empty());
}

TEST(StatusBoard, ARowIsThereFromEnterToLeave) {
  Hung hung;
  EXPECT_FALSE(hung.read(5));
  hung.board.enter(5, counter, 0, "data/x");
  auto row = hung.read(5);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->facts.address.object, 9U);
  EXPECT_EQ(row->facts.class_name, "Counter");
  EXPECT_EQ(row->facts.pid, 4711);
  EXPECT_EQ(row->facts.started, 2000.25);
  EXPECT_EQ(row->name, "ov://data/x");
  EXPECT_FALSE(row->on_thread);
  EXPECT_EQ(row->state, process_state::idle);
  hung.board.leave(5);
  EXPECT_FALSE(hung.read(5));
}

TEST(StatusBoard, ANewOwnerBeginsAnew) {
  Hung hung;
  hung.board.enter(0, {{77, 3, 8}, std::string(500, 'x'), "box", 4710, 1}, 0, "a/long/name/of/another");
  OwnRow before(hung.board, 0);
  before.sent(10);
  hung.board.count_call_to(0);
  {
    OwnRow::Method runs(before, "a", "a");
    hung.board.leave(0);
  }
  hung.board.enter(0, counter, 9, "");
  auto row = hung.read(0);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->facts.class_name, "Counter");
  EXPECT_EQ(row->name, "");
  EXPECT_TRUE(row->on_thread);
  EXPECT_EQ(row->bytes_sent + row->calls_waiting + row->calls_done, 0U);
  EXPECT_EQ(row->method, "");
}

TEST(StatusBoard, TextsAreCutBetweenCharacters) {
  Hung hung;
  std::string name = "x";
  for (int i = 0; i < 400; ++i) name += "\xC3\xA4";
  hung.board.enter(0, {counter.address, name, "box", 4711, 1}, 0, name);
  auto row = hung.read(0);
  ASSERT_TRUE(row);
  EXPECT_EQ(row->facts.class_name, name.substr(0, 191));
  EXPECT_EQ(row->name, "ov://" + name.substr(0, 255));
}

TEST(OwnRow, CallsAreCounted) {
  Hung hung;
  hung.board.enter(2, counter, 0, "");
  OwnRow row(hung.board, 2);
  for (int i = 0; i < 3; ++i) hung.board.count_call_to(2);
  row.count_arrival();
  EXPECT_EQ(hung.read(2)->calls_waiting, 4U);
  row.call_begins();
  EXPECT_EQ(hung.read(2)->calls_waiting, 3U);
  EXPECT_EQ(hung.read(2)->calls_done, 0U);
  row.call_ends();
  row.received(100);
  row.received(11);
  row.sent(7);
  EXPECT_EQ(hung.read(2)->calls_done, 1U);
  EXPECT_EQ(hung.read(2)->bytes_received, 111U);
  EXPECT_EQ(hung.read(2)->bytes_sent, 7U);
}

TEST(OwnRow, ACallbackIsShownWhileAMethodWaits) {
  Hung hung;
  hung.board.enter(2, counter, 0, "");
  OwnRow row(hung.board, 2);
  auto expect = [&](process_state state, const char* method, std::uint64_t waits_for) {
    auto now = hung.read(2);
    ASSERT_TRUE(now);
    EXPECT_EQ(now->state, state);
    EXPECT_EQ(now->method, method);
    EXPECT_EQ(now->waits_for.object, waits_for);
  };
  {
    OwnRow::Method outer(row, "outer", "Counter::outer()");
    expect(process_state::running, "Counter::outer()", 0);
    {
      OwnRow::Wait first(row, false, {{77, 3, 4}, 1, "Gate::pass()"}, seconds(2));
      expect(process_state::waiting, "Counter::outer()", 4);
      OwnRow::Wait of_another_thread(row, false, {{77, 3, 6}, 2, ""}, seconds(3));
      expect(process_state::waiting, "Counter::outer()", 4);
      {
        OwnRow::Method inner(row, "inner", "Counter::inner()");
        expect(process_state::running, "Counter::inner()", 0);
        OwnRow::Wait second(row, false, {{77, 3, 5}, 3, "Gate::pass()"}, seconds(4));
        expect(process_state::waiting, "Counter::inner()", 5);
      }
      expect(process_state::waiting, "Counter::outer()", 4);
    }
    expect(process_state::running, "Counter::outer()", 0);
  }
  expect(process_state::idle, "", 0);
}

TEST(OwnRow, AWaitIsShownWithItsMethodAndSinceWhen) {
  Hung hung;
  hung.board.enter(2, counter, 0, "");
  OwnRow row(hung.board, 2);
  const auto waits_since = [&] { return 10 - board::read_row(hung.mapped->rows[2], 10'000'000'000)->waits_seconds; };
  EXPECT_FALSE(row.was_shown(false, 0)) << "no call has this number";
  for (const int begun : {2, 3}) {  // its thread looks up between
    EXPECT_EQ(row.was_shown(false, 7), begun == 3);
    OwnRow::Wait waits(row, false, {{77, 3, 4}, 7, "Gate::pass(int)"}, seconds(begun));
    EXPECT_EQ(hung.read(2)->waits_in, "Gate::pass(int)");
    EXPECT_NEAR(waits_since(), 2, 1e-3) << "since it was first shown";
  }
  EXPECT_EQ(hung.read(2)->waits_in, "");
  OwnRow::Wait waits(row, false, {{77, 3, 4}, 8, std::string(300, 'x')}, seconds(5));
  EXPECT_NEAR(waits_since(), 5, 1e-3) << "another call";
  EXPECT_EQ(hung.read(2)->waits_in, std::string(216, 'x'));
}

TEST(OwnRow, AThreadBesideTheMethodsIsShownWhereTheyDoNotWait) {
  Hung hung;
  hung.board.enter(2, counter, 0, "");
  OwnRow row(hung.board, 2);
  OwnRow::Method runs(row, "joins", "Counter::joins()");
  OwnRow::Wait beside(row, true, {{77, 3, 4}, 1, "Gate::pass()"}, seconds(2));
  EXPECT_EQ(hung.read(2)->state, process_state::running) << "the method itself waits for no answer";
  EXPECT_EQ(hung.read(2)->waits_for.object, 4U);
  {
    OwnRow::Wait waits(row, false, {{77, 3, 5}, 2, "Gate::open()"}, seconds(3));
    EXPECT_EQ(hung.read(2)->state, process_state::waiting);
    EXPECT_EQ(hung.read(2)->waits_for.object, 5U);
  }
  EXPECT_EQ(hung.read(2)->waits_for.object, 4U);
  hung.board.leave(2);
  hung.board.enter(2, counter, 0, "");
  EXPECT_EQ(hung.read(2)->waits_for.object, 0U) << "another's row now";
}

TEST(OwnRow, AReaderSeesAMethodsTextWhole) {
  kit::Watchdog watchdog;
  Hung hung;
  hung.board.enter(0, counter, 0, "");
  std::atomic<bool> changed{false}, seen{false};
  const std::string one(310, 'a'), other(100, 'b');
  std::thread writer([&] {
    OwnRow row(hung.board, 0);
    for (int i = 0; i < 50'000; ++i) {
      { OwnRow::Method runs(row, &one, one); }
      { OwnRow::Method runs(row, &other, other); }
    }
    OwnRow::Method last(row, &one, one);
    changed.store(true);
    while (!seen.load()) std::this_thread::yield();
  });
  while (!changed.load() || !seen.load()) {
    bool torn = false;
    auto status = board::read_row(hung.mapped->rows[0], late, &torn);
    EXPECT_TRUE(status);
    if (!status || torn || status->method.empty()) continue;
    if (status->method != one && status->method != other) ADD_FAILURE() << status->method;
    if (changed.load()) seen.store(true);
  }
  writer.join();
}

// A writer that was killed in its change holds nobody up.
TEST(OwnRow, AChangeThatNeverEndsIsReadAsItIs) {
  Hung hung;
  hung.board.enter(0, counter, 0, "");
  hung.board.row(0).doing.store(7);
  hung.board.row(0).running.store(1);
  hung.board.row(0).method[0].store(0x6161616161616161);
  bool torn = false;
  EXPECT_EQ(board::read_row(hung.mapped->rows[0], late, &torn)->method, "aaaaaaaa");
  EXPECT_TRUE(torn);
  OwnRow row(hung.board, 0);
  OwnRow::Method runs(row, "b", "b");
  EXPECT_EQ(hung.read(0)->method, "b");
  EXPECT_EQ(hung.board.row(0).doing.load() % 2, 0U);
}

TEST(StatusBoard, GarbageIsBounded) {
  std::mt19937_64 random(7);
  auto garbage = std::make_unique<board::Row>();
  for (int i = 0; i < 300; ++i) {
    auto* words = reinterpret_cast<board::Word*>(garbage.get());
    for (std::size_t k = 0; k < sizeof(board::Row) / 8; ++k) words[k].store(i % 3 == 0 ? random() % 3 : random());
    garbage->living.store(1);
    if (i % 2 == 0) garbage->pid.store(random() % 1000 + 1);
    auto row = board::read_row(*garbage, random());
    if (!row) continue;
    EXPECT_GT(row->facts.pid, 0);
    EXPECT_LE(row->facts.pid, 1 << 22);
    EXPECT_LE(row->facts.class_name.size(), 192U);
    EXPECT_GE(row->method_seconds, 0);
    EXPECT_TRUE(row->facts.started >= 0 && row->facts.started < 1e11);
    for (const auto* text : {&row->facts.class_name, &row->name, &row->method, &row->waits_in}) EXPECT_EQ(board::clean_text(*text), *text);
  }
  board::Header header{};
  EXPECT_FALSE(board::read_head(header));
}

TEST(StatusBoard, TextsBecomeCleanUtf8) {
  EXPECT_EQ(board::clean_text("Z\xC3\xBCrich \xE2\x82\xAC \xF0\x9F\x99\x82"), "Z\xC3\xBCrich \xE2\x82\xAC \xF0\x9F\x99\x82");
  EXPECT_EQ(board::clean_text("a\x1B[2Jb\x7F\n"), "a?[2Jb??");
  EXPECT_EQ(board::clean_text("\xC3"), "?");                 // cut
  EXPECT_EQ(board::clean_text("\xC0\xAF\x80"), "???");       // too long
  EXPECT_EQ(board::clean_text("\xED\xA0\x80"), "???");       // a surrogate
  EXPECT_EQ(board::clean_text("\xF4\x90\x80\x80"), "????");  // beyond the last
  EXPECT_EQ(board::clean_text("\xC2\x9B"
                              "x"),
            "??x");  // a control character of two bytes
}

}  // namespace
}  // namespace octavo
