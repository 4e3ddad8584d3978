// SPDX-License-Identifier: Apache-2.0
#include "data/target/hidden.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "data/format/table/format.hpp"

namespace octavo {

void Hidden::hide(const std::string& place, storage_format format) { hidden_ = Format::of(format).hide(place); }

void Hidden::reveal(const std::string& place, storage_format format) {
  if (const auto hidden = std::exchange(hidden_, std::nullopt)) Format::of(format).reveal(place, *hidden);
}

bool is_hidden(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return false;
  return std::ranges::any_of(Format::all(), [&](const Format* each) { return each->is_hidden(path, S_ISDIR(status.st_mode)); });
}

}  // namespace octavo
