// SPDX-License-Identifier: Apache-2.0
// The one way to a cluster key's secret: for those who save it and for the handshake.
#pragma once

#include "octavo/base/bytes.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo::road {

struct TlsSecret {
  static ByteView of(const ClusterKey& key) { return key.secret_; }
};

}  // namespace octavo::road
