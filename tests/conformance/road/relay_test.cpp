// SPDX-License-Identifier: Apache-2.0
// What octavo/road/relay.hpp promises while the link holds, over each kind of link. That a connection through two relays keeps the
// contract of every road is road_test.cpp's; what happens when things break is relay_fault_test.cpp's.
#include "octavo/road/relay.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/left_behind.hpp"
#include "kit/link/tls_pair.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace road = octavo::road;
using octavo::ByteView;
using octavo::kit::Party;
using octavo::kit::Relays;
using octavo::kit::Told;

using Maker = octavo::kit::Links (*)();
ByteView bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }
std::size_t open_descriptors() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator()));
}

class RelayTest : public testing::TestWithParam<std::pair<const char*, Maker>> {
 protected:
  octavo::kit::Watchdog watchdog{100};
  static octavo::kit::Links links() { return GetParam().second(); }
};

TEST_P(RelayTest, ControlsArriveWholeAndInOrder) {
  Relays relays(links(), {}, false);
  std::vector<std::string> sent;
  for (std::size_t i = 0; i < 200; ++i) sent.push_back(std::to_string(i) + std::string(i % 50 == 49 ? 300000 : i * 37 % 1000, 'x'));
  for (auto& relay : relays.relays) relay->send_control(bytes_of(sent.at(0)));  // before start: kept
  for (auto& relay : relays.relays) relay->start();
  for (auto& relay : relays.relays)
    for (std::size_t i = 1; i < sent.size(); ++i) relay->send_control(bytes_of(sent[i]));
  for (auto& told : relays.told) {
    told.await([&] { return told.controls.size() == sent.size(); });
    EXPECT_EQ(told.now(&Told::controls), sent);
    EXPECT_TRUE(told.now(&Told::lost).empty());
  }
}

TEST_P(RelayTest, DescriptorsComeWithTheirControlWhereTheLinkCarriesAny) {
  Relays relays(links(), {}, false);
  const std::array numbers{0, 1, 2, 2};
  if (!relays.relays[0]->carries_descriptors()) {
    EXPECT_THROW(relays.relays[0]->send_control(bytes_of("a"), numbers), octavo::usage_error);
    return;
  }
  const auto before = open_descriptors();
  std::vector<std::size_t> sent;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    sent.push_back(i % 3 == 0 ? 0 : 1 + i % 4);
    const std::string control(1 + i * 37 % 5000, 'x');
    bytes += control.size();
    relays.relays[0]->send_control(bytes_of(control), std::span(numbers).first(sent.back()));
  }
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  for (auto& relay : relays.relays) relay->start();
  std::thread beside([&] {
    for (std::uint64_t i = 0; i < 20; ++i) a.send(i, 30'000);
  });
  for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(b.receive(), i);
  beside.join();
  auto& told = relays.told[1];
  told.await([&] { return told.controls.size() == sent.size(); });
  EXPECT_EQ(told.now(&Told::came_with), sent);
  std::size_t came = 0;
  for (const auto& control : told.now(&Told::controls)) came += control.size();
  EXPECT_EQ(came, bytes);
  a = b = {};
  while (open_descriptors() > before + 8) std::this_thread::yield();  // the relays' threads may hold the last set still; the watchdog bounds it
}

TEST_P(RelayTest, ControlsOfManyThreadsKeepTheOrderOfEach) {
  Relays relays(links());
  std::vector<std::thread> senders;
  for (int t = 0; t < 3; ++t)
    senders.emplace_back([&, t] {
      for (int i = 100; i < 400; ++i) relays.relays[0]->send_control(bytes_of(std::to_string(t) + std::to_string(i)));
    });
  for (auto& sender : senders) sender.join();
  auto& told = relays.told[1];
  told.await([&] { return told.controls.size() == 900; });
  std::array<int, 3> next{100, 100, 100};
  for (const auto& control : told.now(&Told::controls)) EXPECT_EQ(control.substr(1), std::to_string(next.at(static_cast<std::size_t>(control[0] - '0'))++));
}

TEST_P(RelayTest, EventsMayCallTheRelay) {
  auto two = links();
  octavo::kit::Told told;
  std::unique_ptr<road::Relay> echo;
  road::Relay asks(std::move(two.first), told.events());
  echo = std::make_unique<road::Relay>(std::move(two.second),
                                       road::RelayEvents{.control = [&](ByteView bytes, const std::vector<octavo::Fd>&) { echo->send_control(bytes); }});
  echo->start();
  asks.start();
  for (int i = 0; i < 100; ++i) asks.send_control(bytes_of("again"));
  told.await([&] { return told.controls.size() == 100; });
}

