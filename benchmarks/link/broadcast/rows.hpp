// SPDX-License-Identifier: Apache-2.0
// The rows of a broadcast by files, beside Open MPI, pPython's functions and a central directory.
#pragma once

#include <memory>
#include <string>

#include "kit/peer.hpp"
#include "kit/table.hpp"
#include "link/broadcast/broadcast.hpp"

namespace bench {

// `sources`: a checkout of pPython; empty: that of OCTAVO_PEERS_PPYTHON.
std::unique_ptr<Peer> ppython(const Hosts& where, const std::string& sources);
// Within a host by shared memory, between hosts by TCP, of which all are this one.
std::unique_ptr<Peer> open_mpi_of(const Hosts& where);
void broadcast_rows(Table& table, const std::string& sources);

}  // namespace bench
