// SPDX-License-Identifier: Apache-2.0
// The mailboxes of a program, without processes: the test plays all requesters.
#include "machine/agent/services/mailboxes.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class MailboxesTest : public fake::PeersTest {
 protected:
  explicit MailboxesTest(std::uint32_t incarnation = 1, bool daemon = false) : PeersTest(incarnation, daemon) {}
  static std::shared_ptr<fake::Requester> process(std::uint64_t object) { return std::make_shared<fake::Requester>(Address{1, 1, object}); }
  static control::MailboxRequest post(Life lost = {}) { return {3, "box", "int", control::mailbox_use::post, lost}; }
  static control::MailboxRequest read() { return {3, "box", "int", control::mailbox_use::read, {}}; }

  static control::MailboxRequest of_home(control::mailbox_use use, Life lost = {}) { return {3, "ov://home/box", "int", use, lost}; }

  Mailboxes mailboxes{nullptr, routes, peers, deaths};
  std::shared_ptr<fake::Requester> reader = process(2), poster = process(3);
};

class LastingMailboxesTest : public MailboxesTest {
 protected:
  LastingMailboxesTest() : MailboxesTest(2, true) {}
  // As after the lasting agent was killed.
  Mailboxes next() { return {&record, routes, peers, deaths}; }

  fake::ReaderRecord record;
  Mailboxes mailboxes{&record, routes, peers, deaths};
  std::shared_ptr<fake::Requester> guest = std::make_shared<fake::Requester>(Address{18, 1, 1}, nullptr, &meet(18, peer_kind::guest));
  std::shared_ptr<fake::Requester> other = std::make_shared<fake::Requester>(Address{19, 1, 1}, nullptr, &meet(19, peer_kind::guest));
};

TEST_F(MailboxesTest, APosterWaitsForTheReader) {
  mailboxes.take(poster, post());
  EXPECT_TRUE(poster->answers.empty());
  mailboxes.take(reader, read());
  EXPECT_NE(reader->last<control::Done>(), nullptr);
  ASSERT_NE(poster->last<control::MailboxAt>(), nullptr);
  EXPECT_EQ(poster->last<control::MailboxAt>()->reader.who, reader->facts().address);
}

TEST_F(MailboxesTest, AReaderThatIsThereIsToldAtOnce) {
  mailboxes.take(reader, read());
  mailboxes.take(poster, post());
  EXPECT_NE(poster->last<control::MailboxAt>(), nullptr);
}

TEST_F(MailboxesTest, ASecondReaderIsRefusedUntilTheFirstIsDead) {
  mailboxes.take(reader, read());
  EXPECT_THROW(mailboxes.take(process(4), read()), refused);
  mailboxes.process_died(reader->facts());
  EXPECT_NO_THROW(mailboxes.take(process(4), read()));
}

TEST_F(MailboxesTest, AReaderThatThePosterLostIsNotGivenAgain) {
  mailboxes.take(reader, read());
  mailboxes.take(poster, post(reader->facts().address));
  EXPECT_TRUE(poster->answers.empty());
}

TEST_F(MailboxesTest, AReaderThatLeavesIsFollowedByTheNext) {
  mailboxes.take(reader, read());
  mailboxes.take(process(4), control::MailboxRequest{3, "box", "int", control::mailbox_use::leave, {}});
  EXPECT_THROW(mailboxes.take(process(4), read()), refused) << "it was not the one who left";
  mailboxes.take(reader, control::MailboxRequest{3, "box", "int", control::mailbox_use::leave, {}});
  EXPECT_NE(reader->last<control::Done>(), nullptr);
  EXPECT_NO_THROW(mailboxes.take(process(4), read()));
}

TEST_F(MailboxesTest, OneNameHasOneType) {
  mailboxes.take(reader, read());
  EXPECT_THROW(mailboxes.take(poster, control::MailboxRequest{3, "box", "double", control::mailbox_use::post, {}}), usage_error);
}

TEST_F(MailboxesTest, TheProgramsAgentKeepsThem) {
  PeerAgent& hub = meet(1, peer_kind::hub);
  mailboxes.take(reader, read());
  EXPECT_EQ(reader->handed_to, std::vector{&hub});
  EXPECT_TRUE(reader->answers.empty());
}

TEST_F(MailboxesTest, ALastingAgentHasNone) {
  fake::ReaderRecord record;
  Mailboxes none(&record, routes, peers, deaths);
  EXPECT_THROW(none.take(reader, read()), not_supported);
}

TEST_F(MailboxesTest, OneOfTheHomeIsAskedForAtTheLastingAgent) {
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  EXPECT_EQ(postponed, 1) << "it is to be reached first";
  PeerAgent& lasting = meet(1, peer_kind::daemon);
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  ASSERT_EQ(lasting.asked.size(), 1u);
  deaths.enter({reader->facts(), 0, 0, false, {}, {}, false});
  EXPECT_EQ(told_of_death, std::vector{lasting.listener()}) << "a dead reader is none";
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  EXPECT_EQ(lasting.asked.size(), 1u) << "nobody asks any more";
}

