// SPDX-License-Identifier: Apache-2.0
// Every link against the contract of octavo/road/link.hpp; each test cites its clause. A new link adds one maker.
#include "octavo/road/link.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include <array>
#include <future>
#include <latch>
#include <random>
#include <semaphore>
#include <thread>

#include "kit/link/files_pair.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/link/link_pair.hpp"
#include "kit/link/pipe_pair.hpp"
#include "kit/link/sftp_pair.hpp"
#include "kit/link/steady_pair.hpp"
#include "kit/link/tls_pair.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "road/net/kinds/link_kinds.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::receive, octavo::kit::send, octavo::kit::stream, octavo::kit::wait_for;

struct Both {
  std::unique_ptr<road::Link> a, b;
  std::string missing = {};  // why there are none here
};
using Maker = Both (*)();

Both over_unix() {
  std::array<int, 2> sockets{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  return {road::open_unix_link(octavo::Fd(sockets[0])), road::open_unix_link(octavo::Fd(sockets[1]))};
}
Both in_process() {
  octavo::kit::LinkPair pair(10000);
  return {pair.end(0), pair.end(1)};
}
Both in_crumbs() {
  octavo::kit::LinkPair pair(10000);
  pair.portions(7);
  return {pair.end(0), pair.end(1)};
}

Both over_tls() {
  auto [a, b] = octavo::kit::over_tls();
  return {std::move(a), std::move(b)};
}

// By its address, as an agent that is invited comes to one (LK-1, LK-2).
Both by_address(const std::string& address) {
  const auto key = road::ClusterKey::make();
  const auto listener = road::listen(address, key, {});
  auto calling = std::async(std::launch::async, [&] { return road::dial(listener->address(), key, road::Clock::now() + std::chrono::minutes(1), {}); });
  for (;;) {
    octavo::kit::poll_for(listener->descriptor(), POLLIN);
    for (auto& called : listener->take()) return {calling.get(), std::move(called)};
  }
}
Both by_tls_address() { return by_address("tls://127.0.0.1:0"); }
Both by_unix_address() { return by_address("unix://"); }
Both by_files_address() { return by_address("files://"); }

Both over_files_by_looking() {
  auto [dialer, owner] = octavo::kit::over_files(false);
  return {std::move(dialer), std::move(owner)};
}
template <octavo::kit::TwoEnds (*Make)()>
Both of_kit() {
  auto [a, b] = Make();
  return {std::move(a), std::move(b)};
}

Both steadily(const octavo::kit::Switchboard::Options& options) {
  auto [calling, called] = octavo::kit::Switchboard(options).links();
  return {std::move(calling), std::move(called)};
}
Both over_carriers() { return steadily({}); }
Both over_carriers_that_break() { return steadily({.most_bytes = 30000, .portion = 1000}); }
Both over_carriers_in_crumbs() { return steadily({.most_bytes = 20000, .portion = 7, .links = {.most_kept = 1U << 20}}); }

void send_all(road::Link& link, ByteView bytes) {
  for (;;) {
    bytes = bytes.subspan(send(link, bytes));
    if (bytes.empty() || link.lost()) return;
    wait_for(link, true);
  }
}
// What it has taken still goes (L-11), as long as this lives.
class Served {
 public:
  explicit Served(road::Link& link)
      : thread_([&link](const std::stop_token& stop) {
          std::byte room{};
          ByteSpan into(&room, 1);
          while (!stop.stop_requested()) {
            EXPECT_EQ(link.receive(std::span(&into, 1)), 0U);
            pollfd poll{link.descriptor(), link.events(false), 0};
            ::poll(&poll, 1, 1);  // to see `stop`
          }
        }) {}

 private:
  std::jthread thread_;
};

// Two ends for which something is missing here.
Both without(const std::string& missing) {
  auto both = in_process();
  both.missing = missing;
  return both;
}
Both over_sftp() {
  if (auto missing = octavo::kit::SftpServer::missing(); !missing.empty()) return without(missing);
  const octavo::kit::SftpServer server;
  auto [a, b] = octavo::kit::over_sftp(server.command());
  return {std::move(a), std::move(b)};
}
// What it lives in is of this program, as one test is.
Both over_sftp_by_sshd() {
  if (auto missing = octavo::kit::Sshd::missing(); !missing.empty()) return without(missing);
  static const octavo::kit::Sshd sshd;
  auto [a, b] = octavo::kit::over_sftp(octavo::kit::command_of(sshd));
  return {std::move(a), std::move(b)};
}

class Links : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  void SetUp() override {
    if (!both.missing.empty()) GTEST_SKIP() << both.missing;
  }
  octavo::kit::Watchdog watchdog{60};
  Both both = GetParam().second();
  road::Link &a = *both.a, &b = *both.b;
};

