// SPDX-License-Identifier: Apache-2.0
// An exception as it travels: its type's name, text, origin, and its own fields where it has some.
#pragma once

#include "octavo/process/errors.hpp"

namespace octavo::detail {

// Encodes the exception; `here` and `method` are added to its trace.
void encode_error(wire::Outgoing& out, const std::exception_ptr& error, const ProcessFacts& here, const std::string& method);
// The exception that arrives: derived from the original's type where that is known here, and from remote_origin.
std::exception_ptr decode_error(wire::Message& message);

}  // namespace octavo::detail
