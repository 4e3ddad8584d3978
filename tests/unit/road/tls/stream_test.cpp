// SPDX-License-Identifier: Apache-2.0
// The link's stream with OpenSSL alone at the other end, and with somebody on the way who alters it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kit/watchdog.hpp"
#include "openssl_peer.hpp"
#include "road/net/tls/handshake.hpp"
#include "road/net/tls/stream/link.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
namespace tls = octavo::road::tls;
using octavo::ByteSpan;
using octavo::ByteView;
using testing::HasSubstr;

std::string text(std::size_t size) {
  std::string all(size, '\0');
  for (std::size_t i = 0; i < size; ++i) all[i] = static_cast<char>('a' + i % 23);
  return all;
}
void send(road::Link& link, const std::string& all) {
  ByteView bytes = std::as_bytes(std::span(all));
  while (!bytes.empty() && !link.lost()) {
    bytes = bytes.subspan(link.send(std::span(&bytes, 1)));
    if (!bytes.empty()) kit::poll_for(link.descriptor(), link.events(true));
  }
}
// So many bytes, or fewer if the link is lost.
std::string receive(road::Link& link, std::size_t most) {
  std::string all(most, '\0');
  std::size_t at = 0;
  while (at < most && !link.lost()) {
    ByteSpan into = std::as_writable_bytes(std::span(all)).subspan(at);
    at += link.receive(std::span(&into, 1));
    if (at < most && !link.lost()) kit::poll_for(link.descriptor(), link.events(false));
  }
  return all.substr(0, at);
}

class AgainstOpenssl : public testing::Test {
 protected:
  // Our link at one end, that seals so many records under one key, OpenSSL at the other.
  void join(std::uint64_t most_records = tls::most_records) {
    auto [theirs, ours] = kit::tcp_pair();
    peer = std::make_unique<kit::OpensslPeer>(std::move(theirs), TLS1_3_VERSION, &key);
    auto shaken = std::async(std::launch::async, [&] { return peer->shake_hands(); });
    tls::Handshake handshake(std::move(ours), context);
    auto now = handshake.step();
    for (; now == tls::progress::reads; now = handshake.step()) kit::poll_for(handshake.descriptor(), POLLIN);
    ASSERT_EQ(now, tls::progress::done) << handshake.why();
    ASSERT_TRUE(shaken.get());
    link = handshake.link({}, most_records);
  }
  kit::Watchdog watchdog{60};
  road::ClusterKey key = road::ClusterKey::make();
  tls::Context context{tls::side::serving, key};
  std::unique_ptr<kit::OpensslPeer> peer;
  std::unique_ptr<road::Link> link;
};

TEST_F(AgainstOpenssl, EachUnderstandsTheOther) {
  join();
  for (std::size_t size : {1U, 2U, 16383U, 16384U, 16385U, 100000U}) {
    auto all = text(size);
    peer->send(all);
    EXPECT_EQ(receive(*link, size), all);
    send(*link, all);
    EXPECT_EQ(peer->receive(size), all);
  }
}

TEST_F(AgainstOpenssl, RecordsOfManyPiecesAndIntoManyPieces) {
  join();
  auto all = text(50000);
  auto bytes = std::as_bytes(std::span(all));
  std::vector<ByteView> pieces;
  for (std::size_t at = 0, n = 0; at < bytes.size(); at += n) pieces.push_back(bytes.subspan(at, n = std::min(at % 97, bytes.size() - at) | (at == 0)));
  EXPECT_EQ(link->send(pieces), all.size());
  EXPECT_EQ(peer->receive(all.size()), all);
  peer->send(all);
  std::string came(all.size(), '\0');
  for (std::size_t at = 0; at < came.size();) {
    auto rest = std::as_writable_bytes(std::span(came)).subspan(at);
    std::array<ByteSpan, 3> into{rest.first(std::min<std::size_t>(rest.size(), 333)), {}, rest.subspan(std::min<std::size_t>(rest.size(), 333))};
    into[2] = into[2].first(std::min<std::size_t>(into[2].size(), 5000));
    std::size_t n = link->receive(into);
    at += n;
    if (n == 0) kit::poll_for(link->descriptor(), link->events(false));
  }
  EXPECT_EQ(came, all);
}

