// SPDX-License-Identifier: Apache-2.0
#include "data/encoded/shard_index.hpp"

#include <string>

#include "data/codec/codec.hpp"
#include "data/codec/crc32c.hpp"
#include "data/codec/little.hpp"

namespace octavo {

namespace {

constexpr std::uint64_t never_written = ~std::uint64_t{0};  // as offset and as length

std::uint32_t sum_of_index(const std::byte* bytes, std::size_t count) { return crc32c({reinterpret_cast<const char*>(bytes), count}); }

}  // namespace

ShardIndex::ShardIndex(std::span<const std::byte> bytes, std::int64_t chunks, bool checked, std::int64_t file_bytes) {
  if (static_cast<std::int64_t>(bytes.size()) != bytes_of(chunks, checked)) throw Damaged("it is shorter than its index");
  const std::size_t body = bytes.size() - (checked ? 4 : 0);
  if (checked && little<std::uint32_t>(bytes.data() + body) != sum_of_index(bytes.data(), body))
    throw Damaged("the checksum of its index is another than that of the bytes");
  places_.resize(static_cast<std::size_t>(chunks));
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto offset = little<std::uint64_t>(bytes.data() + 16 * i), length = little<std::uint64_t>(bytes.data() + 16 * i + 8);
    if (offset == never_written && length == never_written) continue;
    const auto end = static_cast<std::uint64_t>(file_bytes);
    if (offset > end || length > end - offset) throw Damaged("its index says that chunk " + std::to_string(i) + " lies outside of it");
    places_[i] = Place{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(length)};
  }
}

void ShardIndex::write_to(std::byte* bytes, bool checked) const {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    put_little(bytes + 16 * i, places_[i] ? static_cast<std::uint64_t>(places_[i]->offset) : never_written);
    put_little(bytes + 16 * i + 8, places_[i] ? static_cast<std::uint64_t>(places_[i]->bytes) : never_written);
  }
  const std::size_t body = 16 * places_.size();
  if (checked) put_little(bytes + body, sum_of_index(bytes, body));
}

}  // namespace octavo
