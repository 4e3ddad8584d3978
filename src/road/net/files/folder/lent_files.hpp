// SPDX-License-Identifier: Apache-2.0
// The files of messages that are taken back when they are read, and written again (FL-10 of link.hpp): neither they nor their pages are made anew.
//
//   LentFiles lent(folder);
//   if (lent.may_lend(bytes)) lent.put(7, pieces);      // of so many bytes
//   lent.take_back(7);                                  // its reader has said that it has read it
//
// Few are kept, as each is an open file. Threading and failure: as Folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "octavo/base/fd.hpp"
#include "road/net/files/folder/folder.hpp"

namespace octavo::road::files {

class LentFiles {
 public:
  explicit LentFiles(Folder& folder) : folder_(folder) {}
  // Of a message of so many bytes: a file is here that suits, or one more may be kept.
  [[nodiscard]] bool may_lend(std::size_t bytes) const;
  Folder::outcome put(std::uint64_t number, std::span<const ByteView> pieces);
  void take_back(std::uint64_t number);

 private:
  struct File {
    std::uint64_t number = 0;
    std::size_t size = 0;
    Fd open;
    bool is_back = false;
  };
  [[nodiscard]] std::size_t suiting(std::size_t bytes) const;  // its index, or how many there are
  Folder& folder_;
  std::vector<File> files_;
};

}  // namespace octavo::road::files
