// SPDX-License-Identifier: Apache-2.0
// OpenSSL's objects with one owner, and its errors as text.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>

namespace octavo::road::tls {

template <auto release>
struct Release {
  template <class Object>
  void operator()(Object* object) const noexcept {
    release(object);
  }
};

using SslContext = std::unique_ptr<SSL_CTX, Release<SSL_CTX_free>>;
using Ssl = std::unique_ptr<SSL, Release<SSL_free>>;
using SslSession = std::unique_ptr<SSL_SESSION, Release<SSL_SESSION_free>>;
using BioMethod = std::unique_ptr<BIO_METHOD, Release<BIO_meth_free>>;

// The first reason in this thread's queue of errors, which is emptied; "no reason given" if there is none.
std::string openssl_reason();
// For what can only fail when memory is out or OpenSSL is broken. Throws io_error.
void check_openssl(bool good, const char* doing);

}  // namespace octavo::road::tls
