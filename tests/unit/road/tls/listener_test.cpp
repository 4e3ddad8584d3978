// SPDX-License-Identifier: Apache-2.0
// Peers that are wrong, slow, many or hostile: each is dropped, and a good one beside it gets its link meanwhile (TLS-2).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <random>

#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"
#include "openssl_peer.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
using namespace std::chrono_literals;
using octavo::Fd;
using testing::HasSubstr;
using testing::Not;

void put(const Fd& socket, const std::string& bytes) { ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT); }

// Whether the other side has ended it; reads what it said before.
bool dropped(const Fd& socket) {
  std::array<char, 4096> room{};
  for (;;) {
    ssize_t n = ::recv(socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (n <= 0) return n == 0 || errno != EAGAIN;
  }
}

// The first message of a handshake with the right key.
std::string hello(const road::ClusterKey& key) {
  auto [client, here] = kit::tcp_pair();
  auto descriptor = client.get();
  kit::OpensslPeer peer(std::move(client), TLS1_3_VERSION, &key);
  auto shaken = std::async(std::launch::async, [&] { return peer.shake_hands(); });
  kit::poll_for(here.get(), POLLIN);
  std::string text(4096, '\0');
  text.resize(static_cast<std::size_t>(::recv(here.get(), text.data(), text.size(), 0)));
  ::shutdown(descriptor, SHUT_RDWR);
  EXPECT_FALSE(shaken.get());
  return text;
}

class Hostile : public testing::Test {
 protected:
  void listen(const road::TlsListenerOptions& options) { listener = std::make_unique<road::TlsListener>("127.0.0.1", 0, key, options); }
  void SetUp() override { listen({}); }

  template <class Condition>
  void serve_until(Condition condition) {
    while (!condition()) {
      kit::poll_for(listener->descriptor(), POLLIN);
      for (auto& link : listener->take()) links.push_back(std::move(link));
    }
  }
  // A good peer gets its link, and it works.
  void expect_good() {
    auto client = kit::connecting("127.0.0.1", listener->port(), key);
    std::size_t before = links.size();
    serve_until([&] { return links.size() > before; });
    auto theirs = client.get();
    std::array<std::byte, 1> sent{std::byte{42}}, came{};
    octavo::ByteView out = sent;
    octavo::ByteSpan in = came;
    ASSERT_EQ(theirs->send(std::span(&out, 1)), 1U);
    kit::poll_for(links.back()->descriptor(), POLLIN);
    EXPECT_EQ(links.back()->receive(std::span(&in, 1)), 1U);
    EXPECT_EQ(came, sent);
    EXPECT_EQ(theirs->kind(), "tls");
  }
  [[nodiscard]] Fd raw(const std::string& from = "127.0.0.2") const { return kit::tcp_to(listener->port(), from); }

  kit::Watchdog watchdog{60};
  road::ClusterKey key = road::ClusterKey::make();
  std::unique_ptr<road::TlsListener> listener;
  std::vector<std::unique_ptr<road::Link>> links;
};

TEST_F(Hostile, Garbage) {
  std::mt19937 random(1);
  for (int kind = 0; kind < 20; ++kind) {
    std::string bytes(100000, '\0');
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<char>(random()); });
    if (kind % 2 == 1) bytes.replace(0, 3, "\x16\x03\x01");  // like a handshake at first
    Fd peer = raw();
    put(peer, bytes);
    expect_good();
    serve_until([&] { return dropped(peer); });
  }
  Fd browser = raw();
  put(browser, "GET / HTTP/1.0\r\n\r\n");
  serve_until([&] { return dropped(browser); });
  EXPECT_EQ(listener->handshakes(), 0U);
}

TEST_F(Hostile, AHelloWithOneByteChanged) {
  auto good = hello(key);
  for (std::size_t i = 0; i < good.size(); i += 7) {
    Fd peer = raw();
    auto bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x55);
    put(peer, bad);
    ::shutdown(peer.get(), SHUT_WR);
    serve_until([&] { return dropped(peer); });
  }
  EXPECT_TRUE(links.empty());
  expect_good();
}

TEST_F(Hostile, HalfAHelloThenSilence) {
  listen({.handshake = 500ms});
  Fd peer = raw();
  auto half = hello(key);
  put(peer, half.substr(0, half.size() / 2));
  serve_until([&] { return listener->handshakes() == 1; });
  expect_good();
  serve_until([&] { return dropped(peer); });
}

