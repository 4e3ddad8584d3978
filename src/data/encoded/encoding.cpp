// SPDX-License-Identifier: Apache-2.0
#include "data/encoded/encoding.hpp"

#include <algorithm>

#include "data/encoded/shard_index.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo {

namespace {

std::int64_t chunk_bytes_of(const Storage& storage) { return storage.chunk.count() * size_of(storage.type); }

}  // namespace

Encoding Encoding::of(const Storage& storage) {
  Encoding result;
  if (storage.spec.empty()) return result;
  const Json json = parse_json(storage.spec, storage.path);
  result.codecs = json.at("codecs");
  if (const auto inode = json.find("inode"); inode != json.end()) result.inode = inode->get<std::uint64_t>();
  const auto shard = json.find("shard");
  if (shard == json.end()) return result;
  result.sharded = true;
  result.checked = shard->at("checked").get<bool>();
  result.at_start = shard->at("at_start").get<bool>();
  return result;
}

std::string Encoding::text() const {
  if (codecs.empty() && !sharded) return {};
  Json json;
  json["codecs"] = codecs;
  if (sharded) json["shard"] = {{"checked", checked}, {"at_start", at_start}};
  return json_text(json);
}

ChunkCodecs::ChunkCodecs(const Storage& storage) : chain_(Encoding::of(storage).codecs), chunk_bytes_(chunk_bytes_of(storage)) {
  const auto bound = static_cast<std::int64_t>(chain_.most_encoded(static_cast<std::size_t>(chunk_bytes_)));
  most_encoded_ = bound + bound / 4 + 64 * KiB;
}

std::int64_t bytes_to_read(const Storage& storage) {
  const ChunkCodecs codecs(storage);
  return codecs.most_encoded() + codecs.chunk_bytes() +
         static_cast<std::int64_t>(CodecChain(Encoding::of(storage).codecs).working_bytes(static_cast<std::size_t>(codecs.chunk_bytes())));
}

std::int64_t bytes_to_write(const Storage& storage) {
  const ChunkCodecs codecs(storage);
  const std::int64_t chunks = grid_of(storage.block(), storage.chunk).count();
  return bytes_to_read(storage) + chunks * codecs.most_encoded() + ShardIndex::bytes_of(chunks, true);
}

std::int64_t encoding_memory(const Storage& storage, bool writing, int cores, std::int64_t most) {
  const std::int64_t read = bytes_to_read(storage), write = writing ? bytes_to_write(storage) : 0;
  const bool shards = writing && Encoding::of(storage).sharded;
  const std::int64_t wanted = cores * (shards ? write : read), least = std::max(read, write);
  return std::max(least, std::min(wanted, most));
}

}  // namespace octavo
