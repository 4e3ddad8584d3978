// SPDX-License-Identifier: Apache-2.0
// The link's own records against OpenSSL at the other end, and against somebody on the way who alters them.
#include "road/net/tls/stream/record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kit/watchdog.hpp"
#include "openssl_peer.hpp"
#include "road/net/tls/handshake.hpp"

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
  // Our link at one end, with these limits on its keys, OpenSSL at the other.
  void join(const tls::KeyLimits& limits = {}) {
    auto [theirs, ours] = kit::tcp_pair();
    peer = std::make_unique<kit::OpensslPeer>(std::move(theirs), TLS1_3_VERSION, &key);
    auto shaken = std::async(std::launch::async, [&] { return peer->shake_hands(); });
    tls::Handshake handshake(std::move(ours), context);
    auto now = handshake.step();
    for (; now == tls::progress::reads; now = handshake.step()) kit::poll_for(handshake.descriptor(), POLLIN);
    ASSERT_EQ(now, tls::progress::done) << handshake.why();
    ASSERT_TRUE(shaken.get());
    link = handshake.link({}, limits);
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
  join({.most_records = 3, .least_records = 0});
  for (int i = 0; i < 5; ++i) {
    auto all = text(100000);
    send(*link, all);  // seven records: keys change on the way
    EXPECT_EQ(peer->receive(all.size()), all);
    peer->change_keys(i % 2 == 0 ? SSL_KEY_UPDATE_NOT_REQUESTED : SSL_KEY_UPDATE_REQUESTED);
    peer->send(all);
    EXPECT_EQ(receive(*link, all.size()), all);
  }
}

TEST_F(AgainstOpenssl, TLS1_WhoChangesKeysTooOftenIsRefused) {
  join({.most_records = 1000, .least_records = 2});
  peer->change_keys(SSL_KEY_UPDATE_NOT_REQUESTED);
  peer->send("x");
  EXPECT_EQ(receive(*link, 1), "");
  EXPECT_EQ(link->why(), "the other side changes its keys too often");
}

// What comes from the wire when somebody on the way has his hand in it.
class Altered : public testing::Test {
 protected:
  Altered() {
    secrets.ours.fill(std::byte{1});
    secrets.theirs.fill(std::byte{2});
    tls::Secrets mirrored;
    mirrored.ours = secrets.theirs;
    mirrored.theirs = secrets.ours;
    auto [near, far] = kit::tcp_pair();
    link = tls::make_link(std::move(near), mirrored, {});
    wire = std::move(far);
  }
  std::string record(const std::string& content, tls::content type = tls::content::data) {
    ByteView bytes = std::as_bytes(std::span(content));
    tls::Gather from(std::span<const ByteView>(&bytes, 1));
    std::string out(content.size() + tls::record_overhead, '\0');
    EXPECT_EQ(sealer.seal(type, from, content.size(), std::as_writable_bytes(std::span(out)).data()), out.size());
    return out;
  }
  void put(const std::string& bytes) { ASSERT_EQ(::send(wire.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size())); }
  // Lost, with nothing of the bad record taken.
  void expect_refused(const std::string& why) {
    EXPECT_EQ(receive(*link, 1), "");
    EXPECT_TRUE(link->lost());
    EXPECT_THAT(link->why(), HasSubstr(why));
  }
  kit::Watchdog watchdog{60};
  tls::Secrets secrets;
  tls::Sealer sealer{[] {
    tls::TrafficSecret secret;
    secret.fill(std::byte{1});
    return secret;
  }()};
  std::unique_ptr<road::Link> link;
  octavo::Fd wire;
};

TEST_F(Altered, AnyBitOfASmallRecord) {
  put(record("good"));
  EXPECT_EQ(receive(*link, 4), "good");
  auto bad = record("bad");
  bad[7] ^= 1;
  put(bad);
  expect_refused("altered on the way");
  EXPECT_EQ(link->send({}), 0U);
}

// TLS-6: it is decrypted into the caller's memory before it is proven, so what was not proven is wiped.
TEST_F(Altered, ALargeRecordIsWipedFromTheCallersMemory) {
  auto bad = record(text(16000));
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

TEST_F(Altered, ARecordThatComesTwiceOrInAnotherOrder) {
  auto first = record("first"), second = record("second");
  put(first);
  EXPECT_EQ(receive(*link, 5), "first");
  put(first);
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

TEST_F(Altered, KindsThatHaveNoPlace) {
  put(record("hello", tls::content::handshake));
  expect_refused("has no place here");
}

TEST_F(Altered, ALargeOneOfAKindThatHasNoPlace) {
  put(record(text(5000), tls::content::handshake));
  kit::poll_for(link->descriptor(), POLLIN);
  EXPECT_EQ(receive(*link, 6000), "");
  EXPECT_THAT(link->why(), HasSubstr("has no place here"));
}

TEST_F(Altered, AnAlertSaysWhichItIs) {
  put(record({2, 20}, tls::content::alert));
  expect_refused("the other side refuses what came (TLS alert 20)");
}

}  // namespace
