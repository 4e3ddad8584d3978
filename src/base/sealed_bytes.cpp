// SPDX-License-Identifier: Apache-2.0
#include "base/sealed_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo {

std::size_t sealed_bytes(const Fd& memory, const std::string& what) {
  struct stat facts {};
  if (::fstat(memory.get(), &facts) != 0) throw io_error_from(errno, "opening " + what);
  const int seals = ::fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    throw io_error("opening " + what + ": it is no memory that is sealed", "The other process is of another version, or damaged");
  return static_cast<std::size_t>(facts.st_size);
}

}  // namespace octavo
