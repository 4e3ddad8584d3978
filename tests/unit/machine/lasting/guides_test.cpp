// SPDX-License-Identifier: Apache-2.0
#include "machine/lasting/guides.hpp"

#include <gmock/gmock.h>

#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class GuidesTest : public fake::PeersTest {
 protected:
  GuidesTest() : PeersTest(1, true) {}
  ~GuidesTest() override { asking->failed.clear(); }  // they own the search, and it the requester

  Guides guides{self, peers};
  const control::Connect request{0, {99, 0, 5}};
  const std::shared_ptr<fake::Requester> asking = std::make_shared<fake::Requester>(Address{17, 1, 4});
};

TEST_F(GuidesTest, ThoseThatUseWhatAsksAreAskedFirstUntilOneLeadsThere) {
  PeerAgent& other = meet(20, peer_kind::guest);
  PeerAgent& user = meet(21, peer_kind::guest);
  deaths.connect(user.listener(), asking->facts());
  guides.ask(asking, request);
  EXPECT_EQ(asking->handed_to, std::vector{&user});
  asking->failed[0]({0, error_kind::gone, "there is no agent 99", {}, {}});
  EXPECT_EQ(asking->handed_to, (std::vector{&user, &other}));
  EXPECT_TRUE(asking->answers.empty());
  asking->failed[1]({0, error_kind::refused, "it died too often", {}, {}});
  ASSERT_NE(asking->last<control::Failed>(), nullptr);
  EXPECT_EQ(asking->last<control::Failed>()->message, "it died too often");
}

TEST_F(GuidesTest, WithoutOneThatLeadsThereItIsSaid) {
  meet(20, peer_kind::guest);
  guides.ask(asking, request);
  asking->failed[0]({0, error_kind::gone, "there is no agent 99", {}, {}});
  const auto* no = asking->last<control::Failed>();
  ASSERT_NE(no, nullptr);
  EXPECT_EQ(no->kind, error_kind::gone);
  EXPECT_THAT(no->message, testing::HasSubstr("no way from the lasting agent of here to agent 99"));
  EXPECT_THAT(no->message, testing::HasSubstr("there is no agent 99"));
  EXPECT_THAT(no->cure, testing::HasSubstr("whose engine names"));
}

TEST_F(GuidesTest, OneProgramIsNotAskedForAnotherThatDoesNotHaveIt) {
  PeerAgent& from = meet(20, peer_kind::guest);
  PeerAgent& other = meet(21, peer_kind::guest);
  auto remote = std::make_shared<fake::Requester>(Address{20, 1, 1}, nullptr, &from);
  guides.ask(remote, request);
  EXPECT_TRUE(remote->handed_to.empty());
  EXPECT_NE(remote->last<control::Failed>(), nullptr);
  other.theirs.insert_or_assign(request.to, ProcessFacts{request.to, "Storage", "box", 1, 0});
  guides.ask(remote, request);
  EXPECT_EQ(remote->handed_to, std::vector{&other});
  remote->failed.clear();
}

}  // namespace
}  // namespace octavo::agent
