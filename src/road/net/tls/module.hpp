// SPDX-License-Identifier: Apache-2.0
// What liboctavo wants of liboctavo-tls.so when a process makes its first such link (base/module.hpp): of all the processes of a machine only the agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octavo/road/tls_link.hpp"

namespace octavo::road {

class TlsListener::Core {
 public:
  virtual ~Core() = default;
  [[nodiscard]] virtual std::uint16_t port() const = 0;
  [[nodiscard]] virtual int descriptor() const = 0;
  virtual std::vector<std::unique_ptr<Link>> take() = 0;
  [[nodiscard]] virtual std::size_t handshakes() const = 0;
};

struct TlsModule {
  std::unique_ptr<TlsListener::Core> (*listen)(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options);
  std::unique_ptr<Link> (*connect)(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options);
};

namespace tls {
std::unique_ptr<TlsListener::Core> listen(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options);
std::unique_ptr<Link> connect(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options);
}  // namespace tls

}  // namespace octavo::road

extern "C" const octavo::road::TlsModule octavo_tls_module;
