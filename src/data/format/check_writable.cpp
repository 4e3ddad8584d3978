// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/detail/check_writable.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "data/format/table/format.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

// Pages are written into their files, chunks are new files in a directory.
void check_writable(const Storage& storage) {
  auto places = Format::of(storage.format).lasting_parts(storage, storage.path).places;
  if (places.empty()) places = {storage.path};
  const bool into_files = storage.is_paged();
  for (const auto& each : places) {
    std::error_code failed;
    if (!std::filesystem::exists(each, failed) || (into_files && std::filesystem::is_directory(each, failed))) continue;
    if (::faccessat(AT_FDCWD, each.c_str(), W_OK, AT_EACCESS) == 0) continue;
    throw io_error(
        "opening '" + storage.path + "' to be written to" + (each == storage.path ? "" : ", which needs '" + each + "'") + ": " + std::strerror(errno),
        "Open it for reading, with mode \"r\"; or copy it to where you may write");
  }
}

}  // namespace octavo
