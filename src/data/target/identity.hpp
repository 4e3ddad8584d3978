// SPDX-License-Identifier: Apache-2.0
// Whether an array on the disk is still the one that was opened: the same directory or file, and metadata that says the same of its values.
//
//   Identity identity(storage);
//   ...
//   identity.check();   // io_error if it was removed or replaced, or its shape, dtype, chunks, codecs or fill value changed
//
// Attributes and names of dimensions may change, and single chunks come and go: those of a Zarr array that are not there were never written. Its whole
// directory of chunks is one of the places that must stay. It holds the directory or file open (O_PATH), so that its inode is not given to another one.
// Threading: one thread at a time.
#pragma once

#include <sys/stat.h>

#include <string>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

class Identity {
 public:
  Identity() = default;
  explicit Identity(const Storage& storage);
  void check();

 private:
  struct PinnedPlace {
    std::string path;
    Fd held;
  };
  void hold(const std::string& path);
  [[nodiscard]] std::string values_text() const;

  std::vector<PinnedPlace> places_;  // the array's own, then its page files
  std::string metadata_;             // the file; empty: there is none that this knows
  std::int64_t header_bytes_ = 0;
  struct stat as_read_ {};  // the metadata, when values_ was read
  std::string values_;
};

}  // namespace octavo
