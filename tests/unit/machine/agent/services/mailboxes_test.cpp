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
  static std::shared_ptr<fake::Requester> process(std::uint64_t object) { return std::make_shared<fake::Requester>(Address{1, 1, object}); }
  static control::MailboxRequest post(Address lost = {}) { return {3, "box", "int", control::mailbox_use::post, lost}; }
  static control::MailboxRequest read() { return {3, "box", "int", control::mailbox_use::read, {}}; }

  Mailboxes mailboxes{true, routes};
  std::shared_ptr<fake::Requester> reader = process(2), poster = process(3);
};

TEST_F(MailboxesTest, APosterWaitsForTheReader) {
  mailboxes.take(poster, post());
  EXPECT_TRUE(poster->answers.empty());
  mailboxes.take(reader, read());
  EXPECT_NE(reader->last<control::Done>(), nullptr);
  ASSERT_NE(poster->last<control::MailboxAt>(), nullptr);
  EXPECT_EQ(poster->last<control::MailboxAt>()->owner, reader->facts().address);
}

TEST_F(MailboxesTest, AReaderThatIsThereIsToldAtOnce) {
  mailboxes.take(reader, read());
  mailboxes.take(poster, post());
  EXPECT_NE(poster->last<control::MailboxAt>(), nullptr);
}

TEST_F(MailboxesTest, ASecondReaderIsRefusedUntilTheFirstIsDead) {
  mailboxes.take(reader, read());
  EXPECT_THROW(mailboxes.take(process(4), read()), refused);
  mailboxes.owner_died(reader->facts().address);
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
  Mailboxes none(false, routes);
  EXPECT_THROW(none.take(reader, read()), not_supported);
}

TEST_F(MailboxesTest, WhatProcessesAreToldIsRefused) { EXPECT_THROW(mailboxes.take(reader, control::MailboxAt{}), usage_error); }

}  // namespace
}  // namespace octavo::agent
