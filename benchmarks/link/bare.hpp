// SPDX-License-Identifier: Apache-2.0
// What a link between machines can be at best: TCP by itself, AES-128-GCM by itself; and how a link is measured, ours and the bare one alike.
#pragma once

#include <utility>

#include "kit/link/tls_pair.hpp"
#include "octavo/base/fd.hpp"

namespace bench {

inline constexpr std::size_t page_bytes = 32U << 20;

// TCP and nothing else.
octavo::kit::TwoLinks bare_links(std::pair<octavo::Fd, octavo::Fd> sockets);

double bytes_per_second(octavo::kit::TwoLinks& links);     // pages one way
double round_trip(octavo::kit::TwoLinks& links);           // of 8 bytes, in seconds
double restless_round_trip(octavo::kit::TwoLinks& links);  // the same, neither end ever sleeps

// Of a page, by one thread, record by record as TLS does.
double cipher_bytes_per_second();

}  // namespace bench
