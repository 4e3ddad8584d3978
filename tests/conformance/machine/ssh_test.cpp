// SPDX-License-Identifier: Apache-2.0
// Machines joined by a cable (network namespaces), whose agents are started by a command and call back (machine/ssh.hpp), and what
// becomes of calls when the cable, an agent or the program fails.
#include "octavo/machine/ssh.hpp"

#include <fcntl.h>
#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <set>
#include <sstream>

#include "conformance/machine/one_node.hpp"
#include "kit/two_hosts.hpp"

namespace process_tests {
namespace {

using namespace std::chrono_literals;

// Of established TCP connections at this thread's host.
int connections() {
  std::ifstream table("/proc/thread-self/net/tcp");
  int found = 0;
  std::string line, number, local, remote, state;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    found += words >> number >> local >> remote >> state && state == "01" ? 1 : 0;
  }
  return found;
}

// Of this thread's host's sockets that listen or are connected, as the kernel writes them.
std::set<std::string> own_addresses() {
  std::ifstream table("/proc/thread-self/net/tcp");
  std::set<std::string> found;
  std::string line, number, local, remote, state;
  std::getline(table, line);
  while (std::getline(table, line)) {
    std::istringstream words(line);
    if (words >> number >> local >> remote >> state && (state == "01" || state == "0A")) found.insert(local.substr(0, 8));
  }
  return found;
}

std::uint64_t received_bytes() {
  std::ifstream devices("/proc/thread-self/net/dev");
  for (std::string word; devices >> word;)
    if (word == "eth0:") {
      std::uint64_t bytes = 0;
      devices >> bytes;
      return bytes;
    }
  return 0;
}

// The test's own thread, and so the program's agent, is on host 0; the machine "node" is host 1.
class Joined : public OneNode {
 public:
  ~Joined() override {
    runtime.reset();
    if (outside && ::setns(outside.get(), CLONE_NEWNET) != 0) ADD_FAILURE() << "the test stays on host 0";
  }

