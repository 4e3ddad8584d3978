// SPDX-License-Identifier: Apache-2.0
// The doors of an agent, with parts of the test behind them.
#include "machine/agent/requests/service_table.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

struct LockPart {
  void take(const RequesterPtr&, const control::LockNotice& notice) {
    ++taken;
    if (std::holds_alternative<control::LockAt>(notice)) refuse_told_to_processes();
  }
  void take_last_word(Child&, const control::LockNotice&) { ++last_words; }
  int taken = 0, last_words = 0;
};
struct MailboxPart {
  void take(const RequesterPtr&, const control::MailboxNotice&) { ++taken; }
  int taken = 0;
};

class ServiceTableTest : public testing::Test {
 protected:
  LockPart locks;
  MailboxPart mailboxes;
  fake::Processes processes;
  Child& child = processes.add({1, 1, 2});
  std::shared_ptr<fake::Requester> requester = std::make_shared<fake::Requester>(child.facts.address, &child);
  ServiceTable table{{door<control::LockNotice>(locks), door<control::MailboxNotice>(mailboxes)}};
};

TEST_F(ServiceTableTest, EachNoticeGoesToItsService) {
  table.take(requester, control::OpenLock{});
  table.take(requester, control::MailboxRequest{});
  table.take(requester, control::MailboxRequest{});
  EXPECT_EQ(locks.taken, 1);
  EXPECT_EQ(mailboxes.taken, 2);
  EXPECT_TRUE(requester->answers.empty());
}

TEST_F(ServiceTableTest, WhatAPartThrowsIsTheAnswerToARequest) {
  table.take(requester, control::LockAt{5, 1});
  ASSERT_NE(requester->last<control::Failed>(), nullptr);
  EXPECT_EQ(requester->last<control::Failed>()->kind, error_kind::usage);
}

TEST_F(ServiceTableTest, AServiceWithoutADoorIsRefused) {
  table.take(requester, control::List{5});
  EXPECT_NE(requester->last<control::Failed>(), nullptr);
}

TEST_F(ServiceTableTest, WhereNobodyWaitsForAnAnswerItIsThrownOn) {
  EXPECT_THROW(table.take(requester, control::Bye{}), usage_error);
  EXPECT_TRUE(requester->answers.empty());
}

TEST_F(ServiceTableTest, TwoDoorsOfOneServiceAreRefused) {
  EXPECT_THROW(ServiceTable({door<control::LockNotice>(locks), door<control::LockNotice>(locks)}), usage_error);
}

TEST_F(ServiceTableTest, LastWordsGoOnlyWhereTheyMatter) {
  table.take_last_word(child, control::LockRelease{});
  table.take_last_word(child, control::MailboxRequest{});
  table.take_last_word(child, control::List{});
  EXPECT_EQ(locks.last_words, 1);
  EXPECT_EQ(mailboxes.taken, 0);
}

TEST_F(ServiceTableTest, WhatOnlyOwnProcessesSayIsRefusedToOthers) {
  EXPECT_EQ(&own_process(requester), &child);
  EXPECT_THROW(own_process(std::make_shared<fake::Requester>(Address{2, 1, 2})), usage_error);
}

}  // namespace
}  // namespace octavo::agent