TEST_F(Hostile, AHelloThatWasRecordedIsOfNoUse) {
  listen({.handshake = 500ms});
  Fd peer = raw();
  put(peer, hello(key));
  expect_good();
  serve_until([&] { return dropped(peer); });
  EXPECT_EQ(links.size(), 1U);
}

TEST_F(Hostile, WhoConnectsAndSaysNothing) {
  listen({.handshake = 500ms});
  Fd peer = raw();
  serve_until([&] { return listener->handshakes() == 1; });
  expect_good();
  serve_until([&] { return dropped(peer); });
}

TEST_F(Hostile, WhoConnectsAndCloses) {
  for (int i = 0; i < 200; ++i) (void)raw();
  expect_good();
  serve_until([&] { return listener->handshakes() == 0; });
}

TEST_F(Hostile, WrongKeys) {
  auto other = road::ClusterKey::make();
  struct Case {
    const road::ClusterKey* key;
    std::string identity;
    int version;
  };
  for (const auto& [which, identity, version] :
       {Case{&other, "", TLS1_3_VERSION}, Case{&other, key.identity(), TLS1_3_VERSION}, Case{nullptr, "", TLS1_3_VERSION}, Case{nullptr, "", TLS1_2_VERSION}}) {
    kit::OpensslPeer peer(raw(), version, which, identity);
    auto shaken = std::async(std::launch::async, [&] { return peer.shake_hands(); });
    expect_good();
    serve_until([&] { return shaken.wait_for(0s) == std::future_status::ready || listener->handshakes() == 0; });
    EXPECT_FALSE(shaken.get());
  }
  EXPECT_EQ(links.size(), 4U) << "the good ones";
}

TEST_F(Hostile, AFloodDrownsItselfAndFillsNoLog) {
  listen({.handshake = 1min, .most_handshakes = 8});
  testing::internal::CaptureStderr();
  auto begin = road::Clock::now();
  std::vector<Fd> flood;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 50; ++i) flood.push_back(raw());
    expect_good();
    EXPECT_LE(listener->handshakes(), 8U);
  }
  serve_until([&] { return std::count_if(flood.begin(), flood.end(), dropped) >= 492; });
  auto seconds = std::chrono::ceil<std::chrono::seconds>(road::Clock::now() - begin).count();
  auto log = testing::internal::GetCapturedStderr();
  EXPECT_LE(std::count(log.begin(), log.end(), '\n'), 1 + seconds);
  EXPECT_THAT(log, HasSubstr("dropped 127.0.0.2:"));
  EXPECT_EQ(links.size(), 10U);
}

TEST_F(Hostile, WithoutDescriptorsItGoesOnWhenThereAreSome) {
  if (kit::address_sanitized) GTEST_SKIP() << kit::needs_descriptors;
  auto client = kit::connecting("127.0.0.1", listener->port(), key);
  kit::poll_for(listener->descriptor(), POLLIN);
  rlimit before{}, none{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  none = before;
  // A limit below what the client's thread polls would fail its poll() (EINVAL); the lowest free number refuses only new descriptors.
  none.rlim_cur = static_cast<rlim_t>(Fd(::dup(listener->descriptor())).get());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_TRUE(listener->take().empty());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  serve_until([&] { return links.size() == 1; });
  EXPECT_NE(client.get(), nullptr);
}

template <class Error>
void expect_error(const std::string& address, std::uint16_t port, const std::string& text) {
  try {
    road::TlsListener none(address, port, road::ClusterKey::make());
    ADD_FAILURE() << "it listens at '" << address << "'";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(text));
    EXPECT_THAT(error.what(), HasSubstr("listening at address '" + address + "', port " + std::to_string(port)));
    EXPECT_NE(error.cure(), "");
  }
}

TEST_F(Hostile, TLS3_ItListensAtOneAddressOnly) {
  for (const char* all : {"0.0.0.0", "::", "::ffff:0.0.0.0"}) expect_error<octavo::usage_error>(all, 0, "on every address");
  for (const char* none : {"", "localhost", "10.0.0.1:80", "*", "0", "10.1"}) expect_error<octavo::usage_error>(none, 0, "no numeric address");
  expect_error<octavo::io_error>("203.0.113.7", 4711, "none of this machine's addresses");
  expect_error<octavo::io_error>("127.0.0.1", listener->port(), "Choose another port");
  EXPECT_NE(listener->port(), 0);
}

}  // namespace
