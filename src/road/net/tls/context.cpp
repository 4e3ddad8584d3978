// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/context.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "road/net/tls/secret.hpp"
#include "road/net/tls/stream/outbox.hpp"

namespace octavo::road::tls {

namespace {

const Context& context_of(const SSL* ssl) { return *static_cast<const Context*>(SSL_CTX_get_app_data(::SSL_get_SSL_CTX(ssl))); }

// The cluster's key, as OpenSSL wants an external PSK: as a session of TLS 1.3. Null when memory is out.
SslSession session(SSL* ssl) {
  static constexpr std::array<unsigned char, 2> aes_128_gcm_sha256{0x13, 0x01};
  auto secret = TlsSecret::of(context_of(ssl).key());
  SslSession made(::SSL_SESSION_new());
  const auto* cipher = ::SSL_CIPHER_find(ssl, aes_128_gcm_sha256.data());
  bool good = made && cipher != nullptr && ::SSL_SESSION_set_cipher(made.get(), cipher) == 1 &&
              ::SSL_SESSION_set_protocol_version(made.get(), TLS1_3_VERSION) == 1 &&
              ::SSL_SESSION_set1_master_key(made.get(), reinterpret_cast<const unsigned char*>(secret.data()), secret.size()) == 1;
  return good ? std::move(made) : nullptr;
}

int use_key(SSL* ssl, const EVP_MD*, const unsigned char** identity, std::size_t* size, SSL_SESSION** session_out) {
  const auto& name = context_of(ssl).key().identity();
  *identity = reinterpret_cast<const unsigned char*>(name.data());
  *size = name.size();
  *session_out = session(ssl).release();
  return *session_out != nullptr ? 1 : 0;
}

// Another cluster's: the handshake goes on without a key, and fails as there is no certificate either.
int find_key(SSL* ssl, const unsigned char* identity, std::size_t size, SSL_SESSION** session_out) {
  *session_out = nullptr;
  if (std::string_view(reinterpret_cast<const char*>(identity), size) != context_of(ssl).key().identity()) return 1;
  *session_out = session(ssl).release();
  return *session_out != nullptr ? 1 : 0;
}

// A socket without SIGPIPE, which OpenSSL's own would raise.
int socket_of(BIO* bio) { return static_cast<int>(reinterpret_cast<std::intptr_t>(::BIO_get_data(bio))); }

int write_socket(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  auto n = ::send(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_write(bio);
  return static_cast<int>(n);
}

int read_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  auto n = ::recv(socket_of(bio), bytes, static_cast<std::size_t>(size), MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) BIO_set_retry_read(bio);
  return static_cast<int>(n);
}

long control_socket(BIO*, int command, long, void*) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

}  // namespace

Context::Context(side which, const ClusterKey& key)
    : which_(which),
      key_(key),
      method_(::BIO_meth_new(BIO_TYPE_SOURCE_SINK, "a link's socket")),
      context_(::SSL_CTX_new(which == side::serving ? ::TLS_server_method() : ::TLS_client_method())) {
  auto* context = context_.get();
  check_openssl(context != nullptr && method_ != nullptr, "beginning");
  bool good = ::BIO_meth_set_write(method_.get(), write_socket) == 1 && ::BIO_meth_set_read(method_.get(), read_socket) == 1 &&
              ::BIO_meth_set_ctrl(method_.get(), control_socket) == 1 && SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1 &&
              SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1 && ::SSL_CTX_set_ciphersuites(context, "TLS_AES_128_GCM_SHA256") == 1 &&
              SSL_CTX_set1_groups_list(context, "X25519") == 1 && ::SSL_CTX_set_num_tickets(context, 0) == 1 && ::SSL_CTX_set_max_early_data(context, 0) == 1;
  check_openssl(good, "choosing TLS 1.3 with AES-128-GCM and X25519");
  ::SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION);
  ::SSL_CTX_clear_options(context, SSL_OP_ENABLE_MIDDLEBOX_COMPAT | SSL_OP_ALLOW_NO_DHE_KEX);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_read_ahead(context, 0);  // what follows the handshake is for the session
  SSL_CTX_set_app_data(context, this);
  offer_key();
}

void Context::offer_key() {
  if (which_ == side::serving) {
    ::SSL_CTX_set_psk_find_session_callback(context_.get(), find_key);
  } else {
    ::SSL_CTX_set_psk_use_session_callback(context_.get(), use_key);
    ::SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);  // a certificate instead of the key is refused: none is trusted
  }
}

}  // namespace octavo::road::tls
