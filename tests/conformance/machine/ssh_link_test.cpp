// SPDX-License-Identifier: Apache-2.0
// SSH-5 (machine/ssh.hpp): the bytes go by the command that runs the agent. The suites of links and of engines run over it, too; here is what is its own.
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "conformance/machine/one_node.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/link/tls_pair.hpp"
#include "kit/two_hosts.hpp"
#include "octavo/machine/ssh.hpp"

namespace process_tests {

class Crier {
 public:
  void say(const std::string& what) {  // NOLINT: a method
    std::puts(what.c_str());
    std::fflush(stdout);
  }
};
OCTAVO_REMOTE(Crier, say)

namespace {

using namespace std::chrono_literals;

// Of these processes: others of this machine may listen.
int listening_sockets(const std::vector<int>& pids) {
  std::set<std::string> listening;
  for (const char* table : {"/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      const std::vector<std::string> all{std::istream_iterator<std::string>(words), {}};
      if (all.size() > 9 && all[3] == "0A") listening.insert("socket:[" + all[9] + "]");
    }
  }
  int found = 0;
  for (const int pid : pids)
    for (const auto& each : std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fd")) {
      std::error_code closed;
      found += listening.contains(std::filesystem::read_symlink(each.path(), closed).string()) ? 1 : 0;
    }
  return found;
}

class SshLink : public OneNode {
 protected:
  void begin(std::vector<std::string> shell) {
    runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, {.shell = std::move(shell)}), .silence = 60s});
    node = runtime->machine("node");
  }
};

TEST_F(SshLink, SSH5_ASshdCarriesAllAndNobodyListens) {
  if (auto why = ov::kit::Sshd::missing(); !why.empty()) GTEST_SKIP() << why;
  const ov::kit::Sshd sshd;
  const ov::Fd one = ov::kit::tcp_listener();
  EXPECT_EQ(listening_sockets({::getpid()}), 1) << "that is seen";
  begin(sshd.shell());
  auto there = node.make<Counter>(5);
  auto here = ov::process.make<Counter>(1);
  EXPECT_EQ(there->ask(here, 1), 2);
  EXPECT_EQ(here->ask_back(there, here), 2);
  const std::vector<double> data(1 << 20, 0.5);
  EXPECT_EQ(there->sum(data), 0.5 * (1 << 20));
  EXPECT_EQ(there->big(1 << 24).size(), std::size_t{1} << 24);
  EXPECT_EQ(listening_sockets({::getpid(), agent(), there->pid(), here->pid()}), 1);
  runtime.reset();
}

// The machine has no network at all.
TEST_F(SshLink, SSH5_ItNeedsNoNetworkOfItsOwn) {
  if (auto why = ov::kit::TwoHosts::missing(); !why.empty()) GTEST_SKIP() << why;
  const ov::kit::TwoHosts hosts;
  hosts.run(1, "ip link set eth0 down");
  begin({"nsenter", "--net=" + hosts.path(1)});
  auto there = node.make<Counter>(5);
  std::vector<ov::future<int>> sums;
  for (int i = 0; i < 100; ++i) sums.push_back(ov::start(there)->add(1));
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sums[static_cast<std::size_t>(i)].get(), 6 + i);
  runtime.reset();
}

TEST_F(SshLink, SSH5_AC4_WhatObjectsPrintComesOnStandardError) {
  testing::internal::CaptureStderr();
  begin({"env"});
  node.make<Crier>()->say("good morning");
  runtime.reset();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "good morning\n");
}

TEST_F(SshLink, SSH5_ACommandThatIsKilledIsTheEndOfItsMachineAndAnotherCanBegin) {
  begin({"sh", "-c", "exec 3<&0; \"$@\" <&3 & wait", "x"});
  kill_the_command();
}

TEST_F(SshLink, SSH3_NothingIsLeftThereWhenTheProgramIsKilled) {
  kill_the_program([&] { begin({"env"}); });
}

}  // namespace
}  // namespace process_tests
