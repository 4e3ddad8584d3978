// SPDX-License-Identifier: Apache-2.0
// A directory that messages are put in and taken from, each a file with a number for a name, that is never used twice.
//
//   Folder in("/tmp/octavo-files-1f/c1/l");
//   if (in.put(7, pieces) == Folder::outcome::done) ...
//   if (auto bytes = in.read(7, buffer)) in.remove(7);
//
// A file is written beside, under another name, and renamed: whoever finds it finds all of it, where the file system keeps to that. Nothing is listed, and no
// time of a file is asked for. Each system call that names a file or moves its bytes is counted.
// Threading: one thread at a time. Failure: io_error naming the directory, with the cure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "octavo/base/bytes.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::road::files {

class Folder {
 public:
  enum class outcome : std::uint8_t { done, no_room, taken };
  explicit Folder(std::string path);

  // no_room: the file system is full, or this user's part of it; nothing is there then.
  outcome put(std::uint64_t number, std::span<const ByteView> pieces);
  // As put(); the file stays open, in `kept`, and put_again() writes the next message into it, under its own number. Nobody may read it meanwhile.
  outcome put_and_keep(std::uint64_t number, std::span<const ByteView> pieces, Fd& kept);
  outcome put_again(std::uint64_t number, std::span<const ByteView> pieces, std::uint64_t before, const Fd& kept);
  // As put(), if there is no such number yet (taken), whoever tries at the same time. Where the file system knows no links, it may be seen before it is whole.
  outcome claim(std::uint64_t number, std::span<const ByteView> pieces);
  // What is there of that file, at most the buffers: how many bytes. None: it is not there. Throws where the directory is gone.
  std::optional<std::size_t> read(std::uint64_t number, std::span<const ByteSpan> into);
  std::optional<std::size_t> read(std::uint64_t number, ByteSpan into) { return read(number, std::span(&into, 1)); }
  void remove(std::uint64_t number);
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] std::uint64_t operations() const noexcept { return operations_; }

 private:
  int put_beside(const char* name, int flags, std::span<const ByteView> pieces, Fd* kept = nullptr);
  outcome show(const char* beside, const char* name);
  outcome undo(const char* name, int error);
  bool write(int file, std::span<const ByteView> pieces);
  [[noreturn]] void fail(int error, const char* doing) const;
  std::string path_;
  Fd directory_;
  std::uint64_t operations_ = 0;
};

}  // namespace octavo::road::files
