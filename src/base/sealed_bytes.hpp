// SPDX-License-Identifier: Apache-2.0
// The size of memory that another process has made (memfd_create), and that it cannot cut under this one, which would end this one by SIGBUS.
#pragma once

#include <cstddef>
#include <string>

#include "octavo/base/fd.hpp"

namespace octavo {

// Throws io_error, naming `what` it is: also where it is not sealed against that.
std::size_t sealed_bytes(const Fd& memory, const std::string& what);

}  // namespace octavo
