// SPDX-License-Identifier: Apache-2.0
// A whole stream of frames, arriving in pieces of any length. The first 8 bytes are the seed of the lengths, the rest is the stream.
#include "octavo/wire/frame.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include "fuzz/kit/check.hpp"

namespace {

namespace wire = octavo::wire;
using octavo::fuzz::require;

// Small, so that a stream can reach them.
constexpr wire::FrameLimits limits{.body_bytes = 64 << 10, .bulk_bytes = 64 << 10, .bulk_count = 64, .page_count = 64};

// The message is exactly what lay in the stream. Gives its length there.
std::size_t check(const wire::Message& message, octavo::ByteView stream) {
  require(message.body.size() == message.header.body_bytes && message.body.size() <= limits.body_bytes, "the body is as long as announced");
  require(message.bulk.size() == message.header.bulk_count && message.pages.size() == message.header.page_count, "all parts are there");
  wire::Outgoing out;
  out.header = message.header;
  out.body.assign(message.body.span());
  out.pages = message.pages;
  for (const auto& part : message.bulk) out.bulk.emplace_back(part.span());
  std::vector<std::byte> tables;
  std::size_t at = 0;
  for (auto piece : wire::pieces_of(out, tables)) {
    require(at + piece.size() <= stream.size(), "a message is not longer than what came");
    require(std::equal(piece.begin(), piece.end(), stream.begin() + static_cast<std::ptrdiff_t>(at)), "written again it is the same bytes");
    at += piece.size();
  }
  return at;
}

void decode(octavo::ByteView stream, std::mt19937_64& random) {
  wire::FrameDecoder decoder(limits);
  std::size_t read = 0, begun = 0;
  while (read < stream.size()) {
    auto room = decoder.want();
    require(!room.empty(), "a decoder that is not complete wants something");
    std::size_t bytes = std::min({room.size(), stream.size() - read, std::size_t{1} + random() % (random() % 2 != 0 ? 9 : 4096)});
    std::memcpy(room.data(), stream.data() + read, bytes);
    read += bytes;
    decoder.got(bytes);
    if (!decoder.complete()) continue;
    wire::Message message = decoder.take();
    begun += check(message, stream.subspan(begun));
    require(begun == read && decoder.empty(), "a message takes all its bytes and no others");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::seeded(data, size,
                              [size](octavo::ByteView stream, std::mt19937_64& random) { octavo::fuzz::accepts(size, [&] { decode(stream, random); }); });
}
