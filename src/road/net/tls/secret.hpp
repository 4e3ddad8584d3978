// SPDX-License-Identifier: Apache-2.0
// The one way to a cluster key's secret: for those who save it or pass it on, and for the handshake.
#pragma once

#include "octavo/base/bytes.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::road {

struct TlsSecret {
  static ByteView of(const ClusterKey& key) { return key.secret_; }
  // As in its file, through a pipe that nobody else has. Throw io_error; read() also refused, at what is no key.
  static void write(const ClusterKey& key, int to);
  static ClusterKey read(int from);
  static ClusterKey parse(const std::string& text, const std::string& what);
};

}  // namespace octavo::road
