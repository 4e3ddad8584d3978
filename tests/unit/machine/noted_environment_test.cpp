// SPDX-License-Identifier: Apache-2.0
// What children are given of the program's environment: as the thread that asked for them had it.
#include "machine/forking/noted_environment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>

namespace octavo::forking {
namespace {

using testing::Contains;
using testing::Not;

constexpr const char* name = "OCTAVO_TEST_NOTED";

class Noted : public testing::Test {
 protected:
  ~Noted() override { ::unsetenv(name); }
  NotedEnvironment environment;
};

TEST_F(Noted, WhatWasNeverNotedIsAsItIs) {
  ::setenv(name, "1", 1);
  EXPECT_THAT(environment.now(), Contains("OCTAVO_TEST_NOTED=1"));
  ::unsetenv(name);
  EXPECT_THAT(environment.now(), Not(Contains("OCTAVO_TEST_NOTED=1")));
}

TEST_F(Noted, WhatIsChangedAfterwardsIsSeenWhenItIsNotedAgain) {
  ::setenv(name, "1", 1);
  environment.note();
  ::setenv(name, "2", 1);
  EXPECT_THAT(environment.now(), Contains("OCTAVO_TEST_NOTED=1"));
  environment.note();
  EXPECT_THAT(environment.now(), Contains("OCTAVO_TEST_NOTED=2"));
}

// As the thread of an agent reads while the program changes and notes it: one of the sets that were noted, whole.
TEST_F(Noted, AnotherThreadReadsItWhileItIsChanged) {
  constexpr int rounds = 2000;
  ::setenv(name, "0", 1);
  environment.note();
  std::atomic<bool> over{false};
  std::thread agent([&] {
    while (!over.load()) {
      int found = 0;
      for (const auto& each : environment.now()) found += each.starts_with("OCTAVO_TEST_NOTED=") ? 1 : 0;
      EXPECT_EQ(found, 1);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ::setenv(name, std::string(static_cast<std::size_t>(i % 50), 'x').c_str(), 1);
    ::setenv(("OCTAVO_TEST_MORE_" + std::to_string(i % 300)).c_str(), "more", 1);
    environment.note();
  }
  over.store(true);
  agent.join();
  for (int i = 0; i < 300; ++i) ::unsetenv(("OCTAVO_TEST_MORE_" + std::to_string(i)).c_str());
}

}  // namespace
}  // namespace octavo::forking
