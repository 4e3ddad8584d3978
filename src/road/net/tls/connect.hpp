// SPDX-License-Identifier: Apache-2.0
// connect_tls (tls_link.hpp).
#pragma once

#include "road/net/tls/module.hpp"

namespace octavo::road::tls {

std::unique_ptr<Link> connect(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options);

}  // namespace octavo::road::tls
