// SPDX-License-Identifier: Apache-2.0
// A chunk that is to be decoded: the first byte chooses the codec, the next two the bytes that belong there. What was decoded, encoded again, is the same.
#include "data/codec/codec.hpp"

#include <vector>

#include "fuzz/kit/check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace octavo;
  if (size < 3) return 0;
  const auto names = native_codecs();
  const Json about{{"order", {1, 0}}, {"shape", {data[1] + 1, data[2] + 1}}, {"elementsize", 4}};
  auto codec = make_codec(Json{{"name", names[data[0] % names.size()]}, {"configuration", about}});
  std::vector<std::byte> chunk(data[1] + std::size_t{256} * data[2]);
  const std::span encoded(reinterpret_cast<const std::byte*>(data) + 3, size - 3);
  try {
    codec->decode(encoded, chunk);
  } catch (const Damaged& e) {
    fuzz::require(*e.what() != '\0', "an error says what is wrong");
    return 0;
  }
  std::vector<std::byte> room(codec->most_encoded(chunk.size())), back(chunk.size());
  room.resize(codec->encode(chunk, room));
  codec->decode(room, back);
  fuzz::require(back == chunk, "encoded again it is the same");
  return 0;
}
