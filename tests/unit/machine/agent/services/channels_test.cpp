// SPDX-License-Identifier: Apache-2.0
// Where the ends of channels are, as a program's agent knows it: the test plays all requesters, whose notices come in any order (CH-6, CH-7).
#include "machine/agent/services/channels.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <vector>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

using control::channel_end, control::channel_use, control::end_fate;

class ChannelsTest : public fake::PeersTest {
 protected:
  static std::shared_ptr<fake::Requester> process(std::uint64_t object) { return std::make_shared<fake::Requester>(Address{1, 1, object}); }
  static control::ChannelRequest say(channel_end end, channel_use use, std::uint64_t hop = 0, const Life& to = {}) { return {3, 77, end, use, hop, to, {}}; }
  static const control::ChannelAt* found(const std::shared_ptr<fake::Requester>& by) { return by->last<control::ChannelAt>(); }

  Channels channels{routes, deaths, false};
  std::shared_ptr<fake::Requester> maker = process(1), worker = process(2), other = process(3);
};

TEST_F(ChannelsTest, AnEndIsFoundWhenItHasArrived) {
  channels.take(maker, say(channel_end::writer, channel_use::hold));
  channels.take(maker, say(channel_end::reader, channel_use::give));
  channels.take(maker, say(channel_end::reader, channel_use::find, 1));
  EXPECT_EQ(found(maker), nullptr);
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  ASSERT_NE(found(maker), nullptr);
  EXPECT_EQ(found(maker)->who.who, worker->facts().address);
  EXPECT_EQ(found(maker)->fate, end_fate::held);
  channels.take(worker, say(channel_end::writer, channel_use::find));
  ASSERT_NE(found(worker), nullptr);
  EXPECT_EQ(found(worker)->who.who, maker->facts().address);
}

// CH-7: what the writer has left behind is told with where it is; also of one that it has left since, and of a writer that is gone.
TEST_F(ChannelsTest, WhereTheWriterWasIsTold) {
  channels.take(maker, say(channel_end::writer, channel_use::give));
  auto arrived = say(channel_end::writer, channel_use::hold, 1);
  arrived.behind = {{maker->facts(), 1, 5}};
  channels.take(worker, arrived);
  for (const bool is_gone : {false, true}) {
    if (is_gone) channels.take(worker, say(channel_end::writer, channel_use::drop, 1));
    channels.take(other, say(channel_end::writer, channel_use::find));
    ASSERT_NE(found(other), nullptr);
    ASSERT_EQ(found(other)->behind.size(), 1U);
    EXPECT_EQ(found(other)->behind[0].who.who, maker->facts().address);
    EXPECT_EQ(found(other)->behind[0].last, 5U);
  }
}

// What each process says goes by a way of its own: the agent hears that an end has left behind what the next process says of it. But `hold` is answered before
// the end goes on, and `lost` said behind the answer to the call that took it along.
TEST_F(ChannelsTest, ThatAnEndHasLeftMayBeHeardLate) {
  constexpr std::uint64_t places = 4;
  const auto seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    Channels fresh(routes, deaths, false);
    std::vector<std::deque<control::ChannelRequest>> left(places);
    for (std::uint64_t i = 0; i < places; ++i) {
      if (i != 0) left[i].push_back(say(channel_end::reader, channel_use::hold, i));
      if (i + 1 == places) continue;
      left[i].push_back(say(channel_end::reader, channel_use::give, i));
      left[i].push_back(say(channel_end::reader, channel_use::lost, i));
    }
    for (std::uint64_t arrived = 0, to_come = 3 * places - 3; to_come != 0;) {
      const std::uint64_t next = random() % places;
      if (left[next].empty()) continue;
      const auto request = left[next].front();
      if (request.use == channel_use::hold && request.hop != arrived + 1) continue;
      if (request.use == channel_use::lost && arrived <= request.hop) continue;
      if (request.use == channel_use::hold) arrived = request.hop;
      left[next].pop_front();
      --to_come;
      fresh.take(process(next + 1), request);
    }
    const auto asking = process(9);
    fresh.take(asking, say(channel_end::reader, channel_use::find, places - 1));
    ASSERT_NE(found(asking), nullptr);
    EXPECT_EQ(found(asking)->who.who.object, places);
    EXPECT_EQ(found(asking)->fate, end_fate::held);
  }
}

TEST_F(ChannelsTest, ThoseWhoLookForALaterPlaceAreNotToldAnEarlierOne) {
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  channels.take(maker, say(channel_end::reader, channel_use::find, 2));
  EXPECT_EQ(found(maker), nullptr);
  channels.take(other, say(channel_end::reader, channel_use::hold, 2));
  ASSERT_NE(found(maker), nullptr);
  EXPECT_EQ(found(maker)->who.who, other->facts().address);
}

