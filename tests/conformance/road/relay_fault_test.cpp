// SPDX-License-Identifier: Apache-2.0
// What octavo/road/relay.hpp promises when things break: links that are cut or silent, peers that speak nonsense, processes that end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <optional>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"
#include "road/net/record.hpp"
#include "road/shm/rings.hpp"

namespace {

namespace road = octavo::road;
namespace net = octavo::road::net;
using net::record_kind;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::Party;
using octavo::kit::Relays;
using octavo::kit::Told;

ByteView bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

class RelayFaults : public testing::Test {
 protected:
  octavo::kit::Watchdog watchdog{100};
};

// One relay; the other side of its link is played by the test.
struct Played {
  explicit Played(const road::RelayOptions& options = {}) : relay(pair.end(0), told.events(), options), link(pair.end(1)) { relay.start(); }

  void write(const void* from, std::size_t size) {
    ByteView bytes(static_cast<const std::byte*>(from), size);
    while (!bytes.empty() && !link->lost()) {
      std::size_t taken = link->send(std::span(&bytes, 1));
      bytes = bytes.subspan(taken);
      if (!bytes.empty()) wait(), take_in();  // it may wait for us to read
    }
  }
  void record(record_kind kind, std::uint64_t channel, std::string payload = {}) {
    net::RecordHeader header{kind, {}, static_cast<std::uint32_t>(payload.size()), channel};
    write(&header, sizeof header);
    write(payload.data(), payload.size());
  }
  void hello(std::uint16_t version = net::link_version, std::uint64_t window = 64 << 10) {
    net::Hello hello{net::link_magic, version, 0, window};
    record(record_kind::hello, 0, {reinterpret_cast<const char*>(&hello), sizeof hello});
  }
  void page(std::uint64_t channel, net::PageSize bytes) { record(record_kind::page, channel, {reinterpret_cast<const char*>(&bytes), sizeof bytes}); }
  void credit(std::uint64_t channel, net::Credit bytes) { record(record_kind::credit, channel, {reinterpret_cast<const char*>(&bytes), sizeof bytes}); }
  void wait() const {
    pollfd poll{link->descriptor(), link->events(true), 0};
    while (::poll(&poll, 1, -1) < 0) {}
  }
  // The next record that came, data in parts; nothing when the link is lost.
  std::optional<net::Record> next() {
    net::Record record;
    while (!decoder.next(left, record)) {
      if (take_in()) continue;
      if (link->lost()) return std::nullopt;
      wait();
    }
    return record;
  }
  bool take_in() {
    std::array<std::byte, 1000> into;
    ByteSpan span = into;
    std::size_t n = link->receive(std::span(&span, 1));
    std::vector<std::byte> all(left.begin(), left.end());
    all.insert(all.end(), into.begin(), into.begin() + static_cast<std::ptrdiff_t>(n));
    room.swap(all);
    left = room;
    return n != 0;
  }
  Party open(std::uint64_t channel) {
    Party made;
    auto ends = road::make_shm_ends(road::default_ring_bytes, false);
    made.connection = road::open_shm(std::move(ends.first), relay.bell(), nullptr);
    relay.open(channel, std::move(ends.second), made.bell);
    return made;
  }
  std::string why() {
    told.await([&] { return !told.lost.empty(); });
    return told.now(&Told::lost).front();
  }

