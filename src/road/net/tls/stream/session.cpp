// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/stream/session.hpp"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace octavo::road::tls {

namespace {

long control(BIO* /*bio*/, int command, long /*number*/, void* /*where*/) { return command == BIO_CTRL_FLUSH ? 1 : 0; }

std::string nonsense_of(unsigned long code) {
  const int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
  if (reason > SSL_AD_REASON_OFFSET) return "the other side refuses what came (TLS alert " + std::to_string(reason - SSL_AD_REASON_OFFSET) + ")";
  switch (reason) {
    case SSL_R_DECRYPTION_FAILED_OR_BAD_RECORD_MAC: return "a record was altered on the way, or is not the other side's";
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_BAD_RECORD_TYPE:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_LENGTH_TOO_SHORT:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
    case SSL_R_ENCRYPTED_LENGTH_TOO_LONG: return "what came is no record";
    default: break;
  }
  const char* text = ::ERR_reason_error_string(code);
  return std::string("what came has no place here (") + (text != nullptr ? text : "OpenSSL gives no reason") + ")";
}

}  // namespace

Session::Session(Ssl ssl, int socket, Outbox& outbox, std::uint64_t most_records)
    : method_(::BIO_meth_new(BIO_TYPE_SOURCE_SINK, "a link's outbox and socket")),
      ssl_(std::move(ssl)),
      socket_(socket),
      outbox_(outbox),
      most_records_(most_records),
      inbox_(Outbox::most_batch) {
  BIO* bio = method_ && ::BIO_meth_set_write(method_.get(), to_outbox) == 1 && ::BIO_meth_set_read(method_.get(), from_socket) == 1 &&
                     ::BIO_meth_set_ctrl(method_.get(), control) == 1
                 ? ::BIO_new(method_.get())
                 : nullptr;
  check_openssl(bio != nullptr, "beginning a connection");
  ::BIO_set_data(bio, this);
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(ssl_.get(), bio, bio);
}

int Session::to_outbox(BIO* bio, const char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  static_cast<Session*>(::BIO_get_data(bio))->outbox_.put(std::as_bytes(std::span(bytes, static_cast<std::size_t>(size))));
  return size;
}

int Session::from_socket(BIO* bio, char* bytes, int size) {
  BIO_clear_retry_flags(bio);
  auto& self = *static_cast<Session*>(::BIO_get_data(bio));
  if (self.begin_ == self.end_ && !self.fill()) {
    if (!self.ended_ && self.error_ == 0) BIO_set_retry_read(bio);
    return self.ended_ ? 0 : -1;
  }
  const std::size_t n = std::min(static_cast<std::size_t>(size), self.end_ - self.begin_);
  std::memcpy(bytes, self.inbox_.data() + self.begin_, n);
  self.begin_ += n;
  return static_cast<int>(n);
}

// False: nothing is here, or nothing will come.
bool Session::fill() {
  if (looked_ && drained_) return false;
  ssize_t n = 0;
  do {
    n = ::recv(socket_, inbox_.data(), inbox_.size(), MSG_DONTWAIT);
  } while (n < 0 && errno == EINTR);
  looked_ = true;
  drained_ = n < static_cast<ssize_t>(inbox_.size());
  ended_ = n == 0;
  error_ = n < 0 && errno != EAGAIN ? errno : 0;
  begin_ = 0;
  end_ = n > 0 ? static_cast<std::size_t>(n) : 0;
  return n > 0;
}

void Session::write(ByteView bytes) {
  if (records_++ >= most_records_) {
    check_openssl(::SSL_key_update(ssl_.get(), SSL_KEY_UPDATE_NOT_REQUESTED) == 1, "changing keys");
    records_ = 1;
  }
  std::size_t n = 0;
  ::ERR_clear_error();
  check_openssl(::SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &n) == 1 && n == bytes.size(), "sealing");
}

void Session::write_close() {
  ::ERR_clear_error();
  ::SSL_shutdown(ssl_.get());
  ::ERR_clear_error();
}

came Session::read(ByteSpan room, std::size_t& n) {
  ::ERR_clear_error();
  if (::SSL_read_ex(ssl_.get(), room.data(), room.size(), &n) == 1) return came::bytes;
  n = 0;
  const came what = judge(::SSL_get_error(ssl_.get(), 0));
  ::ERR_clear_error();
  return what;
}

came Session::judge(int error) {
  if (error == SSL_ERROR_WANT_READ) return came::nothing;
  if (error == SSL_ERROR_ZERO_RETURN) return came::close;
  if (ended_ || error_ != 0) return came::end;
  why_ = nonsense_of(::ERR_peek_error());
  return came::nonsense;
}

}  // namespace octavo::road::tls
