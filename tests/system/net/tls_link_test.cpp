// SPDX-License-Identifier: Apache-2.0
// The TLS link between two machines (network namespaces), and what networks do to it. What it promises is in tls_link.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <csignal>

#include "kit/link/link_bytes.hpp"
#include "kit/link/tls_pair.hpp"
#include "kit/two_hosts.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using namespace std::chrono_literals;
using octavo::ByteSpan;
using octavo::ByteView;
using octavo::kit::send;
using octavo::kit::stream;
using testing::HasSubstr;

void send_all(road::Link& link, ByteView bytes) {
  while (!link.lost()) {
    bytes = bytes.subspan(send(link, bytes));
    if (bytes.empty()) return;
    kit::poll_for(link.descriptor(), link.events(true));
  }
}

// Until so many have come or the link is lost.
std::vector<std::byte> receive(road::Link& link, std::size_t most) {
  std::vector<std::byte> came(most);
  std::size_t n = 0;
  while (n < most && !link.lost()) {
    ByteSpan rest = ByteSpan(came).subspan(n);
    std::size_t now = link.receive(std::span(&rest, 1));
    n += now;
    if (now < rest.size() && !link.lost()) kit::poll_for(link.descriptor(), link.events(false));
  }
  came.resize(n);
  return came;
}

class TwoMachines : public testing::Test {
 protected:
  void SetUp() override {
    if (auto why = kit::TwoHosts::missing(); !why.empty()) GTEST_SKIP() << why;
    hosts = std::make_unique<kit::TwoHosts>();
  }
  void listen() {
    listener = hosts->on(0, [&] { return std::make_unique<road::TlsListener>(hosts->address(0), 0, key, road::TlsListenerOptions{.links = options}); });
  }
  // Here the link's end on host 0, there on host 1.
  void join() {
    listen();
    auto client = std::async(std::launch::async, [&] {
      hosts->enter(1);
      return road::connect_tls(hosts->address(0), listener->port(), key, road::Clock::now() + 1min, options);
    });
    here = std::move(kit::take(*listener, 1).front());
    there = client.get();
  }

  kit::Watchdog watchdog{100};
  road::TlsOptions options{.silence = 2s};
  road::ClusterKey key = road::ClusterKey::make();
  std::unique_ptr<kit::TwoHosts> hosts;
  std::unique_ptr<road::TlsListener> listener;
  std::unique_ptr<road::Link> here, there;
};

TEST_F(TwoMachines, BytesAreRightThroughANarrowCable) {
  hosts->run(0, "tc qdisc add dev eth0 root tbf rate 400mbit burst 64kb latency 20ms");
  join();
  auto bytes = stream(8U << 20);
  std::thread sender([&] { send_all(*here, bytes); });
  EXPECT_TRUE(receive(*there, bytes.size()) == bytes);
  sender.join();
}

TEST_F(TwoMachines, ACableThatIsPulledAndPutBackCostsNothing) {
  options.silence = 1min;
  join();
  auto bytes = stream(32U << 20);
  std::size_t taken = send(*here, bytes);
  hosts->run(1, "ip link set eth0 down");
  for (std::size_t n = 1; n != 0; taken += n) n = send(*here, ByteView(bytes).subspan(taken));  // until there is no room
  EXPECT_FALSE(here->lost());
  hosts->run(1, "ip link set eth0 up");
  std::thread sender([&] { send_all(*here, ByteView(bytes).subspan(taken)); });
  EXPECT_TRUE(receive(*there, bytes.size()) == bytes);
  sender.join();
  EXPECT_FALSE(here->lost()) << here->why();
}

TEST_F(TwoMachines, TLS4_ASilentCutIsNoticedWhereBytesWait) {
  join();
  hosts->cut();
  EXPECT_EQ(send(*here, stream(1000)), 1000U);
  EXPECT_EQ(receive(*here, 1).size(), 0U);
  EXPECT_TRUE(here->lost());
  EXPECT_THAT(here->why(), HasSubstr("nothing was confirmed by the other side for 2000 ms"));
}

TEST_F(TwoMachines, TLS4_ASilentCutIsNoticedWhereNothingIsSaid) {
  join();
  hosts->cut();
  EXPECT_EQ(receive(*here, 1).size(), 0U);  // it has sent nothing that is not confirmed; the other side has: the end of the handshake
  EXPECT_TRUE(here->lost());
  EXPECT_THAT(here->why(), HasSubstr("nothing was confirmed by the other side for 2000 ms"));
}

TEST_F(TwoMachines, TLS4_AShortCutIsNotNoticed) {
  options.silence = 1min;
  join();
  auto bytes = stream(20000);
  hosts->cut();
  EXPECT_EQ(send(*here, bytes), bytes.size());
  hosts->join();
  EXPECT_TRUE(receive(*there, bytes.size()) == bytes);
}

TEST_F(TwoMachines, TLS4_WhoReceivesNothingForTooLongWhileBytesWaitIsGivenUp) {
  join();
  auto bytes = stream(1U << 20);
  while (!here->lost()) {  // if this hangs, the kernel has become better: take the exception out of TLS-4
    kit::poll_for(here->descriptor(), here->events(true));
    while (send(*here, bytes) != 0) {}
    std::array<std::byte, 8> room{};
    ByteSpan into = room;
    EXPECT_EQ(here->receive(std::span(&into, 1)), 0U);
  }
  EXPECT_THAT(here->why(), HasSubstr("or it receives nothing"));
}

TEST_F(TwoMachines, APeerThatIsKilledIsLostAfterWhatItHadSent) {
  auto bytes = stream(100000);
  listen();
  int child = watchdog.fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    hosts->enter(1);
    auto link = road::connect_tls(hosts->address(0), listener->port(), key, road::never, options);
    send_all(*link, bytes);
    for (;;) ::pause();
  }
  here = std::move(kit::take(*listener, 1).front());
  EXPECT_TRUE(receive(*here, bytes.size()) == bytes);
  ::kill(child, SIGKILL);
  EXPECT_EQ(receive(*here, 1).size(), 0U);
  EXPECT_TRUE(here->lost());
  EXPECT_THAT(here->why(), HasSubstr("the stream broke"));
  ::waitpid(child, nullptr, 0);
}

TEST_F(TwoMachines, AMachineThatIsNotThereIsNamed) {
  try {
    hosts->on(1, [&] { return road::connect_tls("10.77.0.9", 4711, key, road::Clock::now() + 50ms); });
    FAIL() << "there is no such machine";
  } catch (const octavo::timed_out& error) {
    EXPECT_STREQ(error.what(),
                 "connecting to address '10.77.0.9', port 4711: no answer until the deadline. Check that an agent runs there, and that no "
                 "firewall swallows its port");
  }
}

}  // namespace