TEST_P(Links, L1_L2_L3_BytesArriveInOrderWhateverThePieces) {
  constexpr std::size_t size = 300000;
  auto bytes = stream(size);
  std::binary_semaphore all_came(0);
  std::thread sender([&] {
    std::mt19937 random(1);
    std::size_t at = 0;
    while (at < size) {
      std::vector<ByteView> pieces;
      std::size_t end = at, offered = 0;
      for (std::size_t n = random() % 300; pieces.size() < n && end < size;) {
        auto piece = ByteView(bytes).subspan(end, std::min<std::size_t>(random() % 100, size - end));
        pieces.push_back(piece);  // empty ones too
        end += piece.size();
        offered += piece.size();
      }
      std::size_t taken = a.send(pieces);
      ASSERT_LE(taken, offered);
      at += taken;
      if (taken < offered) wait_for(a, true);
    }
    Served going(a);
    all_came.acquire();
  });
  std::mt19937 random(2);
  std::vector<std::byte> came;
  while (came.size() < size) {
    std::vector<std::byte> room(random() % 5000);
    std::size_t first = room.empty() ? 0 : random() % room.size();
    std::array<ByteSpan, 3> into{ByteSpan(room).first(first), ByteSpan{}, ByteSpan(room).subspan(first)};
    std::size_t n = b.receive(into);
    came.insert(came.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(n));
    if (n < room.size() && came.size() < size) wait_for(b, false);
  }
  all_came.release();
  sender.join();
  EXPECT_EQ(came, bytes);
}

TEST_P(Links, L1_BothWaysAtOnce) {
  auto bytes = stream(100000);
  std::latch all(2);
  auto play = [&](road::Link& link) {
    std::size_t sent = 0;
    std::vector<std::byte> came, room(3000);
    while (sent < bytes.size() || came.size() < bytes.size()) {
      sent += send(link, ByteView(bytes).subspan(sent));
      ByteSpan into = room;
      std::size_t n = link.receive(std::span(&into, 1));
      came.insert(came.end(), room.begin(), room.begin() + static_cast<std::ptrdiff_t>(n));
      if (n < room.size() && came.size() < bytes.size()) wait_for(link, sent < bytes.size());
    }
    EXPECT_EQ(came, bytes);
    Served going(link);
    all.arrive_and_wait();
  };
  std::thread there([&] { play(b); });
  play(a);
  there.join();
}

TEST_P(Links, L2_L9_WhoDoesNotReceiveStopsTheSenderAndNobodyWaits) {
  auto bytes = stream(4096);
  std::size_t taken = 0, n = 0;
  while ((n = send(a, bytes)) != 0) {
    taken += n;
    ASSERT_LT(taken, 16U << 20);
  }
  EXPECT_FALSE(a.lost());
  {
    Served going(a);
    EXPECT_EQ(receive(b, taken).size(), taken);
  }                      // L-4: then there is room again
  do wait_for(a, true);  // it may be woken by what makes no room yet
  while (send(a, bytes) == 0);
}

TEST_P(Links, L3_L8_SilenceIsNothingAndNoLoss) {
  std::array<std::byte, 10> room{};
  ByteSpan into = room;
  EXPECT_EQ(b.receive(std::span(&into, 1)), 0U);
  // L-4: it does not pay, as most polls know. Those that look for themselves return now and then for nothing, ever less often.
  int for_nothing = 0;
  for (const auto until = road::Clock::now() + std::chrono::milliseconds(20); road::Clock::now() < until; ++for_nothing) {
    pollfd poll{b.descriptor(), b.events(false), 0};
    if (::poll(&poll, 1, 20) == 0) break;
    EXPECT_EQ(b.receive(std::span(&into, 1)), 0U);
  }
  EXPECT_LE(for_nothing, b.kind() == "files" || b.kind() == "sftp" ? 10 : 0);
  EXPECT_FALSE(b.lost());
  EXPECT_EQ(b.why(), "");
}