TEST_F(AgainstOpenssl, BothEndsAreHeard) {
  join();
  peer->send("last");
  peer->say_end();
  EXPECT_EQ(receive(*link, 5), "last");
  EXPECT_EQ(link->why(), "the other side has closed it");
  join();
  send(*link, "last");
  link->close();
  EXPECT_EQ(peer->receive(5), "last");
  EXPECT_TRUE(peer->was_told_the_end());
}

TEST_F(AgainstOpenssl, AnEndWithoutClosingIsABrokenStream) {
  join();
  peer->send("last");
  peer.reset();
  EXPECT_EQ(receive(*link, 5), "last");
  EXPECT_THAT(link->why(), HasSubstr("the stream broke"));
}

TEST_F(AgainstOpenssl, TLS1_KeysChangeAndBothFollow) {
  join(3);
  for (int i = 0; i < 5; ++i) {
    auto all = text(100000);
    send(*link, all);  // seven records: keys change on the way
    EXPECT_EQ(peer->receive(all.size()), all);
    peer->change_keys(i % 2 == 0 ? SSL_KEY_UPDATE_NOT_REQUESTED : SSL_KEY_UPDATE_REQUESTED);
    peer->send(all);
    EXPECT_EQ(receive(*link, all.size()), all);
  }
}

// What comes from the wire when somebody on the way has his hand in it.
class Altered : public AgainstOpenssl {
 protected:
  Altered() { join(); }
  void put(const std::string& bytes) const { ASSERT_EQ(::send(peer->descriptor(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size())); }
  // Lost, with nothing of the bad record taken.
  void expect_refused(const std::string& why) {
    EXPECT_EQ(receive(*link, 1), "");
    EXPECT_TRUE(link->lost());
    EXPECT_THAT(link->why(), HasSubstr(why));
  }
};

TEST_F(Altered, AnyBitOfASmallRecord) {
  put(peer->sealed("good"));
  EXPECT_EQ(receive(*link, 4), "good");
  auto bad = peer->sealed("bad");
  bad[7] ^= 1;
  put(bad);
  expect_refused("altered on the way");
  EXPECT_EQ(link->send({}), 0U);
  EXPECT_EQ(peer->receive(1), "");
  EXPECT_EQ(peer->why(), "sslv3 alert bad record mac");  // OpenSSL's words for alert 20
}

// TLS-6: what was not proven is in nobody's memory.
TEST_F(Altered, NothingOfALargeRecordIsInTheCallersMemory) {
  auto bad = peer->sealed(text(16000));
  bad.back() ^= 1;
  put(bad);
  kit::poll_for(link->descriptor(), POLLIN);
  std::string room(20000, '\0');
  while (!link->lost()) {
    ByteSpan into = std::as_writable_bytes(std::span(room));
    EXPECT_EQ(link->receive(std::span(&into, 1)), 0U);
  }
  EXPECT_EQ(room, std::string(20000, '\0'));
}

TEST_F(Altered, ARecordThatComesTwice) {
  auto first = peer->sealed("first");
  put(first);
  EXPECT_EQ(receive(*link, 5), "first");
  put(first);
  expect_refused("altered on the way");
}

TEST_F(Altered, ARecordBeforeAnother) {
  auto first = peer->sealed("first"), second = peer->sealed("second");
  put(second);
  expect_refused("altered on the way");
}

TEST_F(Altered, WhatIsNoRecord) {
  put("GET / HTTP/1.0\r\n\r\n");
  expect_refused("what came is no record");
}

TEST_F(Altered, ARecordThatIsTooLarge) {
  std::string header{23, 3, 3, 0x41, 0x12};
  put(header);
  expect_refused("what came is no record");
}

TEST_F(Altered, AnAlertSaysWhichItIs) {
  const std::string forged = std::string{23, 3, 3, 0, 40} + std::string(40, 'x');
  ASSERT_EQ(::send(link->descriptor(), forged.data(), forged.size(), 0), static_cast<ssize_t>(forged.size()));
  EXPECT_EQ(peer->receive(1), "");
  expect_refused("the other side refuses what came (TLS alert 20)");
}

}  // namespace
