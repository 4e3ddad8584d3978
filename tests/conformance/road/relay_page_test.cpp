// SPDX-License-Identifier: Apache-2.0
// Pages between machines: sent from the pool they lie in, received into the other's, by value where that has no room; and nothing of either
// pool is left taken, whatever ends in between.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/pool.hpp"
#include "road/shm/rings.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using octavo::Fd;
using octavo::Pool;
using octavo::kit::Party;
using octavo::kit::Relays;

constexpr std::int64_t KiB = 1024, pool_bytes = 4096 * KiB;

// A machine's pool, as its agent and one of its processes see it.
struct Machine {
  static constexpr unsigned slot = 3;
  Fd memory = Pool::make(pool_bytes);
  Pool agent{copy(memory), Pool::agent_slot}, process{copy(memory), slot};
  static Fd copy(const Fd& of) { return Fd(::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)); }
  [[nodiscard]] bool all_free() const { return agent.free_bytes() == agent.bytes(); }
};

std::byte value_at(std::uint64_t number, std::size_t at) { return static_cast<std::byte>(number * 31 + at * 7 + at / 4096); }

class RelayPages : public testing::Test {
 protected:
  Relays& begin(octavo::kit::Links links = octavo::kit::over_unix_sockets(), const road::RelayOptions& options = {}) {
    return relays.emplace(std::move(links), options, true, std::array<wire::SharedPages*, 2>{&machines[0].agent, &machines[1].agent});
  }
  Party open(std::size_t side, std::uint64_t channel = 7) {
    Party made;
    auto ends = road::make_shm_ends(road::default_ring_bytes, false);
    ends.first.number = ends.second.number = ++connections;
    ends.first.road = "net";
    made.connection = road::open_to_relay(std::move(ends.first), relays->relays.at(side)->bell(), &machines.at(side).process, Pool::agent_slot);
    relays->relays.at(side)->open(channel, std::move(ends.second), made.bell, Machine::slot);
    return made;
  }
  // With a body of ten bytes, a bulk part of a hundred, and pages of these sizes.
  wire::Outgoing frame(std::uint64_t number, const std::vector<std::int64_t>& sizes) {
    auto& pool = machines[0].process;
    auto out = Party::frame(number, 10);
    bulk.assign(100, static_cast<std::byte>(number));
    out.bulk.emplace_back(bulk);
    for (auto size : sizes) {
      auto page = pool.allocate(size);
      for (std::size_t i = 0; i < page.bytes; ++i) pool.at(page)[i] = value_at(number, i);
      out.pages.push_back(page);
      out.bulk.emplace_back(pool.at(page), page.bytes);
    }
    out.seal();
    return out;
  }
  void send(const Party& from, std::uint64_t number, const std::vector<std::int64_t>& sizes, bool wait = true) {
    auto out = frame(number, sizes);
    from.connection->send(out, [&] {
      if (!wait) return false;
      from.bell.wait([&] { return from.connection->ready() || from.ended(); });
      if (from.ended()) from.connection->notice_gone();
      return true;
    });
    for (const auto& page : out.pages) machines[0].process.release(page);
  }
  // False: the other side is gone.
  static bool receive(const Party& at, wire::Message& message) {
    while (!at.connection->receive(message)) {
      if (at.connection->gone()) return false;
      at.bell.wait([&] { return at.connection->ready() || at.ended(); });
      if (at.ended()) at.connection->notice_gone();
    }
    return true;
  }
  void check(const wire::Message& message, std::uint64_t number, const std::vector<std::int64_t>& sizes, bool by_value = false) {
    ASSERT_EQ(message.header.call, number);
    ASSERT_EQ(message.pages.size(), sizes.size());
    ASSERT_EQ(message.bulk.size(), by_value ? 1 + sizes.size() : 1);
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      const auto& page = message.pages[p];
      ASSERT_EQ(page.bytes, static_cast<std::uint64_t>(sizes[p]));
      ASSERT_EQ(page.by_value, by_value ? 1U : 0U);
      const std::byte* at = by_value ? message.bulk[1 + p].span().data() : machines[1].process.at(page);
      for (std::size_t i = 0; i < page.bytes; ++i) ASSERT_EQ(at[i], value_at(number, i)) << p << ' ' << i;
    }
  }
  void await_free() {
    for (auto& machine : machines)
      while (!machine.all_free()) std::this_thread::yield();
  }

  octavo::kit::Watchdog watchdog{100};
  std::uint32_t connections = 0;
  std::array<Machine, 2> machines;
  std::optional<Relays> relays;
  std::vector<std::byte> bulk;
};