TEST_P(RelayTest, WhatIsNotAllowedIsRefusedAtOnce) {
  auto two = links();
  road::Relay relay(std::move(two.first), {}, {.most_control_bytes = 100, .most_waiting_bytes = 250});
  EXPECT_THROW(relay.send_control(bytes_of(std::string(101, 'x'))), octavo::usage_error);
  relay.send_control(bytes_of(std::string(100, 'x')));
  relay.send_control(bytes_of(std::string(100, 'x')));
  EXPECT_THROW(relay.send_control(bytes_of(std::string(100, 'x'))), octavo::refused) << "the link has taken none";
  auto ends = road::make_shm_ends(road::default_ring_bytes, false), more = road::make_shm_ends(road::default_ring_bytes, false);
  relay.open(1, std::move(ends.second), road::Doorbell::make());
  EXPECT_THROW(relay.open(1, std::move(more.second), road::Doorbell::make()), octavo::usage_error);
  road::ShmEnd none;
  none.lanes = false;
  EXPECT_THROW(relay.open(2, std::move(none), road::Doorbell::make()), octavo::io_error);
  EXPECT_THROW(relay.open(2, {}, road::Doorbell::make()), octavo::usage_error);
  EXPECT_THROW(road::Relay(std::move(two.second), {}, {.window = 1}), octavo::usage_error);
  two = links();
  EXPECT_THROW(road::Relay(std::move(two.second), {}, {.heartbeat = std::chrono::seconds(1), .silence = std::chrono::seconds(1)}), octavo::usage_error);
}

TEST_P(RelayTest, FramesOfAllSizesCrossBothWaysAtOnce) {
  Relays relays(links());
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  EXPECT_EQ(a.connection->road(), "net");
  auto play = [](const Party& party) {
    std::uint64_t sent = 0;
    std::int64_t came = 0;
    for (; sent < 300; ++sent) {
      std::size_t size = sent % 20 == 0 ? 200000 : sent * 97 % 3000;
      party.connection->send(Party::frame(sent, size), [&] {  // reads while there is no room: else both would wait
        octavo::wire::Message message;
        while (party.connection->receive(message)) EXPECT_EQ(static_cast<std::int64_t>(message.header.call), came++);
        party.bell.wait([&] { return party.connection->ready(); }, road::Clock::now() + std::chrono::milliseconds(1));
        return true;
      });
    }
    while (came < 300) EXPECT_EQ(party.receive(), came++);
  };
  std::thread other([&] { play(b); });
  play(a);
  other.join();
}

TEST_P(RelayTest, WhatComesBeforeTheChannelIsOpenedIsKept) {
  Relays relays(links());
  auto a = relays.open(0, 7);
  for (std::uint64_t i = 0; i < 10; ++i) a.send(i, 5000);
  relays.relays[0]->send_control(bytes_of("opened"));
  relays.told[1].await([&] { return !relays.told[1].controls.empty(); });
  auto b = relays.open(1, 7);
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(b.receive(), i);
}

// R-7 of the road between machines: the window bounds what a channel holds.
TEST_P(RelayTest, OneWhoNeverReadsStopsNobodyElseAndHoldsAWindow) {
  constexpr std::uint64_t channels = 64;
  constexpr std::size_t window = 64 << 10;
  Relays relays(links(), {.window = window});
  std::vector<Party> senders, receivers;
  for (std::uint64_t i = 0; i < channels; ++i) {
    senders.push_back(relays.open(0, i));
    receivers.push_back(relays.open(1, i));
  }
  std::atomic<bool> over{false};
  std::thread stuck([&] {  // sends to channel 0, whose other process never reads
    for (std::uint64_t i = 0; !over.load(); ++i)
      senders[0].connection->send(Party::frame(i, 1000), [&] {
        senders[0].bell.wait([&] { return senders[0].connection->ready() || over.load(); });
        return !over.load();
      });
  });
  for (std::uint64_t round = 0; round < 40; ++round) {
    for (std::uint64_t i = 1; i < channels; ++i) senders[i].send(round, 4000);
    for (std::uint64_t i = 1; i < channels; ++i) ASSERT_EQ(receivers[i].receive(), static_cast<std::int64_t>(round));
  }
  // More than the window went through each of the others meanwhile; of this one no more than the window and two rings.
  EXPECT_LE(senders[0].connection->bytes_sent(), window + 2 * road::default_ring_bytes);
  for (std::int64_t i = 0; i < 40; ++i) EXPECT_EQ(receivers[0].receive(), i) << "and when it reads, it goes on";
  over.store(true);
  senders[0].bell.ring();
  stuck.join();
}

