// SPDX-License-Identifier: Apache-2.0
// The public functions of tls_link.hpp, by way of the module.
#include <dlfcn.h>

#include <filesystem>

#include "octavo/base/error.hpp"
#include "road/net/tls/module.hpp"

namespace octavo::road {

namespace {

constexpr char here = 0;  // something of this library, to ask where it lies

const TlsModule& load() {
  Dl_info info{};
  ::dladdr(&here, &info);
  auto path = std::filesystem::path(info.dli_fname != nullptr ? info.dli_fname : "").parent_path() / "liboctavo-tls.so";
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* symbol = library != nullptr ? ::dlsym(library, "octavo_tls_module") : nullptr;
  if (symbol == nullptr) {
    const char* why = ::dlerror();
    throw io_error(std::string("loading TLS: ") + (why != nullptr ? why : "no reason given"),
                   "Put liboctavo-tls.so beside liboctavo.so, and install OpenSSL 3 (Debian: libssl3)");
  }
  return *static_cast<const TlsModule*>(symbol);
}

// Loaded once, and for good.
const TlsModule& module() {
  static const TlsModule& loaded = load();
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