 protected:
  void SetUp() override {
    if (auto why = ov::kit::TwoHosts::missing(); !why.empty()) GTEST_SKIP() << why;
    hosts = std::make_unique<ov::kit::TwoHosts>();
    outside.reset(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
    hosts->enter(0);
  }
  ov::RuntimeOptions options(std::chrono::milliseconds silence) {
    ov::SshOptions how;
    how.address = hosts->address(0);
    how.shell = {"nsenter", "--net=" + hosts->path(1)};
    return {.engine = ov::ssh({"node"}, how), .silence = silence};
  }
  void begin(std::chrono::milliseconds silence = 10s) {
    runtime.emplace(options(silence));
    node = runtime->machine("node");
  }

  ov::Fd outside;
  std::unique_ptr<ov::kit::TwoHosts> hosts;
};

// SSH-1: the command has nothing but its standard input to find the program by.
TEST_F(Joined, ObjectsThereAreUsedLikeOnesHereAndTheirBytesGoByTheCable) {
  begin();
  auto there = node.make<Counter>(5);
  auto here = ov::process.make<Counter>(1);
  EXPECT_EQ(there->add(1), 6);
  EXPECT_EQ(there->ask(here, 1), 2);
  EXPECT_EQ(here->ask_back(there, here), 2) << "a callback from another machine (C-3)";
  EXPECT_THROW(node.make<Counter>(-1), too_much);
  std::vector<double> data(1 << 20, 0.5);
  auto before = received_bytes();
  EXPECT_EQ(there->sum(data), 0.5 * (1 << 20));
  EXPECT_EQ(there->big(1 << 24).size(), std::size_t{1} << 24);
  EXPECT_GT(received_bytes() - before, 1U << 24);
}

TEST_F(Joined, SSH4_EachMachineGoesByItsNetwork) {
  hosts->run(0, "ip link add ib0 type veth peer name unused");
  hosts->run(0, "ip addr add 10.78.0.1/24 dev ib0");
  hosts->run(0, "ip link set ib0 up");
  hosts->run(1, "ip route add 10.78.0.0/24 via " + hosts->address(0));
  ov::SshOptions how{.address = "ib0", .shell = {"nsenter", "--net=" + hosts->path(1)}};
  how.addresses["other"] = "eth0";
  runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node", "other"}, how)});
  const std::string ib0 = "01004E0A", eth0 = "01004D0A";
  EXPECT_EQ(runtime->machine("node").make<Counter>(5)->add(1), 6);
  EXPECT_EQ(own_addresses(), std::set{ib0}) << "none listens where no machine calls";
  auto there = runtime->machine("other").make<Counter>(1);
  EXPECT_EQ(there->ask(runtime->machine("node").make<Counter>(2), 1), 3) << "from one network to the other";
  EXPECT_EQ(own_addresses(), (std::set{ib0, eth0}));
}

TEST_F(Joined, ThroughANarrowCable) {
  begin();
  hosts->run(0, "tc qdisc add dev eth0 root tbf rate 400mbit burst 64kb latency 20ms");
  auto there = node.make<Counter>();
  std::vector<double> data(1 << 18, 0.25);
  std::vector<ov::future<double>> sums;
  for (int i = 0; i < 8; ++i) sums.push_back(ov::start(there)->sum(data));
  for (auto& each : sums) EXPECT_EQ(each.get(), 0.25 * (1 << 18));
}

TEST_F(Joined, SSH2_AConnectionThatBreaksIsMadeAgainAndNoCallIsLostOrDoneTwice) {
  begin(30s);  // a carrier is given up after 10
  auto there = node.make<Counter>();
  EXPECT_EQ(there->add(1), 1);
  constexpr int each_time = 500;
  for (int round = 1; round <= 2; ++round) {
    std::vector<ov::future<int>> sums;
    for (int i = 0; i < each_time / 2; ++i) sums.push_back(ov::start(there)->add(1));
    hosts->cut();
    for (int i = 0; i < each_time / 2; ++i) sums.push_back(ov::start(there)->add(1));
    hosts->run(0, "ss -K state established || true");  // where the kernel can, both ends are reset at once
    until([] { return connections() == 0; });
    hosts->join();
    int expected = 1 + (round - 1) * each_time;
    for (auto& each : sums) ASSERT_EQ(each.get(), ++expected);
  }
  EXPECT_EQ(there->value(), 1 + 2 * each_time);
}

TEST_F(Joined, SSH2_ACutThatOnlyTheKernelNoticesIsMendedToo) {
  begin(24s);  // a carrier is given up after 8
  auto there = node.make<Counter>();
  hosts->cut();
  std::vector<ov::future<int>> sums;
  for (int i = 0; i < 100; ++i) sums.push_back(ov::start(there)->add(1));
  until([] { return connections() == 0; });
  hosts->join();
  for (int i = 0; i < 100; ++i) ASSERT_EQ(sums[static_cast<std::size_t>(i)].get(), i + 1);
}

TEST_F(Joined, ACableThatIsPulledAndPutBackCostsNothing) {
  begin();
  auto there = node.make<Counter>();
  auto slow = ov::start(there)->add(1);
  hosts->run(0, "ip link set eth0 down");
  auto next = ov::start(there)->add(1);
  hosts->run(0, "ip link set eth0 up");
  EXPECT_EQ(slow.get(), 1);
  EXPECT_EQ(next.get(), 2);
}

TEST_F(Joined, SSH2_ASilentCutIsALossAfterTheGivenTime) {
  begin(8s);
  auto there = node.make<Counter>();
  int object = there->pid(), its_agent = agent();
  auto waiting = ov::start(there)->sleep_until_killed();
  hosts->cut();
  try {
    waiting.get();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, there.address());
    EXPECT_THAT(e.what(), HasSubstr("its machine is lost"));
    // Both sides count the same silence: where that machine's agent is first, its command has ended.
    EXPECT_THAT(e.what(), testing::AnyOf(HasSubstr("nothing came for 8000 ms"), HasSubstr("that ran its agent ended with status 0")));
  }
  EXPECT_THROW(there->value(), ov::process_died);
  until([&] { return !alive(object) && !alive(its_agent); });  // it has noticed too, and ended
}

TEST_F(Joined, SSH2_AnAgentThatWasGivenUpIsRefusedWhenItComesBack) {
  begin(8s);
  auto there = node.make<Counter>();
  int object = there->pid(), its_agent = agent();
  ov::kit::stop(its_agent);
  EXPECT_THROW(there->value(), ov::process_died);
  auto next = node.make<Counter>(7);  // an agent of a new life: its objects are not those of the old one
  EXPECT_EQ(next->value(), 7);
  EXPECT_NE(agent(), its_agent);
  EXPECT_THROW(there->value(), ov::process_died);
  ::kill(its_agent, SIGCONT);
  until([&] { return !alive(object) && !alive(its_agent); });
  EXPECT_THROW(there->value(), ov::process_died);
  EXPECT_EQ(next->value(), 7);
}

TEST_F(Joined, E5_AnAgentThatIsKilledIsLostAtOnceAndAnotherCanBegin) {
  begin(60s);  // so it is not silence that tells
  auto there = node.make<Counter>();
  auto waiting = ov::start(there)->sleep_until_killed();
  ::kill(agent(), SIGKILL);
  EXPECT_THROW(waiting.get(), ov::process_died);
  EXPECT_EQ(node.make<Counter>(3)->value(), 3);
}

TEST_F(Joined, SSH3_NothingIsLeftThereWhenTheProgramIsKilled) {
  kill_the_program([&] { begin(60s); });
}

TEST_F(Joined, ACommandThatFailsIsNamed) {
  ov::SshOptions how;
  how.address = hosts->address(0);
  how.shell = {"false"};
  runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, how)});
  try {
    runtime->machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_EQ(e.kind(), ov::error_kind::gone);
    EXPECT_THAT(e.what(), HasSubstr("the command 'false' that ran its agent ended with status 1"));
  }
}