TEST_F(RelayPages, GoFromPoolToPoolInTheOrderOfTheFrames) {
  const std::vector<std::vector<std::int64_t>> all{{64 * KiB}, {1, 4096, 5000}, {}, {200 * KiB}, {60 * KiB, 3}};
  for (auto make_links : {octavo::kit::over_unix_sockets, octavo::kit::over_pair, octavo::kit::over_crumbs}) {
    begin(make_links(), {.window = 4096});
    auto a = open(0), b = open(1);
    std::thread sender([&] {
      for (std::uint64_t i = 0; i < 20; ++i) send(a, i, all[i % all.size()]);
    });
    for (std::uint64_t i = 0; i < 20; ++i) {
      wire::Message message;
      ASSERT_TRUE(receive(b, message));
      check(message, i, all[i % all.size()]);
    }
    sender.join();
    await_free();
  }
}

TEST_F(RelayPages, ComeByValueWhereHalfOfThePoolIsTaken) {
  begin();
  auto a = open(0), b = open(1);
  auto taken = machines[1].process.allocate(pool_bytes / 2);
  wire::Message message;
  send(a, 1, {70 * KiB, 5000});
  ASSERT_TRUE(receive(b, message));
  check(message, 1, {70 * KiB, 5000}, true);
  machines[1].process.release(taken);
  send(a, 2, {70 * KiB});
  ASSERT_TRUE(receive(b, message));
  check(message, 2, {70 * KiB});
  message = {};
  await_free();
}

TEST_F(RelayPages, OfOneWhoDoesNotReadTakeNoMoreThanHalfOfThePool) {
  begin(octavo::kit::over_unix_sockets(), {.window = 64 << 10});
  auto a = open(0), b = open(1), c = open(0, 8), d = open(1, 8);
  constexpr std::uint64_t frames = 60;  // of 100 KiB: 6 MiB, more than a pool has
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < frames; ++i) send(a, i, {100 * KiB});
  });
  while (machines[1].agent.free_bytes() > pool_bytes / 2 + 200 * KiB) std::this_thread::yield();
  c.send(5, 1000);
  EXPECT_EQ(d.receive(), 5) << "others are not held up";
  EXPECT_GE(machines[1].agent.free_bytes(), pool_bytes / 2);
  for (std::uint64_t i = 0; i < frames; ++i) {
    wire::Message message;
    ASSERT_TRUE(receive(b, message));
    ASSERT_EQ(message.header.call, i);
    check(message, i, {100 * KiB}, !message.pages.empty() && message.pages[0].by_value != 0);
  }
  sender.join();
  await_free();
}

// More than there are page descriptors for; what waits for one is held, though its sender has let it go.
TEST_F(RelayPages, OfManySmallOnesNoneIsLostWhileNobodyReads) {
  begin();
  auto a = open(0);
  constexpr std::uint64_t frames = 3 * road::most_page_descriptors;
  for (std::uint64_t i = 0; i < frames; ++i) send(a, i, {100}, false);
  auto b = open(1);
  for (std::uint64_t i = 0; i < frames; ++i) {
    wire::Message message;
    while (!b.connection->receive(message)) {
      a.connection->flush();
      b.bell.wait([&] { return b.connection->ready(); }, road::Clock::now() + std::chrono::milliseconds(1));
    }
    check(message, i, {100}, message.pages.at(0).by_value != 0);
  }
  await_free();
}

TEST_F(RelayPages, AreDeliveredWhenTheirSenderHasEnded) {
  begin();
  auto b = open(1);
  {
    auto a = open(0);
    for (std::uint64_t i = 0; i < 5; ++i) send(a, i, {200 * KiB});
  }
  for (std::uint64_t i = 0; i < 5; ++i) {
    wire::Message message;
    ASSERT_TRUE(receive(b, message));
    check(message, i, {200 * KiB});
  }
  wire::Message none;
  EXPECT_FALSE(receive(b, none));
  await_free();
}

