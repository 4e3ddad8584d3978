// SPDX-License-Identifier: Apache-2.0
// The link over a connection whose handshake has ended (tls_link.hpp).
#pragma once

#include <memory>

#include "octavo/base/fd.hpp"
#include "octavo/road/tls_link.hpp"
#include "road/net/tls/stream/record.hpp"

namespace octavo::road::tls {

struct KeyLimits {
  std::uint64_t most_records = 1U << 24;   // under one key. AES-GCM is proven safe up to 2^24.5 (RFC 8446, 5.5)
  std::uint64_t least_records = 1U << 10;  // between two updates of the peer's: more often is an attempt to keep us busy
};

std::unique_ptr<Link> make_link(Fd socket, const Secrets& secrets, const TlsOptions& options, const KeyLimits& limits = {});

}  // namespace octavo::road::tls
