// SPDX-License-Identifier: Apache-2.0
// connect_tls: whom it refuses, and what it says when there is no link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/x509.h>

#include "kit/watchdog.hpp"
#include "openssl_peer.hpp"

namespace {

namespace kit = octavo::kit;
namespace road = octavo::road;
namespace tls = octavo::road::tls;
using namespace std::chrono_literals;
using octavo::Fd;
using testing::AllOf;
using testing::HasSubstr;

// Somebody listens who is no listener of ours.
struct Stranger {
  Fd socket = kit::tcp_listener();
  std::uint16_t port = kit::port_of(socket);
};

class Connecting : public testing::Test {
 protected:
  // What it says when it fails as this kind of error.
  template <class Error>
  std::string failure(std::uint16_t port, std::chrono::milliseconds time = 1min, const std::string& address = "127.0.0.1") {
    try {
      (void)road::connect_tls(address, port, key, road::Clock::now() + time);
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("connecting to address '" + address + "', port " + std::to_string(port) + ": "));
      EXPECT_NE(error.cure(), "");
      return error.what();
    }
    ADD_FAILURE() << "there is a link";
    return "";
  }
  kit::Watchdog watchdog{60};
  road::ClusterKey key = road::ClusterKey::make();
};

TEST_F(Connecting, WhereNobodyListens) {
  std::uint16_t port = Stranger().port;
  EXPECT_THAT(failure<octavo::io_error>(port), HasSubstr("Nobody listens there"));
}

TEST_F(Connecting, WhereNobodyAnswers) {
  Stranger silent;
  EXPECT_THAT(failure<octavo::timed_out>(silent.port, 50ms), HasSubstr("no answer until the deadline"));
  road::TlsListener listener("127.0.0.1", 0, key);  // which nobody takes from
  EXPECT_THAT(failure<octavo::timed_out>(listener.port(), 50ms), HasSubstr("no answer until the deadline"));
}

TEST_F(Connecting, WhereAnotherKeyIsKnown) {
  road::TlsListener listener("127.0.0.1", 0, road::ClusterKey::make());
  auto said = std::async(std::launch::async, [&] { return failure<octavo::refused>(listener.port()); });
  while (said.wait_for(0s) != std::future_status::ready) {
    pollfd poll{listener.descriptor(), POLLIN, 0};
    ::poll(&poll, 1, 10);
    EXPECT_TRUE(listener.take().empty());
  }
  EXPECT_THAT(said.get(), AllOf(HasSubstr("do not have the same cluster key (" + key.identity() + " here"), HasSubstr("Copy the cluster's key file")));
}

TEST_F(Connecting, WhereSomethingElseAnswers) {
  Stranger ssh;
  auto said = std::async(std::launch::async, [&] { return failure<octavo::refused>(ssh.port); });
  Fd socket = kit::tcp_accept(ssh.socket);
  std::string banner = "SSH-2.0-OpenSSH_9.2\r\n";
  EXPECT_EQ(::send(socket.get(), banner.data(), banner.size(), MSG_NOSIGNAL), static_cast<ssize_t>(banner.size()));
  EXPECT_THAT(said.get(), HasSubstr("wrong version number"));
}

TEST_F(Connecting, WhereTheConnectionIsEnded) {
  Stranger shy;
  auto said = std::async(std::launch::async, [&] { return failure<octavo::io_error>(shy.port); });
  kit::tcp_accept(shy.socket).reset();
  EXPECT_THAT(said.get(), HasSubstr("it ended the connection"));
}

// With a certificate instead of the key: the handshake itself would succeed.
TEST_F(Connecting, WhoHasACertificateInsteadOfTheKeyIsRefused) {
  std::unique_ptr<EVP_PKEY, tls::Release<EVP_PKEY_free>> pair(::EVP_EC_gen("P-256"));
  std::unique_ptr<X509, tls::Release<X509_free>> certificate(::X509_new());
  ::X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  ::X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
  ::X509_set_pubkey(certificate.get(), pair.get());
  ASSERT_NE(::X509_sign(certificate.get(), pair.get(), ::EVP_sha256()), 0);
  tls::SslContext context(::SSL_CTX_new(::TLS_server_method()));
  ASSERT_EQ(::SSL_CTX_use_certificate(context.get(), certificate.get()), 1);
  ASSERT_EQ(::SSL_CTX_use_PrivateKey(context.get(), pair.get()), 1);
  Stranger impostor;
  auto said = std::async(std::launch::async, [&] { return failure<octavo::refused>(impostor.port); });
  Fd socket = kit::tcp_accept(impostor.socket);
  tls::Ssl ssl(::SSL_new(context.get()));
  ::SSL_set_fd(ssl.get(), socket.get());
  EXPECT_NE(::SSL_accept(ssl.get()), 1);
  EXPECT_THAT(said.get(), HasSubstr("certificate verify failed"));
}

TEST_F(Connecting, OnlyToNumbers) {
  EXPECT_THAT(failure<octavo::usage_error>(1, 1min, "localhost"), HasSubstr("'localhost' is no numeric address"));
  EXPECT_THROW((void)road::connect_tls("127.0.0.1", 1, key, road::never, {.silence = 1s}), octavo::usage_error);
}

TEST_F(Connecting, AlsoByIpv6) {
  std::unique_ptr<road::TlsListener> listener;
  try {
    listener = std::make_unique<road::TlsListener>("::1", 0, key);
  } catch (const octavo::io_error& error) {
    GTEST_SKIP() << "this machine has no IPv6: " << error.what();
  }
  auto client = kit::connecting("::1", listener->port(), key);
  EXPECT_EQ(kit::take(*listener, 1).size(), 1U);
  EXPECT_NE(client.get(), nullptr);
}

}  // namespace
