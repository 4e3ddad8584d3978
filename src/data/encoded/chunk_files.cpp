// SPDX-License-Identifier: Apache-2.0
#include "data/encoded/chunk_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_known = 64;  // indices of shards

}  // namespace

std::span<std::byte> ChunkBuffer::room(std::int64_t bytes) {
  if (bytes > bytes_) {
    release();  // before: both would be more than is allowed for
    memory_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
    bytes_ = bytes;
  }
  return {memory_.get(), static_cast<std::size_t>(bytes)};
}

ChunkFiles::ChunkFiles(const Encoding& encoding, std::int64_t chunks_of_file, std::int64_t most_encoded)
    : encoding_(encoding), chunks_(chunks_of_file), most_encoded_(most_encoded), files_(1, false) {}

std::optional<ChunkFiles::Opened> ChunkFiles::open(const std::string& path) {
  Opened result{Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), path};  // a FIFO would wait for its other end
  if (!result.file && (errno == ENOENT || errno == ENOTDIR)) return std::nullopt;
  struct stat facts {};
  if (!result.file || ::fstat(result.file.get(), &facts) != 0) throw io_error_from(errno, "opening '" + path + "'");
  if (!S_ISREG(facts.st_mode)) throw io_error("'" + path + "' is not a regular file", "Put the file back that belongs there");
  result.inode = facts.st_ino;
  result.changed = facts.st_mtim.tv_sec * std::int64_t{1'000'000'000} + facts.st_mtim.tv_nsec;
  result.bytes = facts.st_size;
  return result;
}

void ChunkFiles::read(const Opened& from, std::int64_t at, std::span<std::byte> to) {
  for (std::size_t done = 0; done < to.size();) {
    const ssize_t got = ::pread(from.file.get(), to.data() + done, to.size() - done, at + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error_from(errno, "reading '" + from.path + "'");
    if (got == 0) throw Damaged("it became shorter while it was read");
    done += static_cast<std::size_t>(got);
  }
  bytes_read_ += static_cast<std::int64_t>(to.size());
}

void ChunkFiles::check_chunk(std::int64_t bytes) const {
  if (bytes == 0) throw Damaged("it is empty");
  if (bytes > most_encoded_) throw Damaged("it has " + std::to_string(bytes) + " bytes, where at most " + std::to_string(most_encoded_) + " can belong");
}

std::optional<std::span<const std::byte>> ChunkFiles::read_chunk(const std::string& path, std::int64_t chunk, ChunkBuffer& buffer) {
  const auto file = open(path);
  if (!file) return std::nullopt;
  ShardIndex::Place place{0, file->bytes};
  if (encoding_.sharded) {
    const auto found = index_of(*file)->place(chunk);
    if (!found) return std::nullopt;
    place = *found;
  }
  check_chunk(place.bytes);
  // Room for the longest one, so that the buffer is not made anew for each that is a little longer.
  const auto bytes = buffer.room(most_encoded_).first(static_cast<std::size_t>(place.bytes));
  read(*file, place.offset, bytes);
  return bytes;
}

std::span<const std::byte> ChunkFiles::read_part(const std::string& path, ShardIndex::Place place, ChunkBuffer& buffer) {
  const auto file = open(path);
  if (!file) throw io_error("'" + path + "' was removed while it was in use", "Open it again when nobody changes it");
  if (encoding_.inode != 0 && file->inode != encoding_.inode)
    throw io_error("'" + path + "' was replaced by another one while it was in use", "Open it again when nobody changes it");
  check_chunk(place.bytes);
  if (place.offset < 0 || place.offset > file->bytes - place.bytes) throw Damaged("it lies behind the end of the file");
  const auto bytes = buffer.room(most_encoded_).first(static_cast<std::size_t>(place.bytes));
  read(*file, place.offset, bytes);
  return bytes;
}

std::shared_ptr<const ShardIndex> ChunkFiles::index_of(const Opened& file) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(known_, [&](const Known& each) {
      return each.path == file.path && each.inode == file.inode && each.changed == file.changed && each.bytes == file.bytes;
    });
    if (found != known_.end()) {
      known_.splice(known_.begin(), known_, found);
      return found->index;
    }
  }
  if (index_bytes() > file.bytes) throw Damaged("it has " + std::to_string(file.bytes) + " bytes, fewer than its index");
  ChunkBuffer buffer;
  const auto bytes = buffer.room(index_bytes());
  read(file, encoding_.at_start ? 0 : file.bytes - index_bytes(), bytes);
  auto index = std::make_shared<const ShardIndex>(bytes, chunks_, encoding_.checked, file.bytes);
  const std::lock_guard lock(mutex_);
  std::erase_if(known_, [&](const Known& each) { return each.path == file.path; });
  known_.push_front({file.path, file.inode, file.changed, file.bytes, index});
  if (known_.size() > most_known) known_.pop_back();
  return index;
}

ShardIndex ChunkFiles::index_in(std::span<const std::byte> whole) const {
  const auto length = static_cast<std::size_t>(index_bytes());
  if (length > whole.size()) throw Damaged("it has " + std::to_string(whole.size()) + " bytes, fewer than its index");
  const auto bytes = encoding_.at_start ? whole.first(length) : whole.last(length);
  return {bytes, chunks_, encoding_.checked, static_cast<std::int64_t>(whole.size())};
}

std::optional<ChunkFiles::Whole> ChunkFiles::read_whole(const std::string& path, ChunkBuffer& buffer) {
  const auto file = open(path);
  if (!file) return std::nullopt;
  if (file->bytes > chunks_ * most_encoded_ + index_bytes()) throw Damaged("it has " + std::to_string(file->bytes) + " bytes, more than can belong there");
  const auto bytes = buffer.room(file->bytes);
  read(*file, 0, bytes);
  if (encoding_.sharded) return Whole{bytes, index_in(bytes)};
  ShardIndex one(1);
  one.put(0, {0, file->bytes});
  return Whole{bytes, std::move(one)};
}

std::optional<std::span<const std::byte>> ChunkFiles::Whole::chunk(std::int64_t number) const {
  const auto& place = index.place(number);
  if (!place) return std::nullopt;
  return bytes.subspan(static_cast<std::size_t>(place->offset), static_cast<std::size_t>(place->bytes));
}

void ChunkFiles::replace(const std::string& path, std::span<const std::byte> bytes, std::size_t fixed) {
  files_.replace(path, bytes, fixed);
  bytes_written_ += static_cast<std::int64_t>(bytes.size());
}

}  // namespace octavo