TEST_F(ChannelsTest, AnEndThatIsLostOnItsWay) {
  channels.take(maker, say(channel_end::writer, channel_use::hold));
  channels.take(maker, say(channel_end::reader, channel_use::give));
  channels.take(maker, say(channel_end::reader, channel_use::find, 1));
  channels.take(maker, say(channel_end::reader, channel_use::lost));
  ASSERT_NE(found(maker), nullptr);
  EXPECT_EQ(found(maker)->fate, end_fate::lost);
}

// CH-6: in a result or a message it is in nobody's custody but the agent's.
TEST_F(ChannelsTest, AnEndWhoseReceiverDiesBeforeItArrivesIsLost) {
  for (const bool dies_before : {false, true}) {
    Channels fresh(routes, deaths, false);
    fresh.take(maker, say(channel_end::writer, channel_use::hold));
    fresh.take(maker, say(channel_end::reader, channel_use::give));
    fresh.take(maker, say(channel_end::reader, channel_use::find, 1));
    const auto die = [&] {
      Obituary dead;
      dead.facts = worker->facts();
      deaths.enter(dead);
      fresh.process_died(worker->facts());
    };
    if (dies_before) die();
    fresh.take(maker, say(channel_end::reader, channel_use::aim, 0, worker->facts()));
    if (!dies_before) {
      EXPECT_EQ(found(maker), nullptr);
      die();
    }
    ASSERT_NE(found(maker), nullptr);
    EXPECT_EQ(found(maker)->fate, end_fate::lost);
    maker->answers.clear();
  }
}

TEST_F(ChannelsTest, AnEndWhoseGiverDiesIsLostUntilItIsSaidWhereItGoes) {
  for (const bool is_said : {false, true}) {
    Channels fresh(routes, deaths, false);
    fresh.take(other, say(channel_end::writer, channel_use::hold));
    fresh.take(maker, say(channel_end::reader, channel_use::give));
    if (is_said) fresh.take(maker, say(channel_end::reader, channel_use::aim, 0, worker->facts()));
    fresh.take(other, say(channel_end::reader, channel_use::find, 1));
    fresh.process_died(maker->facts());
    EXPECT_EQ(found(other) == nullptr, is_said);
    if (is_said) fresh.take(worker, say(channel_end::reader, channel_use::hold, 1));
    ASSERT_NE(found(other), nullptr);
    EXPECT_EQ(found(other)->fate, is_said ? end_fate::held : end_fate::lost);
    other->answers.clear();
  }
}

TEST_F(ChannelsTest, AnEndThatDiesOrIsDropped) {
  channels.take(maker, say(channel_end::writer, channel_use::hold));
  channels.take(maker, say(channel_end::reader, channel_use::give));
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  channels.process_died(worker->facts());
  channels.take(maker, say(channel_end::reader, channel_use::find, 1));
  ASSERT_NE(found(maker), nullptr);
  EXPECT_EQ(found(maker)->fate, end_fate::died);
  channels.take(maker, say(channel_end::writer, channel_use::drop));
  EXPECT_EQ(channels.known(), 0U);

  channels.take(maker, say(channel_end::reader, channel_use::hold));
  channels.take(other, say(channel_end::writer, channel_use::hold, 1));
  channels.take(other, say(channel_end::writer, channel_use::drop, 1));
  channels.take(maker, say(channel_end::writer, channel_use::find, 1));
  EXPECT_EQ(found(maker)->fate, end_fate::dropped);
}

TEST_F(ChannelsTest, CH7_NothingIsLeftOfThem) {
  channels.take(maker, say(channel_end::writer, channel_use::hold));
  channels.take(maker, say(channel_end::reader, channel_use::give));
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  EXPECT_EQ(channels.known(), 1U);
  channels.take(maker, say(channel_end::writer, channel_use::drop));
  EXPECT_EQ(channels.known(), 1U);
  channels.take(worker, say(channel_end::reader, channel_use::drop, 1));
  EXPECT_EQ(channels.known(), 0U);
  for (const auto end : {channel_end::writer, channel_end::reader}) channels.take(maker, say(end, channel_use::give));
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  channels.take(other, say(channel_end::writer, channel_use::hold, 1));
  channels.process_died(worker->facts());
  channels.process_died(other->facts());
  EXPECT_EQ(channels.known(), 0U);
}

TEST_F(ChannelsTest, ALastingAgentHasNone) {
  Channels none(routes, deaths, true);
  EXPECT_THROW(none.take(worker, say(channel_end::reader, channel_use::hold, 1)), not_supported);
}

TEST_F(ChannelsTest, TheProgramsAgentKeepsThem) {
  PeerAgent& hub = meet(1, peer_kind::hub);
  channels.take(worker, say(channel_end::reader, channel_use::hold, 1));
  EXPECT_EQ(worker->handed_to, std::vector{&hub});
}

}  // namespace
}  // namespace octavo::agent
