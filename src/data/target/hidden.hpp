// SPDX-License-Identifier: Apache-2.0
// An array that does not look like one: its metadata, or the first bytes of its file, are put away until it is whole.
#pragma once

#include <string>

#include "octavo/data/new_target.hpp"

namespace octavo {

class Hidden {
 public:
  // Zarr: zarr.json and .zarray get an ending. Octavo arrays: array.json is making.json again. npy, HDF5: the first bytes say that it is unfinished.
  // Raw files have nothing to hide.
  void hide(const std::string& place, target_kind kind);
  // Undoes it, on the disk when it returns. io_error if what was hidden is gone.
  void reveal(const std::string& place, target_kind kind);

 private:
  bool hidden_ = false;
  std::string head_;  // the first bytes of a file
};

// Whether there is anything of this name, though it be a link that leads nowhere.
bool is_there(const std::string& path);
// Whether what is at `path` is hidden.
bool is_hidden(const std::string& path);

}  // namespace octavo