TEST_P(Links, L4_WakesWhoWaitsForBytesAndWhoWaitsForTheEnd) {
  std::thread sleeper([&] {
    EXPECT_EQ(receive(b, 1), stream(1));
    EXPECT_EQ(receive(b, 1).size(), 0U);
    EXPECT_TRUE(b.lost());
  });
  send_all(a, stream(1));
  a.close();
  sleeper.join();
}

TEST_P(Links, L5_L7_WhatWasSentBeforeTheEndIsReceivedThenLost) {
  auto bytes = stream(5000);
  std::size_t taken = 0;
  while (taken < bytes.size()) taken += send(a, ByteView(bytes).subspan(taken));
  a.close();
  EXPECT_TRUE(a.lost());
  EXPECT_EQ(send(b, bytes) <= bytes.size(), true) << "L-6: does not throw";
  EXPECT_FALSE(b.lost()) << "what came is to be received first";
  EXPECT_EQ(receive(b, bytes.size() + 1), bytes);
  EXPECT_TRUE(b.lost());
  EXPECT_NE(b.why(), "");
}

TEST_P(Links, L5_AlsoWhenItsOwnBytesWereNeverReceived) {
  send_all(b, stream(100));
  send_all(a, stream(100));
  both.a.reset();
  EXPECT_EQ(receive(b, 101), stream(100));
  EXPECT_TRUE(b.lost());
}

// TLS-5: over TLS most of it has not left when a is closed, and a thread sends it.
TEST_P(Links, L5_AlsoWhenItWasFullAndTheOtherSideGoesOnSending) {
  std::size_t taken = 0, n = 0;
  auto bytes = stream(16U << 20);
  while ((n = send(a, ByteView(bytes).subspan(taken, 4096))) != 0) taken += n;
  send(b, stream(2000));
  a.close();
  send(b, stream(2000));
  bytes.resize(taken);
  EXPECT_TRUE(receive(b, taken + 1) == bytes);
  EXPECT_TRUE(b.lost());
}

// Pieces with an owner between others; who lent them changes them when nobody has the owner any more.
TEST_P(Links, L13_WhatIsLentIsLookedAtUntilItsOwnerIsLetGo) {
  const auto expected = stream(1U << 20);
  auto lent = std::make_shared<std::vector<std::byte>>(expected);
  std::thread sender([&] {
    for (std::size_t at = 0; at < expected.size() && !a.lost();) {
      const std::size_t rest = expected.size() - at;
      std::array<ByteView, 3> pieces{ByteView(expected).subspan(at, std::min<std::size_t>(rest, 10)), {}, {}};
      pieces[1] = ByteView(*lent).subspan(at + pieces[0].size(), std::min<std::size_t>(rest - pieces[0].size(), 30000));
      pieces[2] = ByteView(expected).subspan(at + pieces[0].size() + pieces[1].size(), std::min<std::size_t>(rest - pieces[0].size() - pieces[1].size(), 500));
      const std::array<road::Link::Owner, 3> owners{nullptr, lent, nullptr};
      const std::size_t n = a.send_lent(pieces, owners);
      at += n;
      if (n == 0) wait_for(a, true);
    }
    a.close();
    EXPECT_EQ(lent.use_count(), 1) << "closed, it has let go";
    std::fill(lent->begin(), lent->end(), std::byte{0xee});
  });
  EXPECT_TRUE(receive(b, expected.size() + 1) == expected);
  sender.join();
}

TEST_P(Links, L4_L7_WhoWaitsAfterCloseIsWoken) {
  a.close();
  wait_for(a, false);
}

TEST_P(Links, L6_L7_OnceLostAlwaysLost) {
  a.close();
  auto why = a.why();
  a.close();
  EXPECT_EQ(a.why(), why);
  EXPECT_EQ(send(a, stream(10)), 0U);
  EXPECT_EQ(receive(a, 10).size(), 0U);
  EXPECT_EQ(receive(b, 10).size(), 0U);
  why = b.why();
  b.close();
  EXPECT_EQ(b.why(), why) << "the first reason";
  EXPECT_EQ(send(b, stream(10)), 0U);
}

