// SPDX-License-Identifier: Apache-2.0
// The public functions of tls_link.hpp, by way of the module.
#include "base/module.hpp"
#include "octavo/base/error.hpp"
#include "road/net/tls/module.hpp"

namespace octavo::road {

namespace {

const TlsModule& module() {
  static const TlsModule& loaded = module_of<TlsModule>("tls", "Install OpenSSL 3 (Debian: libssl3)");
  return loaded;
}

std::string at(const std::string& address, std::uint16_t port) { return " address '" + address + "', port " + std::to_string(port); }

}  // namespace

TlsListener::TlsListener(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options) {
  in_context([&] { return "listening at" + at(address, port); }, [&] { core_ = module().listen(address, port, key, options); });
}
TlsListener::~TlsListener() = default;
std::uint16_t TlsListener::port() const { return core_->port(); }
int TlsListener::descriptor() const { return core_->descriptor(); }
std::vector<std::unique_ptr<Link>> TlsListener::take() { return core_->take(); }
std::size_t TlsListener::handshakes() const { return core_->handshakes(); }

std::unique_ptr<Link> connect_tls(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options) {
  return in_context([&] { return "connecting to" + at(address, port); }, [&] { return module().connect(address, port, key, deadline, options); });
}

}  // namespace octavo::road
