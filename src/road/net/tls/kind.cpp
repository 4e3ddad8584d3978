// SPDX-License-Identifier: Apache-2.0
#include "road/net/tls/kind.hpp"

#include "road/net/tls/host_and_port.hpp"

namespace octavo::road::tls {

namespace {

class Listener final : public LinkListener {
 public:
  Listener(const std::string& host, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options)
      : host_(host), listener_(host, port, key, options) {}
  [[nodiscard]] std::string address() const override { return "tls://" + host_and_port(host_, listener_.port()); }
  [[nodiscard]] int descriptor() const override { return listener_.descriptor(); }
  std::vector<std::unique_ptr<Link>> take() override { return listener_.take(); }

 private:
  std::string host_;
  TlsListener listener_;
};

}  // namespace

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms) {
  const auto [host, port] = host_and_port(where);
  TlsListenerOptions options;
  options.links.silence = terms.silence;
  return std::make_unique<Listener>(host, port, key, options);
}

std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms) {
  const auto [host, port] = host_and_port(where);
  return connect_tls(host, port, key, deadline, {.silence = terms.silence});
}

}  // namespace octavo::road::tls