TEST_P(Links, L14_ALinkThatCarriesNoDescriptorsSaysSo) {
  if (a.carries_descriptors()) GTEST_SKIP() << "it does: below";
  const auto bytes = stream(1);
  const ByteView one(bytes);
  const int number = 0;
  EXPECT_THROW(static_cast<void>(a.send_with(std::span(&one, 1), std::span(&number, 1))), octavo::usage_error);
  EXPECT_FALSE(b.take_descriptors());
}

INSTANTIATE_TEST_SUITE_P(All, Links,
                         testing::Values(std::pair{"unix", Maker{over_unix}}, std::pair{"in_process", Maker{in_process}},
                                         std::pair{"in_crumbs", Maker{in_crumbs}}, std::pair{"tls", Maker{over_tls}},
                                         std::pair{"unix_by_address", Maker{by_unix_address}}, std::pair{"tls_by_address", Maker{by_tls_address}},
                                         std::pair{"pipes", Maker{of_kit<octavo::kit::over_pipes>}},
                                         std::pair{"commands_socket", Maker{of_kit<octavo::kit::over_a_commands_socket>}},
                                         std::pair{"ssh_by_address", Maker{of_kit<octavo::kit::by_ssh_address>}},
                                         std::pair{"files_by_address", Maker{by_files_address}}, std::pair{"files_by_looking", Maker{over_files_by_looking}},
                                         std::pair{"sftp", Maker{over_sftp}}, std::pair{"sftp_by_sshd", Maker{over_sftp_by_sshd}},
                                         std::pair{"steady", Maker{over_carriers}}, std::pair{"steady_breaking", Maker{over_carriers_that_break}},
                                         std::pair{"steady_crumbs", Maker{over_carriers_in_crumbs}}),
                         [](const auto& which) { return which.param.first; });

TEST(LinkFaults, StallHoldsAndResumeDelivers) {
  octavo::kit::Watchdog watchdog(60);
  octavo::kit::LinkPair pair;
  auto a = pair.end(0), b = pair.end(1);
  pair.stall(0);
  send_all(*a, stream(50));
  std::array<std::byte, 50> room{};
  ByteSpan into = room;
  EXPECT_EQ(b->receive(std::span(&into, 1)), 0U);
  a->close();
  EXPECT_FALSE(b->lost()) << "it looks silent";
  pair.resume(0);
  EXPECT_EQ(receive(*b, 51), stream(50));
  EXPECT_TRUE(b->lost());
}

TEST(LinkFaults, ACutLeavesABeginning) {
  octavo::kit::Watchdog watchdog(60);
  octavo::kit::LinkPair pair;
  auto a = pair.end(0), b = pair.end(1);
  pair.cut_after(0, 30);
  EXPECT_EQ(send(*a, stream(50)), 30U);
  EXPECT_TRUE(a->lost());
  EXPECT_EQ(receive(*b, 51), stream(30));
  EXPECT_TRUE(b->lost());
}

TEST(UnixLink, RefusesWhatIsNoConnectedUnixStream) {
  EXPECT_THROW(road::open_unix_link(octavo::Fd(::socket(AF_UNIX, SOCK_STREAM, 0))), octavo::usage_error);
  EXPECT_THROW(road::open_unix_link(octavo::Fd(::socket(AF_UNIX, SOCK_DGRAM, 0))), octavo::usage_error);
  EXPECT_THROW(road::open_unix_link(octavo::Fd(::socket(AF_INET, SOCK_STREAM, 0))), octavo::usage_error);
  EXPECT_THROW(road::open_unix_link(octavo::Fd()), octavo::io_error);
}

TEST(UnixLink, RefusesAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can play another user";
  std::array<int, 2> sockets{-1, -1};
  std::thread other([&] {
    ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);  // the system call itself: of this thread only
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()), 0);
  });
  other.join();
  octavo::Fd rest(sockets[1]);
  EXPECT_THROW(road::open_unix_link(octavo::Fd(sockets[0])), octavo::refused);
}

}  // namespace
