// SPDX-License-Identifier: Apache-2.0
// Objects with names, with a registry of the test and without processes: the test says Ready, and when one dies.
#include "machine/lasting/named_objects.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo::agent {
namespace {

class NamedObjectsTest : public testing::Test {
 protected:
  using Asking = std::shared_ptr<fake::Requester>;
  static control::Spawn wanted(restart_policy restarting = restart_policy::when_called) {
    control::Spawn request;
    request.where.name = "a/b";
    request.where.keeping.restarting = restarting;
    request.command = {"/bin/program"};
    request.class_name = "Counter";
    request.how.restore = 5;
    return request;
  }
  std::uint64_t make(restart_policy restarting = restart_policy::when_called) {
    Child& child = objects.make(wanted(restarting));
    objects.ready(child, {1});
    return child.facts.address.object;
  }
  void die(std::uint64_t object, bool resting = false, bool destroyed = false) {
    auto node = processes.all().extract(object);
    Obituary obituary{node.mapped().facts, 1, 9, destroyed, {}, {}, resting};
    objects.settle(node.mapped(), obituary);
    objects.fulfil_later(node.mapped());
  }
  Asking connect(std::uint64_t object) {
    auto requester = std::make_shared<fake::Requester>();
    objects.connect(requester, {0, {17, 0, object}});
    return requester;
  }

  const Identity self{17, 1, "here", true, 0};
  registry_test::Folder folder;
  Registry registry{folder.path()};
  fake::Processes processes;
  std::vector<std::string> started, again;
  bool cannot_start = false;
  NamedObjects objects{self, registry, processes,
                       [this](const std::vector<std::string>& command, const std::string&, const std::string&, const std::vector<std::string>&) {
                         if (cannot_start) throw io_error("of this test");
                         started.push_back(command.front());
                         return spawn::Started{};
                       },
                       [this](const RequesterPtr&, const control::Notice&) { again.emplace_back("again"); }};
};

TEST_F(NamedObjectsTest, ANameIsTakenOnce) {
  make();
  EXPECT_THROW(objects.make(wanted()), refused);
  EXPECT_EQ(objects.names({0, "", ""}).names.size(), 1U);
}

TEST_F(NamedObjectsTest, WhatCannotBeStartedHasNoName) {
  cannot_start = true;
  EXPECT_THROW(objects.make(wanted()), io_error);
  EXPECT_TRUE(registry.list().empty());
}

TEST_F(NamedObjectsTest, ACallerWaitsUntilItIsReady) {
  Child& child = objects.make(wanted());
  auto requester = std::make_shared<fake::Requester>();
  objects.open(requester, {0, "", "a/b", {}, {}, {}});
  EXPECT_TRUE(requester->introduced_to.empty());
  objects.ready(child, {1});
  EXPECT_EQ(requester->introduced_to.size(), 1U);
  EXPECT_EQ(connect(child.facts.address.object)->introduced_to.size(), 1U);
}

TEST_F(NamedObjectsTest, WhatCouldNotBeMadeTellsWhyAndHasNoName) {
  Child& child = objects.make(wanted());
  const auto requester = connect(child.facts.address.object);
  objects.construct_failed(child, {error_kind::usage, "no", "do"});
  ASSERT_NE(requester->last<control::Failed>(), nullptr);
  EXPECT_TRUE(registry.list().empty());
}

// While it is about to end, a request is no question how that ended: the next life tries again, and says why it cannot.
TEST_F(NamedObjectsTest, WhatCouldNotBeRestoredTellsEachWhoAsksWhy) {
  const auto object = make();
  die(object);
  const auto first = connect(object);
  objects.construct_failed(*processes.find(object), {error_kind::io, "it cannot be read", ""});
  ASSERT_NE(first->last<control::Failed>(), nullptr);
  const auto second = connect(object);
  EXPECT_EQ(second->last<control::Failed>(), nullptr);
  EXPECT_TRUE(again.empty());
  die(object, true);
  EXPECT_EQ(second->last<control::Failed>(), nullptr) << "of its rest";
  EXPECT_EQ(again.size(), 1U);
}

TEST_F(NamedObjectsTest, ACallStartsItsNextLife) {
  const auto object = make();
  die(object);
  EXPECT_EQ(started.size(), 1U);
  const auto requester = connect(object);
  EXPECT_EQ(started.size(), 2U);
  objects.ready(*processes.find(object), {2});
  EXPECT_EQ(requester->introduced_to.size(), 1U);
}

TEST_F(NamedObjectsTest, OneThatComesBackAlwaysIsStartedAtOnceAndOnlySoOften) {
  const auto object = make(restart_policy::always);
  for (int life = 0; life < 3; ++life) die(object);
  EXPECT_EQ(started.size(), 4U);
  die(object);
  EXPECT_EQ(started.size(), 4U);
  const auto requester = connect(object);
  ASSERT_NE(requester->last<control::Failed>(), nullptr);
  EXPECT_EQ(requester->last<control::Failed>()->kind, error_kind::refused);
}

TEST_F(NamedObjectsTest, OneThatIsNeverBroughtBackIsOpenedAgain) {
  const auto object = make(restart_policy::never);
  die(object);
  EXPECT_NE(connect(object)->last<control::Failed>(), nullptr);
  objects.open(std::make_shared<fake::Requester>(), {0, "", "a/b", {"/bin/other"}, "/bin/octavo-server", {{5, 1, 1, false}}});
  EXPECT_EQ(started.back(), "/bin/other") << "the program that opens it knows its class";
  die(object);
  objects.open(std::make_shared<fake::Requester>(), {0, "", "a/b", {"/bin/other"}, "/bin/octavo-server", {{5, 1, 1, true}}});
  EXPECT_EQ(started.back(), "/bin/octavo-server") << "it is a class of the library";
}

TEST_F(NamedObjectsTest, RestIsNoAccidentAndADestroyedObjectHasNoName) {
  const auto object = make(restart_policy::always);
  die(object, true);
  EXPECT_EQ(started.size(), 1U);
  static_cast<void>(connect(object));
  die(object, false, true);
  EXPECT_TRUE(registry.list().empty());
  EXPECT_THROW(static_cast<void>(connect(object)), gone_error);
}

TEST_F(NamedObjectsTest, RequestsForOneThatIsToRestWaitForItsNextLife) {
  const auto object = make();
  objects.passivate(*processes.find(object));
  EXPECT_NE(processes.last<control::Passivate>(object), nullptr);
  static_cast<void>(connect(object));
  die(object, true);
  EXPECT_EQ(again.size(), 1U);
}

TEST_F(NamedObjectsTest, WhileTheAgentEndsNothingIsStarted) {
  const auto object = make(restart_policy::always);
  objects.end();
  die(object);
  EXPECT_EQ(started.size(), 1U);
  EXPECT_TRUE(connect(object)->answers.empty()) << "the end of the link tells its agent";
  EXPECT_THROW(objects.make(wanted()), refused);
}

}  // namespace
}  // namespace octavo::agent
