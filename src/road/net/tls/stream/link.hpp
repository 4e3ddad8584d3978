// SPDX-License-Identifier: Apache-2.0
// The link over a connection whose handshake has ended (tls_link.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "octavo/base/fd.hpp"
#include "octavo/road/tls_link.hpp"
#include "road/net/tls/openssl/objects.hpp"

namespace octavo::road::tls {

inline constexpr std::uint64_t most_records = 1U << 24;  // under one key. AES-GCM is proven safe up to 2^24.5 (RFC 8446, 5.5)

std::unique_ptr<Link> make_link(Fd socket, Ssl ssl, const TlsOptions& options, std::uint64_t most_records_of_a_key = most_records);

}  // namespace octavo::road::tls