TEST_F(MailboxesTest, OneOfTheHomeWithABadNameIsRefused) {
  EXPECT_THROW(mailboxes.take(reader, control::MailboxRequest{3, "ov://home//box", "int", control::mailbox_use::read, {}}), usage_error);
}

// --- of a lasting agent ---

TEST_F(LastingMailboxesTest, ItKnowsThoseOfTheHome) {
  mailboxes.take(poster, of_home(control::mailbox_use::post));
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  ASSERT_NE(poster->last<control::MailboxAt>(), nullptr);
  EXPECT_EQ(poster->last<control::MailboxAt>()->reader, Life(guest->facts()));
  EXPECT_TRUE(guest->peer()->theirs.contains(guest->facts().address)) << "it dies with its program";
}

// The poster may have lost its connection: as long as the reader lives no other one is waited for.
TEST_F(LastingMailboxesTest, AReaderThatLivesIsGivenAgain) {
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  mailboxes.take(poster, of_home(control::mailbox_use::post, reader->facts()));
  EXPECT_NE(poster->last<control::MailboxAt>(), nullptr);
}

TEST_F(LastingMailboxesTest, ANameThatNobodyUsesHasNoType) {
  const control::MailboxRequest another{3, "ov://home/box", "double", control::mailbox_use::read, {}};
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  EXPECT_THROW(mailboxes.take(poster, another), usage_error);
  mailboxes.process_died(reader->facts());
  EXPECT_NO_THROW(mailboxes.take(poster, another));
  mailboxes.process_died(poster->facts());
  mailboxes.take(poster, of_home(control::mailbox_use::post));
  EXPECT_THROW(mailboxes.take(reader, another), usage_error) << "a poster waits";
  mailboxes.process_died(poster->facts());
  EXPECT_NO_THROW(mailboxes.take(reader, another));
}

// --- of one that follows a killed one ---

TEST_F(LastingMailboxesTest, TheNextOneKnowsTheReaderBeforeItsProgramHasToldIt) {
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  auto after = next();
  EXPECT_THROW(after.take(other, of_home(control::mailbox_use::read)), refused);
  after.take(other, of_home(control::mailbox_use::post));
  EXPECT_TRUE(other->answers.empty()) << "until the reader can be reached";
  after.take(guest, of_home(control::mailbox_use::read));
  ASSERT_NE(other->last<control::MailboxAt>(), nullptr);
  EXPECT_EQ(other->last<control::MailboxAt>()->reader, Life(guest->facts()));
  after.reads_told(*guest->peer());
  EXPECT_THROW(after.take(other, of_home(control::mailbox_use::read)), refused) << "that was told";
}

TEST_F(LastingMailboxesTest, AReaderThatItsProgramDoesNotTellIsNone) {
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  auto after = next();
  after.reads_told(*other->peer());
  EXPECT_THROW(after.take(other, of_home(control::mailbox_use::read)), refused) << "that was another program";
  after.reads_told(*guest->peer());
  EXPECT_TRUE(record.noted.empty());
  EXPECT_NO_THROW(after.take(other, of_home(control::mailbox_use::read)));
}

TEST_F(LastingMailboxesTest, AReaderWhoseProgramHasEndedMeanwhileIsNone) {
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  auto after = next();
  record.is_alive = [](std::uint64_t program) { return program != 18; };
  EXPECT_NO_THROW(after.take(other, control::MailboxRequest{3, "ov://home/box", "double", control::mailbox_use::read, {}}));
  EXPECT_EQ(record.noted.at("ov://home/box").reader.address, other->facts().address);
}

TEST_F(LastingMailboxesTest, ItNotesNobodyWhoReadsNoMore) {
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  mailboxes.take(guest, of_home(control::mailbox_use::leave));
  EXPECT_TRUE(record.noted.empty());
  mailboxes.take(guest, of_home(control::mailbox_use::read));
  mailboxes.process_died(guest->facts());
  EXPECT_TRUE(record.noted.empty());
}

TEST_F(MailboxesTest, TheNextLastingAgentIsToldAllThatIsRead) {
  PeerAgent& first = meet(1, peer_kind::daemon);
  mailboxes.take(reader, of_home(control::mailbox_use::read));
  links.far.back()->say(talk::Hello{talk::version, 1, 1, "here", 1});
  links.far.back()->say(talk::ForwardedReply{first.asked.begin()->first, control::Done{}});
  peers.lose(first, "killed");
  mailboxes.lasting_agent_lost();
  EXPECT_EQ(postponed, 1) << "it is to be reached";
  PeerAgent& second = meet(2, peer_kind::daemon);
  mailboxes.lasting_agent_met(second);
  ASSERT_EQ(second.asked.size(), 1u);
  EXPECT_EQ(control::get_if<control::MailboxRequest>(&second.asked.begin()->second.request)->use, control::mailbox_use::read);
  EXPECT_NE(links.far.back()->last<talk::ReadsTold>(), nullptr);
}

TEST_F(MailboxesTest, WhatProcessesAreToldIsRefused) { EXPECT_THROW(mailboxes.take(reader, control::MailboxAt{}), usage_error); }

}  // namespace
}  // namespace octavo::agent
