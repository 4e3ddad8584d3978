// SPDX-License-Identifier: Apache-2.0
// Addresses of links: which schemes there are, and what their parts are (LK-1, LK-3 to LK-5).
#include "road/net/kinds/link_kinds.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "octavo/base/error.hpp"
#include "road/net/tls/host_and_port.hpp"

namespace octavo::road {
namespace {

std::string said_of(const std::string& address) {
  try {
    (void)dial(address, ClusterKey::make(), Clock::now(), {});
  } catch (const usage_error& e) {
    return e.what();
  }
  return "no usage_error";
}

TEST(LinkKinds, LK3_ASchemeThatIsNotKnownIsNamedWithThoseThatAre) {
  EXPECT_THAT(said_of("pigeons://10.0.0.1:1"), testing::AllOf(testing::HasSubstr("no link 'pigeons'"), testing::HasSubstr("'tls'")));
  EXPECT_THAT(said_of("10.0.0.1:1"), testing::HasSubstr("scheme://where"));
  EXPECT_THROW((void)link_kind(""), usage_error);
}

TEST(LinkKinds, EverySchemeIsThereOnce) {
  for (const auto& kind : link_kinds()) EXPECT_EQ(&link_kind(kind.scheme), &kind) << kind.scheme;
}

TEST(LinkKinds, LK1_AListenerSaysWhatDialTakes) {
  const auto listener = listen("tls://127.0.0.1:0", ClusterKey::make(), {});
  const auto [host, port] = host_and_port(listener->address().substr(std::string("tls://").size()));
  EXPECT_EQ(host, "127.0.0.1");
  EXPECT_NE(port, 0) << "the one that the kernel chose";
}

TEST(LinkKinds, LK1_AUnixSocketHasANameOfItsOwnAndNobodyListensThereWhenItIsGone) {
  auto listener = listen("unix://", ClusterKey::make(), {});
  const auto address = listener->address();
  EXPECT_NE(listen("unix://", ClusterKey::make(), {})->address(), address);
  auto dialled = dial(address, ClusterKey::make(), never, {});
  EXPECT_EQ(listener->take().size(), 1U);
  EXPECT_TRUE(listener->take().empty());
  listener.reset();
  EXPECT_THROW((void)dial(address, ClusterKey::make(), never, {}), refused);
  EXPECT_THROW((void)listen("unix://name", ClusterKey::make(), {}), usage_error);
  EXPECT_THROW((void)dial("unix://", ClusterKey::make(), never, {}), usage_error);
}

TEST(LinkKinds, LK2_AUnixSocketOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can play another user";
  auto listener = listen("unix://", ClusterKey::make(), {});
  std::thread([&] {
    ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);  // the system call itself: of this thread only
    EXPECT_THROW((void)dial(listener->address(), ClusterKey::make(), never, {}), refused) << "who calls looks, too";
  }).join();
  EXPECT_TRUE(listener->take().empty());
}

TEST(LinkKinds, LK4_AnEnginesLinkIsASchemeAndWhatItsKindTakes) {
  EXPECT_EQ(chosen_link("tls").place([] { return std::string("10.0.0.1:0"); }), "tls://10.0.0.1:0");
  EXPECT_EQ(chosen_link("ssh").place([]() -> std::string { throw usage_error("it needs none"); }), "ssh://");
  EXPECT_EQ(chosen_link("files").kind->scheme, "files");
  EXPECT_EQ(chosen_link("files:/shared", true).kind->scheme, "files");
  EXPECT_EQ(chosen_link("files", true).kind->scheme, "sftp");
  for (const char* wrong : {"tls:10.0.0.1", "ssh:node", "pigeons", "", ":"}) EXPECT_THROW((void)chosen_link(wrong), usage_error) << wrong;
}

TEST(LinkKinds, LK6_AKindThatLogsInTakesACommand) {
  const auto own = [] { return std::string("10.0.0.1:0"); };
  EXPECT_EQ(chosen_link("sftp").place(own), "sftp://10.0.0.1:0");
  EXPECT_EQ(chosen_link("sftp:ssh -p 2222 {}").place(own), "sftp://10.0.0.1:0 by ssh -p 2222 {}");
  EXPECT_THROW((void)listen("sftp://10.0.0.1:0 by ssh", ClusterKey::make(), {}), usage_error) << "it leads nowhere";
  EXPECT_THROW((void)listen("sftp://10.0.0.1:22", ClusterKey::make(), {}), usage_error) << "the port is ssh's affair";
  EXPECT_THROW((void)dial("sftp://10.0.0.1", ClusterKey::make(), Clock::now(), {}), usage_error);
}

TEST(LinkKinds, LK5_OnlyALinkByACommandTakesItsEnds) {
  for (const char* place : {"tls://127.0.0.1:0"}) EXPECT_THROW(listen(place, ClusterKey::make(), {})->bring(Fd(), Fd()), usage_error) << place;
}

TEST(HostAndPort, GoesThereAndBack) {
  for (const std::string host : {"10.0.0.1", "fd00::3", "::1"}) EXPECT_EQ(host_and_port(host_and_port(host, 4711)), (std::pair{host, std::uint16_t{4711}}));
  EXPECT_EQ(host_and_port("fd00::3", 1), "[fd00::3]:1");
  for (const std::string wrong : {"", ":", "10.0.0.1", "10.0.0.1:", "10.0.0.1:x", "10.0.0.1:65536", "10.0.0.1:1x", "10.0.0.1:-1"})
    EXPECT_THROW((void)host_and_port(wrong), usage_error) << wrong;
}

}  // namespace
}  // namespace octavo::road
