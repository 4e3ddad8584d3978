// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/reserve.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

void reserve_file(int descriptor, const std::string& path, std::int64_t bytes) {
  if (bytes == 0) return;  // an array without elements
  int result = 0;
  do result = ::fallocate(descriptor, 0, 0, bytes);
  while (result != 0 && errno == EINTR);
  if (result != 0 && (errno == EOPNOTSUPP || errno == ENOSYS)) result = ::ftruncate(descriptor, bytes);
  if (result != 0) throw io_error_from(errno, "reserving " + format_bytes(bytes) + " for '" + path + "'");
}

}  // namespace octavo
