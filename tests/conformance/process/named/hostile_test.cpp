// SPDX-License-Identifier: Apache-2.0
// The one door that other programs of this machine find: the lasting agent's socket. Whoever comes there and is none of ours gets an
// end of his connection, and costs the others nothing.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include <cstring>
#include <thread>

#include "conformance/process/named/named_scene.hpp"
#include "octavo/base/fd.hpp"
#include "road/net/record.hpp"

namespace process_tests {
namespace {

namespace net = octavo::road::net;

class HostilePeers : public NamedObjects {
 protected:
  ov::Fd come() const {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, (home / "agent.sock").c_str(), sizeof name.sun_path - 1);
    ov::Fd here(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(here.get(), reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) here.reset();
    return here;
  }
  static void say(const ov::Fd& to, const std::string& words) {
    for (std::size_t n = 0; n < words.size();) {
      ssize_t now = ::send(to.get(), words.data() + n, words.size() - n, MSG_NOSIGNAL);
      if (now <= 0) return;  // it has hung up
      n += static_cast<std::size_t>(now);
    }
  }
  // Waits: a Watchdog bounds it.
  static bool hung_up(const ov::Fd& by) {
    std::array<char, 4096> said{};
    for (ssize_t n = 1; n > 0;) n = ::recv(by.get(), said.data(), said.size(), 0);
    return true;
  }
  static std::string record(net::record_kind kind, const std::string& payload, std::uint32_t bytes) {
    net::RecordHeader header{kind, {}, bytes, 0};
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
  }
  static std::string record(net::record_kind kind, const std::string& payload) { return record(kind, payload, static_cast<std::uint32_t>(payload.size())); }
  static std::string hello(std::uint16_t version = net::link_version) {
    net::Hello words{net::link_magic, version, 0, 64 << 10};
    return record(net::record_kind::hello, {reinterpret_cast<const char*>(&words), sizeof words});
  }
  ov::kit::Watchdog longer{100};
};

TEST_F(HostilePeers, WhatIsNoAgentIsHungUpOnAndCostsTheOthersNothing) {
  auto p = ov::named("books/first").make<Ledger>(3);
  const std::vector<std::pair<const char*, std::string>> speeches{
      {"another protocol", "GET / HTTP/1.1\r\nHost: here\r\n\r\n"},
      {"zeros", std::string(1000, '\0')},
      {"another version of the link", hello(9)},
      {"no hello", record(net::record_kind::ping, "")},
      {"a notice of absurd size", hello() + record(net::record_kind::control, "", 0xffffffff)},
      {"data of absurd size", hello() + record(net::record_kind::data, "", 1 << 30)},
      {"a notice that is none", hello() + record(net::record_kind::control, std::string(100, '\xff'))},
      {"an empty notice", hello() + record(net::record_kind::control, "")},
      {"half a notice, then the end", hello() + record(net::record_kind::control, "half", 1000)},
  };
  for (const auto& [what, words] : speeches) {
    auto stranger = come();
    ASSERT_TRUE(stranger) << what;
    say(stranger, words);
    if (std::string(what).find("the end") != std::string::npos) ::shutdown(stranger.get(), SHUT_WR);
    EXPECT_TRUE(hung_up(stranger)) << what;
    EXPECT_EQ(p->numbers(), Numbers{3}) << what;
  }
  as_another_program();
  EXPECT_EQ(ov::open<Ledger>("books/first")->numbers(), Numbers{3});
}

TEST_F(HostilePeers, ThoseWhoSayNothingKeepNobodyOut) {
  ov::named("books/first").make<Ledger>(3);
  std::vector<ov::Fd> silent;
  for (int i = 0; i < 50; ++i) {
    silent.push_back(come());
    ASSERT_TRUE(silent.back()) << i;
    say(silent.back(), hello().substr(0, static_cast<std::size_t>(i % 20)));
  }
  as_another_program();
  auto p = ov::open<Ledger>("books/first");
  EXPECT_EQ(p->numbers(), Numbers{3});
  silent.clear();
  EXPECT_EQ(p->numbers(), Numbers{3});
}

TEST_F(HostilePeers, AnotherUserDoesNotGetToTheDoor) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can play another user";
  ov::named("books/first").make<Ledger>(3);
  int failure = 0;
  std::thread([&] {
    ASSERT_EQ(::syscall(SYS_setresuid, -1, 65534, -1), 0);  // the system call itself: of this thread only
    if (!come()) failure = errno;
  }).join();
  EXPECT_EQ(failure, EACCES);
}

}  // namespace
}  // namespace process_tests
