// SPDX-License-Identifier: Apache-2.0
// A TLS client made of OpenSSL alone: what our own code says is compared with it, and it can be told to behave badly.
#pragma once

#include <gtest/gtest.h>
#include <openssl/err.h>

#include <csignal>
#include <string>
#include <string_view>

#include "kit/link/tls_pair.hpp"
#include "road/net/tls/openssl/objects.hpp"
#include "road/net/tls/secret.hpp"

namespace octavo::kit {

class OpensslPeer {
 public:
  // TLS of this version, with this key, if any, over this socket, which waits.
  OpensslPeer(Fd socket, int version, const road::ClusterKey* key, std::string identity = "")
      : socket_(std::move(socket)),
        key_(key),
        identity_(identity.empty() && key != nullptr ? key->identity() : identity),
        context_(::SSL_CTX_new(::TLS_client_method())),
        ssl_(nullptr) {
    SSL_CTX_set_min_proto_version(context_.get(), version);
    SSL_CTX_set_max_proto_version(context_.get(), version);
    ::SSL_CTX_set_ciphersuites(context_.get(), "TLS_AES_128_GCM_SHA256");
    SSL_CTX_set_app_data(context_.get(), this);
    if (key != nullptr) ::SSL_CTX_set_psk_use_session_callback(context_.get(), use_key);
    ssl_.reset(::SSL_new(context_.get()));
    ::SSL_set_fd(ssl_.get(), socket_.get());
    ::SSL_set_connect_state(ssl_.get());
  }

  bool shake_hands() {
    Quiet quiet;
    return ::SSL_do_handshake(ssl_.get()) == 1;
  }
  void send(std::string_view text) {
    Quiet quiet;
    std::size_t n = 0;
    ASSERT_EQ(::SSL_write_ex(ssl_.get(), text.data(), text.size(), &n), 1);
    ASSERT_EQ(n, text.size());
  }
  // What would have been sent, for somebody on the way to alter.
  std::string sealed(std::string_view text) {
    BIO* kept = ::SSL_get_wbio(ssl_.get());
    BIO* aside = ::BIO_new(::BIO_s_mem());
    ::BIO_up_ref(kept);
    ::SSL_set0_wbio(ssl_.get(), aside);
    send(text);
    const char* bytes = nullptr;
    const auto size = static_cast<std::size_t>(BIO_get_mem_data(aside, &bytes));
    std::string record(bytes, size);
    ::SSL_set0_wbio(ssl_.get(), kept);
    return record;
  }
  // So many bytes, or fewer at the end.
  std::string receive(std::size_t most) {
    Quiet quiet;
    std::string text(most, '\0');
    std::size_t at = 0, n = 0;
    ::ERR_clear_error();
    while (at < most && ::SSL_read_ex(ssl_.get(), text.data() + at, most - at, &n) == 1) at += n;
    if (at < most) why_ = road::tls::openssl_reason();
    return text.substr(0, at);
  }
  bool was_told_the_end() { return (::SSL_get_shutdown(ssl_.get()) & SSL_RECEIVED_SHUTDOWN) != 0; }
  void change_keys(int kind) { ASSERT_EQ(::SSL_key_update(ssl_.get(), kind), 1); }  // with the next bytes sent
  void say_end() {
    Quiet quiet;
    ::SSL_shutdown(ssl_.get());
  }
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const std::string& why() const { return why_; }  // of receive(), where it was less

 private:
  // OpenSSL's writing raises SIGPIPE. Ours must not, so it is not ignored for the whole program.
  struct Quiet {
    Quiet() {
      sigemptyset(&pipe);
      sigaddset(&pipe, SIGPIPE);
      pthread_sigmask(SIG_BLOCK, &pipe, &before);
    }
    ~Quiet() {
      timespec at_once{};
      while (sigtimedwait(&pipe, nullptr, &at_once) > 0) {}
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    sigset_t pipe{}, before{};
  };
  static int use_key(SSL* ssl, const EVP_MD*, const unsigned char** identity, std::size_t* size, SSL_SESSION** out) {
    const auto& self = *static_cast<const OpensslPeer*>(SSL_CTX_get_app_data(::SSL_get_SSL_CTX(ssl)));
    static constexpr std::array<unsigned char, 2> suite{0x13, 0x01};
    auto secret = road::TlsSecret::of(*self.key_);
    *out = ::SSL_SESSION_new();
    ::SSL_SESSION_set_cipher(*out, ::SSL_CIPHER_find(ssl, suite.data()));
    ::SSL_SESSION_set_protocol_version(*out, TLS1_3_VERSION);
    ::SSL_SESSION_set1_master_key(*out, reinterpret_cast<const unsigned char*>(secret.data()), secret.size());
    *identity = reinterpret_cast<const unsigned char*>(self.identity_.data());
    *size = self.identity_.size();
    return 1;
  }

  Fd socket_;
  const road::ClusterKey* key_;
  std::string identity_, why_;
  road::tls::SslContext context_;
  road::tls::Ssl ssl_;
};

}  // namespace octavo::kit
