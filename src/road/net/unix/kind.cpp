// SPDX-License-Identifier: Apache-2.0
#include "road/net/unix/kind.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/road/steady_link.hpp"

namespace octavo::road::unix_socket {

namespace {

constexpr int most_waiting = 64;

std::string new_name() {
  constexpr const char* digits = "0123456789abcdef";
  constexpr unsigned half = 4, low = 15;
  std::string name = "octavo-";
  for (const auto each : Session::make().id) {
    name += digits[static_cast<unsigned>(each) >> half];
    name += digits[static_cast<unsigned>(each) & low];
  }
  return name;
}

struct Address {
  explicit Address(const std::string& name) {
    if (name.empty() || name.size() + 1 > sizeof where.sun_path) throw usage_error("'" + name + "' is no name of a Unix socket", "Take what its listener says");
    where.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), where.sun_path + 1);  // behind a zero: in no directory
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  }
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&where); }
  sockaddr_un where{};
  socklen_t size = 0;
};

Fd new_socket() {
  Fd made(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made) throw io_error_from(errno, "making a Unix socket");
  return made;
}

class Listener final : public LinkListener {
 public:
  Listener() : name_(new_name()), socket_(new_socket()) {
    const Address at(name_);
    if (::bind(socket_.get(), at.get(), at.size) != 0 || ::listen(socket_.get(), most_waiting) != 0)
      throw io_error_from(errno, "listening at the Unix socket '" + name_ + "'");
  }
  [[nodiscard]] std::string address() const override { return std::string(kind.scheme) + "://" + name_; }
  [[nodiscard]] int descriptor() const override { return socket_.get(); }

  std::vector<std::unique_ptr<Link>> take() override {
    std::vector<std::unique_ptr<Link>> links;
    for (;;) {
      Fd came(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (!came && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (!came && errno == EAGAIN) return links;
      if (!came) throw io_error_from(errno, "taking a call at the Unix socket '" + name_ + "'");
      try {
        links.push_back(open_unix_link(std::move(came)));
      } catch (const error& failure) {  // that caller's loss only
        log_line("a call by a Unix socket: " + std::string(failure.what()));
      }
    }
  }

 private:
  const std::string name_;
  Fd socket_;
};

}  // namespace

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& /*key*/, const LinkTerms& /*terms*/) {
  if (!where.empty()) throw usage_error("the link 'unix:" + where + "' says more than its kind", "Write 'unix': its listener takes a name of its own");
  return std::make_unique<Listener>();
}

std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& /*key*/, Deadline /*deadline*/, const LinkTerms& /*terms*/) {
  const Address at(where);
  Fd socket = new_socket();
  if (::connect(socket.get(), at.get(), at.size) == 0) return open_unix_link(std::move(socket));
  // It listens before anybody is told of it, and is gone with its process.
  if (errno == ECONNREFUSED) throw refused("nobody listens at the Unix socket '" + where + "'", "It is of this host only: look whether its process runs");
  throw io_error_from(errno, "calling at the Unix socket '" + where + "'");
}

}  // namespace octavo::road::unix_socket
