// SPDX-License-Identifier: Apache-2.0
// One chunk by the codecs that Octavo has itself, for a format whose chunks another library puts into its file.
//
//   std::vector<std::byte> room(octavo::most_encoded(R"([{"name": "zstd"}])", chunk.size()));
//   room.resize(octavo::encode_chunk(R"([{"name": "zstd"}])", chunk, room));
//
// `codecs` is a list as in Zarr v3, of those from bytes to bytes (octavo::native_codecs()). Threading: any. Failure: not_supported for a codec that Octavo has
// not, usage_error for a list that makes no sense and for too little room, io_error where a codec cannot encode.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace octavo {

std::size_t most_encoded(const std::string& codecs, std::size_t bytes);
// At the beginning of `room`, which has most_encoded() bytes: so many as it says.
std::size_t encode_chunk(const std::string& codecs, std::span<const std::byte> chunk, std::span<std::byte> room);

}  // namespace octavo
