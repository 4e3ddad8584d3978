// SPDX-License-Identifier: Apache-2.0
// What figures 7 to 9 of the paper of file-based messages (004) have on their axes: a message within a host, one between hosts, a broadcast; ours and others'.
#pragma once

#include <string>

namespace bench {

// Measures them, and has them drawn and simulated (kit/file_messages.py). What the script says is its result.
int figures(const std::string& file, const std::string& ppython_sources);

}  // namespace bench
