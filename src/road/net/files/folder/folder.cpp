// SPDX-License-Identifier: Apache-2.0
#include "road/net/files/folder/folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "octavo/base/error.hpp"
#include "road/net/files/folder/life.hpp"

namespace octavo::road::files {

namespace {

constexpr std::size_t most_pieces = 256;  // for one system call

// A number as a name; `unfinished` names are nobody's to read.
class Name {
 public:
  explicit Name(std::uint64_t number, bool unfinished = false) {
    char* at = text_.data();
    if (unfinished) *at++ = '.';
    *std::to_chars(at, text_.data() + text_.size() - 1, number).ptr = '\0';
  }
  [[nodiscard]] const char* get() const noexcept { return text_.data(); }

 private:
  std::array<char, 24> text_{};
};

bool is_full(int error) { return error == ENOSPC || error == EDQUOT; }

}  // namespace

Folder::Folder(std::string path) : path_(std::move(path)), directory_(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!directory_) fail(errno, "opening");
}

void Folder::fail(int error, const char* doing) const {
  const auto failed = io_error_from(error, std::string(doing) + " messages in '" + path_ + "'");
  if (error == ENOENT || error == ESTALE) throw io_error(failed.message(), "Somebody has removed the directory of this run, or its file system is gone");
  throw io_error(failed.message(), "Check that the directory is there, and that this user may write to it (`df`, `ls -ld`)");
}

bool Folder::write(int file, std::span<const ByteView> pieces) {
  std::array<iovec, most_pieces> vectors;
  std::size_t skip = 0;  // of the first piece
  off_t at = 0;
  while (!pieces.empty()) {
    std::size_t count = 0;
    for (auto piece : pieces.first(std::min(pieces.size(), most_pieces))) vectors[count++] = {const_cast<std::byte*>(piece.data()), piece.size()};
    vectors[0] = {static_cast<std::byte*>(vectors[0].iov_base) + skip, vectors[0].iov_len - skip};
    ++operations_;
    ssize_t n = ::pwritev(file, vectors.data(), static_cast<int>(count), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    for (auto left = static_cast<std::size_t>(n) + skip; skip = left, !pieces.empty() && left >= pieces.front().size(); pieces = pieces.subspan(1))
      left -= pieces.front().size();
  }
  return true;
}

// What went wrong, or 0.
int Folder::put_beside(const char* name, int flags, std::span<const ByteView> pieces, Fd* kept) {
  ++operations_;
  Fd file(::openat(directory_.get(), name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, S_IRUSR | S_IWUSR));
  int error = file ? 0 : errno;
  if (file && !write(file.get(), pieces)) error = errno;
  if (kept != nullptr) *kept = std::move(file);
  else if (file && ::close(file.release()) != 0 && error == 0) error = errno;  // where a server says no, it says it here
  return error;
}

Folder::outcome Folder::undo(const char* name, int error) {
  ++operations_;
  ::unlinkat(directory_.get(), name, 0);
  if (!is_full(error)) fail(error, "putting");
  return outcome::no_room;
}

Folder::outcome Folder::show(const char* beside, const char* name) {
  ++operations_;
  if (::renameat(directory_.get(), beside, directory_.get(), name) != 0) return undo(beside, errno);
  return outcome::done;
}

Folder::outcome Folder::put(std::uint64_t number, std::span<const ByteView> pieces) {
  const Name beside(number, true);
  if (const int error = put_beside(beside.get(), O_TRUNC, pieces)) return undo(beside.get(), error);
  return show(beside.get(), Name(number).get());
}

Folder::outcome Folder::put_and_keep(std::uint64_t number, std::span<const ByteView> pieces, Fd& kept) {
  const Name beside(number, true);
  if (const int error = put_beside(beside.get(), O_TRUNC, pieces, &kept)) return undo(beside.get(), error);
  return show(beside.get(), Name(number).get());
}

Folder::outcome Folder::put_again(std::uint64_t number, std::span<const ByteView> pieces, std::uint64_t before, const Fd& kept) {
  const Name old(before);
  if (!write(kept.get(), pieces)) return undo(old.get(), errno);
  return show(old.get(), Name(number).get());
}

Folder::outcome Folder::claim(std::uint64_t number, std::span<const ByteView> pieces) {
  const Name name(number);
  const std::string beside = ".claim-" + text_of(own_life());
  if (const int error = put_beside(beside.c_str(), O_TRUNC, pieces)) return undo(beside.c_str(), error);
  operations_ += 2;
  const int error = ::linkat(directory_.get(), beside.c_str(), directory_.get(), name.get(), 0) == 0 ? 0 : errno;
  ::unlinkat(directory_.get(), beside.c_str(), 0);
  if (error == 0) return outcome::done;
  if (error == EEXIST) return outcome::taken;
  const int own = put_beside(name.get(), O_EXCL, pieces);  // no links there
  if (own == 0) return outcome::done;
  return own == EEXIST ? outcome::taken : undo(name.get(), own);
}

std::optional<std::size_t> Folder::read(std::uint64_t number, std::span<const ByteSpan> into) {
  ++operations_;
  const Fd file(::openat(directory_.get(), Name(number).get(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return std::nullopt;
  if (!file) fail(errno, "taking");
  std::array<iovec, most_pieces> vectors;
  std::size_t count = 0;
  for (auto piece : into.first(std::min(into.size(), most_pieces))) vectors[count++] = {piece.data(), piece.size()};
  for (;;) {  // a part of a file is its end, which is known without another look
    ++operations_;
    const ssize_t n = ::readv(file.get(), vectors.data(), static_cast<int>(count));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EINTR) continue;
    if (errno == ESTALE) return std::nullopt;  // of a network's file system: it is asked again
    fail(errno, "taking");
  }
}

void Folder::remove(std::uint64_t number) {
  ++operations_;
  ::unlinkat(directory_.get(), Name(number).get(), 0);
}

}  // namespace octavo::road::files
