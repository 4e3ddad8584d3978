// SPDX-License-Identifier: Apache-2.0
// The codecs of a new Zarr array, by the names and levels that Octavo's users give.
#include <array>

#include "data/encoded/encoding.hpp"
#include "data/format/zarr/codecs.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

struct KnownCompressor {
  const char* name;
  int least, most, usual;  // levels
};

constexpr std::array<KnownCompressor, 4> compressors{{{"zstd", 1, 22, 3}, {"gzip", 0, 9, 5}, {"blosc", 0, 9, 5}, {"lz4", 1, 65537, 1}}};

Json codec_of(const CreateOptions& options, const Storage& meta) {
  for (const auto& each : compressors) {
    if (options.compressor != each.name) continue;
    const int level = options.level.value_or(each.usual);
    if (level < each.least || level > each.most)
      throw usage_error("'" + meta.path + "': level " + std::to_string(level) + " of " + each.name,
                        "Give one from " + std::to_string(each.least) + " to " + std::to_string(each.most));
    if (options.compressor == "lz4" && meta.zarr_version != 2)
      throw not_supported("'" + meta.path + "': LZ4 by itself in Zarr v3, whose specification does not have it", "Choose blosc, which compresses by LZ4");
    if (options.compressor == "lz4") return {{"name", "numcodecs.lz4"}, {"configuration", {{"acceleration", level}}}};
    if (options.compressor == "zstd") return {{"name", "zstd"}, {"configuration", {{"level", level}, {"checksum", true}}}};
    if (options.compressor == "gzip") return {{"name", "gzip"}, {"configuration", {{"level", level}}}};
    return {{"name", "blosc"},
            {"configuration", {{"typesize", size_of(meta.type)}, {"cname", "lz4"}, {"clevel", level}, {"shuffle", "shuffle"}, {"blocksize", 0}}}};
  }
  throw not_supported("'" + meta.path + "': the compressor '" + cut(options.compressor) + "'", "There are zstd, gzip, blosc, in Zarr v2 also lz4, and none");
}

void choose_shards(const CreateOptions& options, Storage& meta) {
  if (meta.zarr_version == 2) throw not_supported("'" + meta.path + "': Zarr v2 has no shards", "Choose version 3, or leave the shards out");
  if (options.shard.size() != meta.chunk.size())
    throw usage_error("'" + meta.path + "': shards of " + options.shard.text() + " for an array of " + meta.shape.text(), "Give an extent for each dimension");
  for (int axis = 0; axis < meta.chunk.size(); ++axis)
    if (options.shard[axis] < 1 || options.shard[axis] % meta.chunk[axis] != 0)
      throw usage_error("'" + meta.path + "': shards of " + options.shard.text() + " do not consist of whole chunks of " + meta.chunk.text(),
                        "Give multiples of the chunks");
  meta.write_chunk = options.shard;
}

}  // namespace

void choose_codecs(const CreateOptions& options, Storage& meta) {
  Encoding encoding;
  if (!options.compressor.empty() && options.compressor != "none") encoding.codecs.push_back(codec_of(options, meta));
  else if (options.level)
    throw usage_error("'" + meta.path + "': level " + std::to_string(*options.level) + " without a compressor", "Name one, or leave the level out");
  encoding.sharded = options.shard.size() > 0;
  if (encoding.sharded) choose_shards(options, meta);
  meta.spec = encoding.text();
  if (!meta.spec.empty()) meta.unit_bytes = bytes_to_read(meta);
}

}  // namespace octavo