TEST_F(Joined, AnAgentThatDoesNotCallInTimeIsLost) {
  ov::SshOptions how;
  how.address = hosts->address(0);
  how.shell = {"sh", "-c", "cat > /dev/null", "{}"};
  how.patience = 100ms;
  runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, how)});
  try {
    runtime->machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the command 'sh' ran no agent within 100 ms"));
    EXPECT_THAT(e.what(), HasSubstr("raise `patience`"));
  }
}

// SSH-1: on the other host nobody has the address that it is given.
TEST_F(Joined, SSH6_AC2_AnAgentThatCannotCallIsLostSoonWithWhatItSays) {
  ov::SshOptions how;
  how.address = "127.0.0.1";
  how.shell = {"nsenter", "--net=" + hosts->path(1)};
  how.patience = 1h;  // a login's; soon is before the watchdog
  runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, how)});
  try {
    runtime->machine("node").make<Counter>();
    FAIL();
  } catch (const ov::error& e) {
    EXPECT_THAT(e.what(), HasSubstr("the agent of node does not reach its program at tls://127.0.0.1:"));
    EXPECT_THAT(e.what(), HasSubstr("firewall"));
    EXPECT_THAT(e.what(), HasSubstr("link=\"ssh\""));
  }
}

TEST_F(Joined, SSH2_ACommandThatEndsEndsItsMachineHoweverWellTheConnectionIs) {
  ov::SshOptions how;
  how.address = hosts->address(0);
  how.shell = {"sh", "-c", "exec 3<&0; setsid nsenter --net=" + hosts->path(1) + " \"$@\" <&3 & exec sleep 1000", "x"};
  runtime.emplace(ov::RuntimeOptions{.engine = ov::ssh({"node"}, how), .silence = 60s});
  node = runtime->machine("node");
  kill_the_command();
}

TEST(Ssh, WhatCannotWorkIsSaid) {
  ov::SshOptions here{.link = "tls"};
  EXPECT_THROW(ov::ssh({"node"}, here), ov::usage_error) << "no address";
  EXPECT_THROW(ov::ssh({"node"}, {.address = "127.0.0.1", .link = "ssh"}), ov::usage_error) << "which that link does not use";
  EXPECT_THROW(ov::ssh({"node"}, {.port = 4711}), ov::usage_error);
  EXPECT_THROW(ov::ssh({"node"}, {.link = "pigeons"}), ov::usage_error);
  EXPECT_THROW(ov::ssh({"node"}, {.link = "ssh:node"}), ov::usage_error);
  EXPECT_EQ(ov::ssh({"a"})->machines(), (std::vector<std::string>{"a"}));
  here.address = "127.0.0.1";
  EXPECT_THROW(ov::ssh({"node; rm -rf /"}, here), ov::usage_error);
  EXPECT_THROW(ov::ssh({"-oProxyCommand=x"}, here), ov::usage_error);
  EXPECT_EQ(ov::ssh({"a", "b"}, here)->machines(), (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace process_tests
