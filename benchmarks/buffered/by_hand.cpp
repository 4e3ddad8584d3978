// SPDX-License-Identifier: Apache-2.0
#include "buffered/by_hand.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace bench {

namespace {

std::int64_t checked(std::int64_t result, const char* what) {
  if (result < 0) throw std::system_error(errno, std::generic_category(), what);
  return result;
}

}  // namespace

File::File(const std::string& path, int flags) : descriptor_(::open(path.c_str(), flags | O_CLOEXEC, 0600)) { checked(descriptor_, path.c_str()); }
File::~File() { ::close(descriptor_); }

Piece::Piece() : memory(static_cast<std::byte*>(std::aligned_alloc(2 << 20, piece_bytes)), &std::free) { ::madvise(memory.get(), piece_bytes, MADV_HUGEPAGE); }

Ahead::Ahead(const std::string& path, std::int64_t from, std::int64_t bytes) : file_(path, O_RDONLY | O_DIRECT), at_(from), end_(from + bytes) {
  for (auto& each : pieces_) begin(each);
}

void Ahead::begin(Piece& piece) {
  const std::int64_t bytes = std::min(piece_bytes, end_ - at_);
  piece.moving = {};
  if (bytes <= 0) return;
  piece.moving = std::async(std::launch::async, [file = file_.get(), to = piece.memory.get(), bytes, at = at_] {
    if (checked(::pread(file, to, static_cast<std::size_t>(bytes), at), "reading") != bytes) throw std::runtime_error("a file is too short");
    return bytes;
  });
  at_ += bytes;
}

std::span<const std::byte> Ahead::next() {
  if (!first_) {  // the caller is done with it
    begin(pieces_[now_]);
    now_ = (now_ + 1) % pieces_.size();
  }
  first_ = false;
  Piece& piece = pieces_[now_];
  if (!piece.moving.valid()) return {};
  return {piece.memory.get(), static_cast<std::size_t>(piece.moving.get())};
}

Behind::Behind(const std::string& path, std::int64_t from) : file_(path, O_WRONLY | O_DIRECT), at_(from) {}

void Behind::send() {
  if (filled_ == 0) return;
  Piece& piece = pieces_[now_];
  piece.moving = std::async(std::launch::async, [file = file_.get(), memory = piece.memory.get(), bytes = filled_, at = at_] {
    return checked(::pwrite(file, memory, static_cast<std::size_t>(bytes), at), "writing");
  });
  at_ += filled_;
  filled_ = 0;
  now_ = (now_ + 1) % pieces_.size();
}

std::byte* Behind::room(std::int64_t bytes) {
  if (filled_ + bytes > piece_bytes) send();
  Piece& piece = pieces_[now_];
  if (piece.moving.valid()) piece.moving.get();
  std::byte* found = piece.memory.get() + filled_;
  filled_ += bytes;
  return found;
}

void Behind::finish() {
  send();
  for (auto& each : pieces_)
    if (each.moving.valid()) each.moving.get();
  checked(::fdatasync(file_.get()), "syncing");
}

}  // namespace bench
