// SPDX-License-Identifier: Apache-2.0
// The index of a shard: where in the file each of its chunks lies, in C order (https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed).
//
//   ShardIndex index(bytes, chunks, checked, file_bytes);   // Damaged if it is none
//   if (auto place = index.place(3)) ... place->offset, place->bytes
//
// A value. What it says lies within the file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace octavo {

class ShardIndex {
 public:
  struct Place {
    std::int64_t offset, bytes;
  };

  // Without a chunk.
  explicit ShardIndex(std::int64_t chunks) : places_(static_cast<std::size_t>(chunks)) {}
  // `checked`: a checksum follows. `file_bytes`: how long the file is.
  ShardIndex(std::span<const std::byte> bytes, std::int64_t chunks, bool checked, std::int64_t file_bytes);
  static std::int64_t bytes_of(std::int64_t chunks, bool checked) { return 16 * chunks + (checked ? 4 : 0); }

  // None: the chunk was never written.
  [[nodiscard]] const std::optional<Place>& place(std::int64_t chunk) const { return places_[static_cast<std::size_t>(chunk)]; }
  void put(std::int64_t chunk, Place place) { places_[static_cast<std::size_t>(chunk)] = place; }
  // bytes_of() bytes.
  void write_to(std::byte* bytes, bool checked) const;

 private:
  std::vector<std::optional<Place>> places_;
};

}  // namespace octavo