// At each of many bytes: before, in and behind pages.
TEST_F(RelayPages, NothingStaysTakenWhenTheLinkBreaks) {
  for (std::uint64_t cut = 1; cut < 315'000; cut += 9'001) {
    const octavo::kit::LinkPair pair(20'000);
    begin(octavo::kit::over(pair));
    {
      auto a = open(0), b = open(1);
      pair.cut_after(0, cut);
      for (std::uint64_t i = 0; i < 3; ++i) {
        try {
          send(a, i, {100 * KiB, 4096});
        } catch (const octavo::gone_error&) {}
      }
      wire::Message message;
      for (std::uint64_t i = 0; receive(b, message); ++i) check(message, i, {100 * KiB, 4096});
      relays->told[0].await([&] { return !relays->told[0].lost.empty(); });
    }
    await_free();
  }
}

TEST_F(RelayPages, NothingStaysTakenWhenTheReceiverHasEnded) {
  for (std::size_t taken = 0; taken < 4; ++taken) {
    begin();
    auto a = open(0);
    auto b = open(1);
    for (std::uint64_t i = 0; i < 3; ++i) send(a, i, {100 * KiB, 4096}, false);
    for (std::uint64_t i = 0; i < taken && i < 3; ++i) {
      wire::Message message;
      ASSERT_TRUE(receive(b, message));
    }
    b.connection.reset();
    a.bell.wait([&] { return a.ended(); });
    a.connection->notice_gone();
    EXPECT_THROW(send(a, 9, {100}), octavo::gone_error);
    machines[0].process.reclaim(Machine::slot);  // what the send that failed had made
    a.connection.reset();
    await_free();
  }
}

TEST_F(RelayPages, NothingStaysTakenWhenARelayEnds) {
  for (std::size_t which : {0U, 1U}) {
    const octavo::kit::LinkPair pair(20'000);
    begin(octavo::kit::over(pair));
    auto a = open(0), b = open(1);
    for (std::uint64_t i = 0; i < 4; ++i) send(a, i, {100 * KiB, 4096}, false);
    wire::Message message;
    ASSERT_TRUE(receive(b, message));
    message = {};
    relays->relays.at(which).reset();
    while (receive(b, message)) {}
    message = {};
    a.connection.reset();
    b.connection.reset();
    relays.reset();
    await_free();
  }
}

// It hurts itself only.
TEST_F(RelayPages, AProcessThatNamesAPageWhichIsNoneEnds) {
  begin();
  auto a = open(0), b = open(1);
  auto empty = machines[0].process.allocate(100);
  empty.bytes = 0;
  for (wire::PageRef nonsense : {wire::PageRef{4096, 10, 7, 0}, wire::PageRef{1ULL << 60, 10, 0, 0}, wire::PageRef{1, 1ULL << 60, 0, 0}, empty}) {
    auto ends = road::make_shm_ends(road::default_ring_bytes, false);
    ends.first.number = ends.second.number = ++connections;
    road::ShmRings broken(std::move(ends.first));
    static std::uint64_t channel = 100;
    relays->relays[0]->open(++channel, std::move(ends.second), road::Doorbell::make());
    auto peer = open(1, channel);
    EXPECT_TRUE(broken.pages_out.put({0, nonsense}));
    std::vector<std::byte> tables;
    const auto frame = Party::frame(1, 30);
    for (auto piece : wire::pieces_of(frame, tables)) broken.out.write(piece);
    broken.out.publish();
    relays->relays[0]->bell().ring();
    wire::Message message;
    EXPECT_FALSE(receive(peer, message));
  }
  send(a, 1, {100});
  wire::Message message;
  ASSERT_TRUE(receive(b, message));
  check(message, 1, {100});
}

// Of a frame with two, the first lies in the receiver's pool when the link breaks.
TEST_F(RelayPages, NothingStaysTakenOfAFrameThatCameInPart) {
  const octavo::kit::LinkPair pair(20'000);
  begin(octavo::kit::over(pair));
  {
    auto a = open(0), b = open(1);
    pair.cut_after(0, 150'000);
    send(a, 1, {100 * KiB, 100 * KiB}, false);
    wire::Message message;
    EXPECT_FALSE(receive(b, message));
  }
  await_free();
}

}  // namespace