TEST_P(RelayTest, WhatAProcessWroteBeforeItEndedIsDeliveredThenItsPeerIsTold) {
  for (std::size_t how = 0; how < 3; ++how) {
    Relays relays(links());
    auto a = relays.open(0, 7), b = relays.open(1, 7);
    for (std::uint64_t i = 0; i < 5; ++i) a.send(i, 9000);  // more than a ring
    if (how == 0) a.connection.reset();                     // as the kernel does for one that was killed
    else if (how == 1) a.connection->close();
    else relays.relays[0]->close(7);
    for (std::int64_t i = 0; i < 5; ++i) EXPECT_EQ(b.receive(), i);
    EXPECT_EQ(b.receive(), -1);
    EXPECT_TRUE(b.connection->lost());
    for (auto& told : relays.told) {
      told.await([&] { return !told.ended.empty(); });
      EXPECT_EQ(told.now(&Told::ended), std::vector<std::uint64_t>{7});
    }
    EXPECT_EQ(how == 2 ? a.receive() : -1, -1) << "close() ends it for its own process too";
    relays.relays[0]->close(7);  // too late, and nothing
    auto c = relays.open(0, 8), d = relays.open(1, 8);
    c.send(1, 10);
    EXPECT_EQ(d.receive(), 1);
  }
}

TEST_P(RelayTest, WhatWasWrittenBeforeTheRelayEndsIsDeliveredAsTheOtherMakesRoom) {
  Relays relays(links(), {.window = 4096});
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  for (std::uint64_t i = 0; i < 20; ++i) a.send(i, 5000);  // a ring holds it, and the window does not
  std::thread reader([&] {
    for (std::int64_t i = 0; i < 20; ++i) EXPECT_EQ(b.receive(), i);
    EXPECT_EQ(b.receive(), -1);
  });
  relays.relays[0].reset();
  reader.join();
}

TEST_P(RelayTest, ARelayDoesNotWaitForEverForAProcessThatReadsNothing) {
  Relays relays(links(), {.window = 4096});
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  for (std::uint64_t i = 0; i < 45; ++i) a.send(i, 5000);  // fills the ring there, and most of the one here
  relays.relays[0].reset();
  EXPECT_EQ(b.receive(), 0) << "what came before is there";
}

TEST_P(RelayTest, AProcessThatEndsBeforeItsPeerIsOpened) {
  Relays relays(links());
  auto a = relays.open(0, 7);
  a.send(1, 5000);
  a.connection.reset();
  relays.relays[0]->send_control(bytes_of("it is gone"));
  relays.told[1].await([&] { return !relays.told[1].controls.empty(); });
  auto b = relays.open(1, 7);
  EXPECT_EQ(b.receive(), 1);
  EXPECT_EQ(b.receive(), -1);
}

TEST_P(RelayTest, ARefusedChannelEndsBeforeAndAfterTheOtherSideOpens) {
  Relays relays(links());
  relays.relays[1]->refuse(7);
  auto a = relays.open(0, 7), b = relays.open(0, 8);
  EXPECT_EQ(a.receive(), -1);
  b.send(1, 5000);
  relays.relays[0]->send_control(bytes_of("opened"));
  relays.told[1].await([&] { return !relays.told[1].controls.empty(); });
  relays.relays[1]->refuse(8);
  EXPECT_EQ(b.receive(), -1);
  relays.told[0].await([&] { return relays.told[0].ended.size() == 2; });
}

TEST_P(RelayTest, ManyChannelsComeAndGoAndLeaveNothing) {
  octavo::kit::await_lingering();  // of the test before
  Relays relays(links());
  auto before = open_descriptors();
  for (std::uint64_t round = 0; round < 20; ++round) {
    std::vector<Party> here, there;
    for (std::uint64_t i = 0; i < 10; ++i) {
      here.push_back(relays.open(0, round * 10 + i));
      there.push_back(relays.open(1, round * 10 + i));
      here.back().send(i, 100);
    }
    for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(there[i].receive(), static_cast<std::int64_t>(i));
  }
  for (auto& told : relays.told) {
    told.await([&] { return told.ended.size() == 200; });
    auto ended = told.now(&Told::ended);
    EXPECT_EQ(std::set<std::uint64_t>(ended.begin(), ended.end()).size(), 200U) << "each once";
  }
  EXPECT_EQ(open_descriptors(), before);
}

INSTANTIATE_TEST_SUITE_P(Over, RelayTest,
                         testing::Values(std::pair{"unix", Maker{octavo::kit::over_unix_sockets}}, std::pair{"in_process", Maker{octavo::kit::over_pair}},
                                         std::pair{"crumbs", Maker{octavo::kit::over_crumbs}}, std::pair{"tls", Maker{octavo::kit::over_tls}}),
                         [](const auto& which) { return which.param.first; });

}  // namespace
