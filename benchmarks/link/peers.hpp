// SPDX-License-Identifier: Apache-2.0
// Others' libraries between the same two hosts, one process on each. Ask them on a thread that is on the first host.
#pragma once

#include <memory>

#include "kit/pairs.hpp"
#include "kit/peer.hpp"
#include "kit/two_hosts.hpp"

namespace bench {

class PeersByCable {
 public:
  explicit PeersByCable(const octavo::kit::TwoHosts& hosts);
  [[nodiscard]] Row::Measures bytes_per_second(std::size_t bytes, double scale) const;
  [[nodiscard]] Row::Measures round_trips(double scale) const;

 private:
  std::unique_ptr<Peer> open_mpi_, zeromq_, curve_;
};

}  // namespace bench
