// SPDX-License-Identifier: Apache-2.0
// The listener itself (tls_link.hpp, TLS-2 and TLS-3).
#pragma once

#include "road/net/tls/module.hpp"

namespace octavo::road::tls {

std::unique_ptr<TlsListener::Core> listen(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options);

}  // namespace octavo::road::tls
