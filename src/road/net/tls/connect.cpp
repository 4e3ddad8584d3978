// SPDX-License-Identifier: Apache-2.0
#include <poll.h>

#include <cerrno>

#include "octavo/base/error.hpp"
#include "road/net/tls/handshake.hpp"
#include "road/net/tls/module.hpp"
#include "road/net/tls/tcp.hpp"

namespace octavo::road::tls {

namespace {

void wait(int descriptor, short events, Deadline deadline) {
  pollfd poll{descriptor, events, 0};
  for (;;) {
    int n = ::poll(&poll, 1, milliseconds_until(deadline));
    if (n > 0) return;
    if (n == 0 && Clock::now() >= deadline)
      throw timed_out("no answer until the deadline", "Check that an agent runs there, and that no firewall swallows its port");
    if (n < 0 && errno != EINTR) throw io_error_from(errno, "waiting");
  }
}

[[noreturn]] void unreachable(int error) {
  auto failed = io_error_from(error, "no connection");
  switch (error) {
    case ECONNREFUSED: throw io_error(failed.message(), "Nobody listens there: start the agent, or check address and port");
    case ETIMEDOUT: throw timed_out(failed.message(), "Check that the machine is up, and that no firewall swallows the port");
    case ENETUNREACH:
    case EHOSTUNREACH: throw io_error(failed.message(), "Check the address, and the network between (`ip route get` it)");
    default: throw failed;
  }
}

Fd connected(const Address& address, Deadline deadline) {
  Fd socket = tcp_socket(address);
  if (::connect(socket.get(), address.get(), address.size) == 0) return socket;
  if (errno != EINPROGRESS && errno != EINTR) unreachable(errno);
  wait(socket.get(), POLLOUT, deadline);
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) unreachable(error);
  return socket;
}

[[noreturn]] void not_proven(const Handshake& handshake, const ClusterKey& key) {
  if (handshake.error() != 0)
    throw io_error(handshake.why() + " before either side had proven the key",
                   "Try again; if it stays so, its agent is overloaded, or it is no agent that listens there");
  throw refused("the other side and this one do not have the same cluster key (" + key.identity() + " here; " + handshake.why() + ")",
                "Copy the cluster's key file to both machines, and check that it is an agent that listens there");
}

std::unique_ptr<Link> shake_hands(Fd socket, const ClusterKey& key, Deadline deadline, const TlsOptions& options) {
  tune(socket.get(), options.silence);
  Context context(side::connecting, key);
  Handshake handshake(std::move(socket), context);
  for (;;) {
    switch (handshake.step()) {
      case progress::reads: wait(handshake.descriptor(), POLLIN, deadline); break;
      case progress::writes: wait(handshake.descriptor(), POLLOUT, deadline); break;
      case progress::done: return handshake.link(options);
      case progress::failed: not_proven(handshake, key);
    }
  }
}

}  // namespace

std::unique_ptr<Link> connect(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options) {
  check_silence(options.silence);
  return shake_hands(connected(numeric_address(address, port), deadline), key, deadline, options);
}

}  // namespace octavo::road::tls
