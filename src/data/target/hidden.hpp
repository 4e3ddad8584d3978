// SPDX-License-Identifier: Apache-2.0
// An array that does not look like one: what shows it is put away until it is whole, as its format does it (Format::hide).
#pragma once

#include <optional>
#include <string>

#include "octavo/data/storage.hpp"

namespace octavo {

class Hidden {
 public:
  void hide(const std::string& place, storage_format format);
  // Undoes it, on the disk when it returns. io_error if what was hidden is gone.
  void reveal(const std::string& place, storage_format format);

 private:
  std::optional<std::string> hidden_;  // what the format needs to undo it; none: nothing is hidden
};

// Whether what is at `path` is hidden.
bool is_hidden(const std::string& path);

}  // namespace octavo
