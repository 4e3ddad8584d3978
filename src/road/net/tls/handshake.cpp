// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/handshake.hpp"

#include <openssl/err.h>

#include <cerrno>
#include <cstring>

#include "octavo/base/error.hpp"

namespace octavo::road::tls {

void Handshake::begin() {
  ssl_.reset(::SSL_new(context_.get()));
  BIO* bio = ssl_ ? ::BIO_new(context_.socket_method()) : nullptr;
  check_openssl(bio != nullptr, "beginning a handshake");
  ::BIO_set_data(bio, reinterpret_cast<void*>(static_cast<std::intptr_t>(socket_.get())));
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(ssl_.get(), bio, bio);
  if (context_.which() == side::serving) ::SSL_set_accept_state(ssl_.get());
  else ::SSL_set_connect_state(ssl_.get());
}

progress Handshake::step() {
  if (!ssl_) begin();
  ::ERR_clear_error();
  errno = 0;
  int result = ::SSL_do_handshake(ssl_.get());
  if (result == 1) return prove();
  switch (int saved = errno; ::SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_WANT_READ: return progress::reads;
    case SSL_ERROR_WANT_WRITE: return progress::writes;
    default: return fail(saved);
  }
}

progress Handshake::fail(int error) {
  auto code = ::ERR_peek_error();
  bool ended =
      code == 0 || ERR_GET_LIB(code) == ERR_LIB_SYS || (ERR_GET_LIB(code) == ERR_LIB_SSL && ERR_GET_REASON(code) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
  if (ended) errno_ = error != 0 ? error : ECONNRESET;
  why_ = ended ? std::string("it ended the connection") + (error != 0 ? std::string(" (") + ::strerrordesc_np(error) + ")" : "") : openssl_reason();
  ::ERR_clear_error();
  return progress::failed;
}

// OpenSSL has accepted it; this is so that no setting of the machine's can make that mean less.
progress Handshake::prove() {
  const auto* cipher = ::SSL_get_current_cipher(ssl_.get());
  bool good = ::SSL_session_reused(ssl_.get()) == 1 && ::SSL_version(ssl_.get()) == TLS1_3_VERSION && cipher != nullptr &&
              ::SSL_CIPHER_get_protocol_id(cipher) == 0x1301;
  if (good) return progress::done;
  why_ = "it has not proven the key";
  return progress::failed;
}

std::unique_ptr<Link> Handshake::link(const TlsOptions& options, std::uint64_t most_records_of_a_key) {
  return make_link(std::move(socket_), std::move(ssl_), options, most_records_of_a_key);
}

}  // namespace octavo::road::tls
