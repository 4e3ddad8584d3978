// SPDX-License-Identifier: Apache-2.0
// A link (link.hpp) between agents on different machines: TCP with TLS 1.3. A program that has the cluster's key belongs to the cluster; both
// sides prove it before either reads a byte of the other. No certificates.
//
//   road::ClusterKey::make().save("/home/ada/cluster.key");      // once; then copy the file to the other machines (scp -p)
//   auto key = road::ClusterKey::load("/home/ada/cluster.key");
//   road::TlsListener listener("10.0.0.1", 4711, key);           // on one machine
//   pollfd poll{listener.descriptor(), POLLIN, 0};               // readable: take() has something to do
//   for (auto& link : listener.take()) serve(std::move(link));
//   auto link = road::connect_tls("10.0.0.1", 4711, key, road::Clock::now() + 5s);   // on another
//
// TLS-1  TLS 1.3 only, TLS_AES_128_GCM_SHA256, X25519, the key as an external PSK with (EC)DHE: what was recorded stays secret even
//        if the key becomes known. No certificates, tickets, early data or compression. Each direction changes its keys after
//        2^24 records.
// TLS-2  A peer without the key costs the listener one of `most_handshakes` places until its deadline, and one line in the log
//        (at most one a second). If there is no place, the address with most handshakes under way loses its oldest.
// TLS-3  A listener is bound to one address, never to all.
// TLS-4  The kernel notices a cut cable within `silence`, whether bytes wait or not; it counts from when it first sent again what was
//        not confirmed, which is a fraction of a second later, and seconds if packets were lost before. But it cannot tell a peer that
//        does not receive from one that is gone: if bytes wait for so long, the link is lost (an exception to L-8 and L-9).
// TLS-5  close() with bytes that have not arrived leaves them to a thread which goes on for at most `silence` (L-5, L-7). They are lost
//        if the program ends before.
// TLS-6  receive() writes only what was proven to be the peer's.
// A program that has the key can pass for any agent, so a hello above must name the agents; it also shows if an agent was led to itself.
//
// Threading: a key is a value. A listener, like a link: one thread at a time. Failure: each error names address, port and cure.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "octavo/road/doorbell.hpp"
#include "octavo/road/link.hpp"

namespace octavo::road {

// The secret of a cluster, and a name for it that is no secret. It is never printed; its memory is wiped.
class ClusterKey {
 public:
  static ClusterKey make();
  // Throws refused if the file is not this user's own, or others may read it, or it is damaged; io_error if it cannot be read.
  static ClusterKey load(const std::string& path);
  // A new file which only this user can read (0600), on the disk when this returns. Throws io_error, also if there is one already.
  void save(const std::string& path) const;
  [[nodiscard]] const std::string& identity() const { return identity_; }  // "octavo-" and 16 hexadecimal digits

  ClusterKey(const ClusterKey&) = default;
  ClusterKey& operator=(const ClusterKey&) = default;
  ~ClusterKey();

 private:
  friend struct TlsSecret;
  ClusterKey() = default;
  std::array<std::byte, 32> secret_{};
  std::string identity_;
};

struct TlsOptions {
  std::chrono::milliseconds silence{20'000};  // TLS-4; at least 2 s, as the kernel counts in seconds
};

struct TlsListenerOptions {
  std::chrono::milliseconds handshake{5'000};  // how long one may take
  std::size_t most_handshakes = 64;            // under way at once
  TlsOptions links = {};
};

class TlsListener {
 public:
  // Numeric addresses, IPv4 or IPv6. Port 0: the kernel chooses. Throws usage_error for none or all addresses, io_error.
  TlsListener(const std::string& address, std::uint16_t port, const ClusterKey& key, const TlsListenerOptions& options = {});
  ~TlsListener();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] int descriptor() const;  // poll it for POLLIN
  // Goes on with the handshakes, without waiting. The links of those that have ended. Throws nothing that a peer did.
  std::vector<std::unique_ptr<Link>> take();
  [[nodiscard]] std::size_t handshakes() const;  // under way

  class Core;

 private:
  std::unique_ptr<Core> core_;
};

// Waits until the other side has proven the key. Throws timed_out, refused (another key, or no Octavo), io_error (nobody listens
// there, no way there, ended by the other side), usage_error (no numeric address).
std::unique_ptr<Link> connect_tls(const std::string& address, std::uint16_t port, const ClusterKey& key, Deadline deadline, const TlsOptions& options = {});

}  // namespace octavo::road
