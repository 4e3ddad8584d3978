// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/openssl/objects.hpp"

#include <openssl/err.h>

#include "octavo/base/error.hpp"

namespace octavo::road::tls {

std::string openssl_reason() {
  auto code = ::ERR_get_error();
  const char* text = code == 0 ? nullptr : ::ERR_reason_error_string(code);
  ::ERR_clear_error();
  return text != nullptr ? text : "no reason given";
}

void check_openssl(bool good, const char* doing) {
  if (!good) throw io_error(std::string("OpenSSL, ") + doing + ": " + openssl_reason(), "Check the machine's OpenSSL (openssl version -a)");
}

}  // namespace octavo::road::tls
