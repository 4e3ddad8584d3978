// SPDX-License-Identifier: Apache-2.0
#include "data/codec/chain.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/codecs.hpp"

namespace octavo {

std::size_t most_encoded(const std::string& codecs, std::size_t bytes) { return CodecChain(parse_json(codecs, "a list of codecs")).most_encoded(bytes); }

std::size_t encode_chunk(const std::string& codecs, std::span<const std::byte> chunk, std::span<std::byte> room) {
  CodecChain chain(parse_json(codecs, "a list of codecs"));
  if (room.size() < chain.most_encoded(chunk.size())) throw usage_error("too little room to encode a chunk", "Give room for most_encoded() bytes");
  return chain.encode(chunk, room).size();
}

}  // namespace octavo