  octavo::kit::LinkPair pair;
  octavo::kit::Told told;
  road::Relay relay;
  std::unique_ptr<road::Link> link;
  net::RecordDecoder decoder{1 << 20};
  std::vector<std::byte> room;
  ByteView left;  // of room
};

TEST_F(RelayFaults, APeerThatSpeaksNonsenseLosesThisLinkOnly) {
  auto lost = [](const std::string& text, auto speak) {
    Relays beside(octavo::kit::over_pair());
    Played played({.window = 4096, .most_control_bytes = 1000, .most_unopened = 3});
    auto process = played.open(7);
    speak(played);
    EXPECT_NE(played.why().find(text), std::string::npos) << played.why();
    EXPECT_EQ(process.receive(), -1) << "its processes are told";
    played.told.await([&] { return played.told.ended == std::vector<std::uint64_t>{7}; });
    while (played.next()) {}
    played.relay.send_control(bytes_of("nothing happens"));
    EXPECT_EQ(played.open(8).receive(), -1) << "what is opened later ends at once";
    EXPECT_EQ(played.told.now(&Told::lost).size(), 1U);
    auto a = beside.open(0, 1), b = beside.open(1, 1);
    a.send(1, 10);
    EXPECT_EQ(b.receive(), 1);
  };
  lost("refused", [](Played& p) { p.write("GET / HTTP/1.1\r\nHost: there\r\n\r\n", 30); });
  lost("version 9, this program speaks 1", [](Played& p) { p.hello(9); });
  lost("before the hello", [](Played& p) { p.record(record_kind::end, 7); });
  lost("kind 2 of 1001 bytes", [](Played& p) { p.hello(), p.record(record_kind::control, 0, std::string(1001, 'x')); });
  lost("1 bytes more than the window", [](Played& p) { p.hello(), p.record(record_kind::data, 3, std::string(4097, 'x')); });
  lost("after its end", [](Played& p) { p.hello(), p.record(record_kind::end, 3), p.record(record_kind::data, 3, "x"); });
  lost("a second end", [](Played& p) { p.hello(), p.record(record_kind::end, 3), p.record(record_kind::end, 3); });
  lost("more than the window", [](Played& p) { p.hello(), p.credit(7, 1); });
  lost("a page without bytes", [](Played& p) { p.hello(), p.page(7, 0); });
  lost("kind 8 of 3 bytes", [](Played& p) { p.hello(), p.record(record_kind::page, 7, "abc"); });
  lost("a page of channel 3 after its end", [](Played& p) { p.hello(), p.record(record_kind::end, 3), p.page(3, 9); });
  lost("which is not open", [](Played& p) { p.hello(), p.credit(99, 1); });
  lost("3 channels", [](Played& p) {
    p.hello();
    for (std::uint64_t i = 100; i < 104; ++i) p.record(record_kind::data, i, "x");
  });
}

TEST_F(RelayFaults, ItSendsNoMoreThanTheCreditItHas) {
  Played played;
  auto process = played.open(7);
  played.hello(net::link_version, 5000);
  for (std::uint64_t i = 0; i < 10; ++i) process.connection->send(Party::frame(i, 1000), road::keep_rest);
  std::size_t came = 0;
  auto read_until = [&](std::size_t most) {
    while (came < most) {
      auto record = played.next();
      ASSERT_TRUE(record);
      if (record->kind == record_kind::data) came += record->bytes.size();
    }
  };
  read_until(5000);
  played.credit(7, 100);
  played.record(record_kind::ping, 0);
  std::optional<net::Record> record;
  while ((record = played.next()) && record->kind != record_kind::pong)
    if (record->kind == record_kind::data) came += record->bytes.size();
  read_until(5100);
  EXPECT_EQ(came, 5100U);
}

TEST_F(RelayFaults, ASilentPeerIsAskedAndAnsweredAndThenLost) {
  Played played({.heartbeat = std::chrono::milliseconds(10), .silence = std::chrono::seconds(2)});
  auto process = played.open(7);
  played.hello();
  for (int pings = 0; pings < 20;) {  // as long as it answers, nothing is lost
    auto record = played.next();
    ASSERT_TRUE(record);
    if (record->kind != record_kind::ping) continue;
    ++pings;
    played.record(record_kind::pong, 0);
  }
  played.record(record_kind::ping, 0);
  while (played.next()->kind != record_kind::pong) {}
  EXPECT_EQ(played.why(), "in-process link: nothing came for 2000 ms");
  EXPECT_EQ(process.receive(), -1);
}

TEST_F(RelayFaults, AStalledPeerIsLostOnBothSidesThoughTheLinkIsWhole) {
  octavo::kit::LinkPair pair;
  road::RelayOptions options{.heartbeat = std::chrono::milliseconds(50), .silence = std::chrono::milliseconds(1500)};
  Relays relays(octavo::kit::over(pair), options);
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  a.send(1, 100);
  EXPECT_EQ(b.receive(), 1);
  pair.stall(0);
  pair.stall(1);
  EXPECT_EQ(a.receive(), -1);
  pair.resume(0);
  pair.resume(1);
  EXPECT_EQ(b.receive(), -1);
  for (auto& told : relays.told) {
    told.await([&] { return !told.lost.empty() && !told.ended.empty(); });
    EXPECT_EQ(told.now(&Told::lost).size(), 1U);
  }
}

TEST_F(RelayFaults, WhatHadComeBeforeTheLossIsStillDelivered) {
  Played played;
  auto process = played.open(7);
  played.hello();
  std::vector<std::byte> tables;
  std::string text;
  for (std::uint64_t i = 0; i < 50; ++i) {  // more than the ring of the process has room for
    auto frame = Party::frame(i, 1000);
    for (auto piece : octavo::wire::pieces_of(frame, tables)) text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  played.record(record_kind::data, 7, text);
  played.link->close();
  EXPECT_EQ(played.why(), "in-process link: the other side has closed it");
  for (std::int64_t i = 0; i < 50; ++i) EXPECT_EQ(process.receive(), i);
  EXPECT_EQ(process.receive(), -1);
}

TEST_F(RelayFaults, CutAtAnyByte) {
  for (std::uint64_t cut = 0; cut < 1200; cut += cut < 200 ? 1 : 23) {
    octavo::kit::LinkPair pair;
    pair.cut_after(static_cast<int>(cut % 2), cut);
    Relays relays(octavo::kit::over(pair));
    std::array<Party, 2> parties{relays.open(0, 7), relays.open(1, 7)};
    std::array<std::thread, 2> threads;
    for (std::size_t side = 0; side < 2; ++side)
      threads.at(side) = std::thread([&, side] {
        auto& party = parties.at(side);
        try {
          for (std::uint64_t i = 0; i < 5; ++i) {
            party.send(i, 200);
            relays.relays.at(side)->send_control(bytes_of("control " + std::to_string(i)));
          }
        } catch (const octavo::gone_error&) {  // soon enough
        }
        std::int64_t came = 0, number = 0;
        while ((number = party.receive()) >= 0) ASSERT_EQ(number, came++);  // always a beginning, of whole frames
      });
    for (auto& thread : threads) thread.join();
    for (auto& told : relays.told) {
      told.await([&] { return !told.lost.empty() && !told.ended.empty(); });
      ASSERT_EQ(told.now(&Told::lost), std::vector<std::string>{"in-process link: cut by the test"}) << cut;
      auto controls = told.now(&Told::controls);
      for (std::size_t i = 0; i < controls.size(); ++i) ASSERT_EQ(controls[i], "control " + std::to_string(i));
    }
  }
}

// Its ring ends anywhere in a frame; what was whole arrives, and the channel ends.
TEST_F(RelayFaults, AProcessThatEndsInTheMiddleOfAFrame) {
  std::vector<std::byte> tables, bytes;
  for (std::uint64_t i = 0; i < 3; ++i) {
    auto frame = Party::frame(i, 30);
    for (auto piece : octavo::wire::pieces_of(frame, tables)) bytes.insert(bytes.end(), piece.begin(), piece.end());
  }
  std::size_t each = bytes.size() / 3;
  Relays relays(octavo::kit::over_unix_sockets());
  for (std::size_t n = 0; n <= bytes.size(); n += 3) {
    auto ends = road::make_shm_ends(road::default_ring_bytes, false);
    auto b = relays.open(1, n);
    {
      road::ShmRings dying(std::move(ends.first));
      relays.relays[0]->open(n, std::move(ends.second), road::Doorbell::make());
      dying.out.write(ByteView(bytes).first(n));
      dying.out.publish();
      relays.relays[0]->bell().ring();
    }
    for (std::size_t i = 0; i < n / each; ++i) ASSERT_EQ(b.receive(), static_cast<std::int64_t>(i));
    ASSERT_EQ(b.receive(), -1);
  }
}

// A process that writes anything into what it shares with the relay hurts itself only.
TEST_F(RelayFaults, AProcessThatBreaksItsRings) {
  Relays relays(octavo::kit::over_unix_sockets());
  auto a = relays.open(0, 1), b = relays.open(1, 1);
  auto ends = road::make_shm_ends(road::default_ring_bytes, false);
  void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ends.first.rings.get(), 0);
  ASSERT_NE(at, MAP_FAILED);
  auto* controls = static_cast<road::RingControl*>(at);
  relays.relays[0]->open(2, std::move(ends.second), road::Doorbell::make());
  auto peer = relays.open(1, 2);
  for (std::uint64_t value : {~0ULL, 1ULL << 40, road::default_ring_bytes + 7000ULL, 3ULL}) {
    controls[0].tail.store(value);
    controls[1].head.store(value);
    relays.relays[0]->bell().ring();
    peer.send(value, 20000);
    a.send(1, 100000);
    ASSERT_EQ(b.receive(), 1);
  }
  ::munmap(at, 4096);
  ends.first.socket.reset();
  while (peer.receive() >= 0) {}
}

TEST_F(RelayFaults, ARelayThatEndsEndsItsChannelsHereAndThere) {
  Relays relays(octavo::kit::over_unix_sockets());
  auto a = relays.open(0, 7), b = relays.open(1, 7);
  a.send(1, 100);
  EXPECT_EQ(b.receive(), 1);
  relays.relays[0]->send_control(bytes_of("the last word"));
  relays.relays[0].reset();
  EXPECT_EQ(a.receive(), -1);
  EXPECT_EQ(b.receive(), -1);
  auto& told = relays.told[1];
  told.await([&] { return !told.lost.empty(); });
  EXPECT_EQ(told.now(&Told::controls), std::vector<std::string>{"the last word"});
  // It reads the end, or writes what the processes said meanwhile: whichever comes first.
  EXPECT_THAT(told.now(&Told::lost).front(), testing::AnyOf("unix link: the other side has closed it", "unix link: the other side is gone"));
  EXPECT_TRUE(relays.told[0].now(&Told::lost).empty()) << "who ends it is not told";
}

}  // namespace
