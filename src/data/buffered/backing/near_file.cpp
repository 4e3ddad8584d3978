// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/backing/near_file.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t most_bytes = 64 * KiB;
constexpr std::int64_t most_rows = 64;

bool is_dense(const Storage& storage, dtype type) {
  const bool one_file = Format::of(storage.format).is_one_block() || storage.format == storage_format::page_file;
  return one_file && storage.type == type && (storage.order == byte_order::little || size_of(type) == 1) && storage.chunk == at_least_one(storage.shape);
}

}  // namespace

NearFile::NearFile(const Storage& storage, dtype type)
    : path_(storage.path), shape_(storage.shape), offset_(storage.offset), element_bytes_(size_of(type)), is_dense_(is_dense(storage, type)) {}

bool NearFile::move(const BlockMove& move, const Shape& tile) {
  if (!is_dense_ || !is_small(move) || !open(move.writing)) return false;
  for (const Box& part : move.parts)
    if (!move_rows(move, part, tile)) return false;
  return true;
}

bool NearFile::is_small(const BlockMove& move) const {
  std::int64_t bytes = 0, rows = 0;
  for (const Box& part : move.parts) {
    const Shape extents = part.extents();
    bytes += part.count() * element_bytes_;
    rows += extents.count(0, std::max(0, extents.size() - 1));
    if (bytes > most_bytes || rows > most_rows) return false;
  }
  return true;
}

bool NearFile::open(bool to_write) {
  Fd& file = to_write ? writes_ : reads_;
  if (!file) file = Fd(::open(path_.c_str(), (to_write ? O_WRONLY : O_RDONLY) | O_CLOEXEC));
  if (file && to_write) wrote_ = true;
  return static_cast<bool>(file);
}

bool NearFile::move_rows(const BlockMove& move, const Box& part, const Shape& tile) const {
  Shape rows = part.extents();
  const int last = rows.size() - 1;
  const std::int64_t length = last < 0 ? 1 : std::exchange(rows[last], 1);
  const Shape in_file = dense_strides(shape_), in_memory = dense_strides(tile);
  bool all = true;
  for_each_index(rows, [&](const Shape& index) {
    std::int64_t from = 0, to = 0;
    for (int axis = 0; axis < index.size(); ++axis) {
      from += (part.lo[axis] + index[axis]) * in_file[axis];
      to += (part.lo[axis] + index[axis] - move.block.lo[axis]) * in_memory[axis];
    }
    all = all && move_row(move.writing, move.data + to * element_bytes_, length * element_bytes_, offset_ + from * element_bytes_);
  });
  return all;
}

// A read does not wait for the disk; what is cut short, or fails, is for the disk's thread, which says what is wrong.
bool NearFile::move_row(bool writing, std::byte* memory, std::int64_t bytes, std::int64_t at) const {
  const iovec where{memory, static_cast<std::size_t>(bytes)};
  const ssize_t moved = writing ? ::pwrite(writes_.get(), memory, where.iov_len, at) : ::preadv2(reads_.get(), &where, 1, at, RWF_NOWAIT);
  return moved == bytes;
}

void NearFile::sync() {
  if (!wrote_) return;
  if (::fdatasync(writes_.get()) != 0) throw io_error_from(errno, "writing '" + path_ + "' to the disk");
  wrote_ = false;
}

}  // namespace octavo::detail
