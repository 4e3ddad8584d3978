// SPDX-License-Identifier: Apache-2.0
// What all handshakes of one side have in common (TLS-1): which TLS is spoken, and the key that both sides must have.
#pragma once

#include "octavo/road/tls_link.hpp"
#include "road/net/tls/openssl/objects.hpp"

namespace octavo::road::tls {

enum class side : std::uint8_t { serving, connecting };

class Context {
 public:
  Context(side which, const ClusterKey& key);  // throws io_error
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  [[nodiscard]] SSL_CTX* get() const { return context_.get(); }
  [[nodiscard]] side which() const { return which_; }
  [[nodiscard]] const ClusterKey& key() const { return key_; }
  [[nodiscard]] const BIO_METHOD* socket_method() const { return method_.get(); }

 private:
  void offer_key();
  side which_;
  ClusterKey key_;
  BioMethod method_;
  SslContext context_;
};

}  // namespace octavo::road::tls
