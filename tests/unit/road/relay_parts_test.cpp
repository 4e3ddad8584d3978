// SPDX-License-Identifier: Apache-2.0
// The parts of a relay, each without the others: the requests of other threads, the channels, and the records over the link.
#include <gtest/gtest.h>
#include <sys/epoll.h>

#include "kit/link/link_bytes.hpp"
#include "kit/link/link_pair.hpp"
#include "octavo/base/error.hpp"
#include "road/net/record_stream.hpp"
#include "road/net/requests.hpp"

namespace {

namespace road = octavo::road;
using namespace std::chrono_literals;
using octavo::ByteView;
using octavo::road::net::Channels;
using octavo::road::net::RecordStream;
using octavo::road::net::Requests;

const std::vector<std::byte> some(100, std::byte{7});

TEST(RelayRequests, AreTakenInTheirOrderOnce) {
  const road::RelayOptions options;
  Requests requests(options);
  EXPECT_FALSE(requests.are_there());
  requests.add({Requests::kind::refuse, 2});
  requests.add({Requests::kind::close, 1});
  requests.add_control({some, {}});
  EXPECT_TRUE(requests.are_there());
  const auto taken = requests.take();
  ASSERT_EQ(taken.requests.size(), 2u);
  EXPECT_EQ(taken.requests[0].channel, 2u);
  EXPECT_EQ(taken.requests[1].channel, 1u);
  ASSERT_EQ(taken.controls.size(), 1u);
  EXPECT_EQ(taken.controls.front().bytes, some);
  EXPECT_FALSE(requests.are_there());
  EXPECT_TRUE(requests.take().requests.empty());
}

TEST(RelayRequests, OpenANumberOnceUntilItHasEnded) {
  const road::RelayOptions options;
  Requests requests(options);
  requests.add({Requests::kind::open, 1});
  EXPECT_THROW(requests.add({Requests::kind::open, 1}), octavo::usage_error);
  requests.ended(1);
  EXPECT_NO_THROW(requests.add({Requests::kind::open, 1}));
}

TEST(RelayRequests, TakeNoControlsBeyondTheBoundNorForALinkThatIsLost) {
  const road::RelayOptions options{.most_control_bytes = 100, .most_waiting_bytes = 150};
  Requests requests(options);
  EXPECT_THROW(requests.add_control({std::vector<std::byte>(101), {}}), octavo::usage_error);
  requests.add_control({some, {}});
  EXPECT_THROW(requests.add_control({some, {}}), octavo::refused);
  requests.waiting_bytes() -= some.size();  // the link took it
  requests.link_lost();
  requests.add_control({some, {}});
  EXPECT_TRUE(requests.take().controls.empty());
}

struct RelayChannels : testing::Test {
  static constexpr std::size_t ring_bytes = 8 << 10;
  road::RelayOptions options{.window = 4 << 10};
  octavo::Fd poll{::epoll_create1(EPOLL_CLOEXEC)};
  std::vector<std::uint64_t> ended;
  Channels channels{options, poll, [this](std::uint64_t channel) { ended.push_back(channel); }};

  // Gives the process's end.
  std::unique_ptr<road::ShmRings> open(std::uint64_t number) {
    auto ends = road::make_shm_ends(ring_bytes, false);
    channels.open(number, {std::make_unique<road::ShmRings>(std::move(ends.first)), road::Doorbell::make()});
    return std::make_unique<road::ShmRings>(std::move(ends.second));
  }
};

TEST_F(RelayChannels, WhatCameBeforeOpeningIsDelivered) {
  channels.take_data(1, some);
  auto process = open(1);
  EXPECT_EQ(process->in.available(), 0u);
  EXPECT_TRUE(channels.has_work(false));
  channels.deliver();
  EXPECT_EQ(process->in.available(), some.size());
}

TEST_F(RelayChannels, RefuseWhatTheWindowHasNoRoomFor) {
  EXPECT_THROW(channels.take_data(1, std::vector<std::byte>(options.window + 1)), octavo::io_error);
  EXPECT_THROW(channels.take_credit(2, 1), octavo::io_error) << "of a channel that nobody knows";
}

TEST_F(RelayChannels, SendNoMoreThanTheOtherSideLets) {
  channels.greet(60);
  auto process = open(1);
  process->out.write(some);
  process->out.publish();
  road::net::Batch batch;
  channels.fill(batch);
  EXPECT_FALSE(batch.empty());
  EXPECT_FALSE(channels.has_work(true)) << "the rest waits for a credit";
  channels.take_credit(1, 40);
  EXPECT_TRUE(channels.has_work(true));
  batch.drop();
}

TEST_F(RelayChannels, TellTheirEndWhenBothSidesHaveEnded) {
  channels.greet(1 << 10);
  auto process = open(1);
  channels.take_end(1);
  channels.settle();
  EXPECT_TRUE(process->others_end_is_closed());
  EXPECT_TRUE(ended.empty()) << "the other side does not know it yet";
  road::net::Batch batch;
  channels.fill(batch);
  channels.settle();
  EXPECT_EQ(ended, std::vector<std::uint64_t>{1});
  batch.drop();
}

struct RelayStream : RelayChannels {
  octavo::kit::LinkPair pair;
  std::unique_ptr<road::Link> there = pair.end(1);
  std::atomic<std::size_t> waiting{some.size()};
  std::vector<std::byte> control;
  RecordStream stream{pair.end(0), options, channels, [this](ByteView bytes, const std::vector<octavo::Fd>&) { control.assign(bytes.begin(), bytes.end()); },
                      waiting};
};

TEST_F(RelayStream, SendsTheHelloFirstAndControls) {
  std::vector<road::net::Control> controls(1);
  controls[0].bytes = some;
  stream.add_controls(std::move(controls));
  stream.send();
  EXPECT_EQ(waiting, 0u);
  std::vector<std::byte> came(1000);
  octavo::ByteSpan room = came;
  came.resize(there->receive(std::span(&room, 1)));
  ByteView left = came;
  road::net::RecordDecoder decoder(1000);
  road::net::Record record;
  ASSERT_TRUE(decoder.next(left, record));
  EXPECT_EQ(record.kind, road::net::record_kind::hello);
  ASSERT_TRUE(decoder.next(left, record));
  EXPECT_EQ(record.kind, road::net::record_kind::control);
}

TEST_F(RelayStream, RefusesAControlWhoseDescriptorsDidNotCome) {
  road::net::Batch batch;
  road::net::Hello hello;
  hello.window = 4096;
  batch.add(road::net::record_kind::hello, 0, road::net::bytes_of(hello));
  batch.add(road::net::record_kind::control_with, 0);
  ASSERT_TRUE(batch.send(*there));
  EXPECT_THROW(stream.receive(), octavo::io_error);
}

TEST_F(RelayStream, RefusesWhatIsNoRecord) {
  octavo::kit::send(*there, some);
  EXPECT_THROW(stream.receive(), octavo::io_error);
}

TEST_F(RelayStream, IsLostAfterASilence) {
  const auto now = road::Clock::now();
  stream.begin(now);
  stream.receive();
  EXPECT_EQ(stream.why_lost(now), "");
  EXPECT_EQ(stream.why_lost(now + options.heartbeat), "");
  EXPECT_TRUE(stream.has_work()) << "it asks for a sign of life";
  EXPECT_EQ(stream.why_lost(now + options.silence), "in-process link: nothing came for 10000 ms");
  stream.end();
  EXPECT_FALSE(stream.linked());
  EXPECT_EQ(stream.patience(now), -1);
}

}  // namespace
