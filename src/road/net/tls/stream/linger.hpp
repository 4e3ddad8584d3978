// SPDX-License-Identifier: Apache-2.0
// The end of a closed connection. If a socket is closed while the other side still sends, or before it has received all, TCP throws
// away what was on the way; L-5 says that it arrives. So the socket outlives the link until the other side's kernel has everything.
#pragma once

#include <chrono>
#include <vector>

#include "octavo/base/fd.hpp"

namespace octavo::road::tls {

// Sends `rest`, then the end. Does not wait: what cannot be done at once is left to a thread, for at most `patience`.
void linger(Fd socket, std::vector<std::byte> rest, std::chrono::milliseconds patience);

}  // namespace octavo::road::tls
