// SPDX-License-Identifier: Apache-2.0
// A file read, or written, piece by piece past the page cache while the caller computes: what one writes by hand, and what Octavo is measured against.
//
//   Ahead from("x.raw", 0, bytes);
//   for (auto piece = from.next(); !piece.empty(); piece = from.next()) sum += f(piece);      // valid until the next call
//   Behind to("w.raw", 0);   std::ranges::copy(rows, to.room(count)); ...   to.finish();
//
// Offsets and lengths are multiples of 4 KiB. Threading: one thread; it begins others. Failure: std::system_error.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <future>
#include <memory>
#include <span>
#include <string>

namespace bench {

inline constexpr std::int64_t piece_bytes = 8 << 20;

class File {
 public:
  File(const std::string& path, int flags);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  [[nodiscard]] int get() const { return descriptor_; }

 private:
  int descriptor_;
};

// Memory in huge pages, and what is under way with it.
struct Piece {
  Piece();
  std::unique_ptr<std::byte, decltype(&std::free)> memory;
  std::future<std::int64_t> moving;
};

class Ahead {
 public:
  Ahead(const std::string& path, std::int64_t from, std::int64_t bytes);
  // Empty: no more.
  std::span<const std::byte> next();

 private:
  void begin(Piece& piece);
  File file_;
  std::int64_t at_, end_;
  std::array<Piece, 4> pieces_;
  std::size_t now_ = 0;
  bool first_ = true;
};

class Behind {
 public:
  Behind(const std::string& path, std::int64_t from);
  // For the next bytes, at most a piece; written when the next are asked for.
  std::byte* room(std::int64_t bytes);
  // All is on the disk.
  void finish();

 private:
  void send();
  File file_;
  std::int64_t at_, filled_ = 0;
  std::array<Piece, 3> pieces_;
  std::size_t now_ = 0;
};

}  // namespace bench
