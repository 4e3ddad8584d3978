// SPDX-License-Identifier: Apache-2.0
// A whole stream of a link's records, arriving in portions of any length, some of the data received past the decoder. The first 8 bytes are
// the seed of the lengths, the rest is the stream.
#include "road/net/record.hpp"

#include <algorithm>
#include <random>

#include "fuzz/kit/check.hpp"

namespace {

namespace net = octavo::road::net;
using octavo::ByteView;
using octavo::fuzz::require;

constexpr std::uint32_t most_control = 64 << 10;

// Goes along the stream with the decoder: each record must lie there, with nothing between.
class Along {
 public:
  explicit Along(ByteView stream) : stream_(stream) {}

  void header(const net::Record& record, std::size_t left) {
    if (within_) return;
    net::RecordHeader is{record.kind, {}, static_cast<std::uint32_t>(record.bytes.size() + left), record.channel};
    bytes(std::as_bytes(std::span(&is, 1)));
    require(is.bytes <= (record.kind == net::record_kind::control || record.kind == net::record_kind::control_with ? most_control : net::most_data_bytes),
            "no record is longer than allowed");
  }
  void bytes(ByteView part) {
    require(part.size() <= stream_.size() - at_, "a record is not longer than what came");
    require(std::equal(part.begin(), part.end(), stream_.begin() + static_cast<std::ptrdiff_t>(at_)), "written again it is the same bytes");
    at_ += part.size();
  }
  // Data that went past the decoder: all of the record, too, where the portion before ended with its header.
  void skip(std::size_t n) { at_ += n + (within_ ? 0 : sizeof(net::RecordHeader)); }
  void goes_on(bool more) { within_ = more; }

 private:
  ByteView stream_;
  std::size_t at_ = 0;
  bool within_ = false;  // a data record
};

void decode(ByteView stream, std::mt19937_64& random) {
  net::RecordDecoder decoder(most_control);
  Along along(stream);
  std::size_t fed = 0;
  bool greeted = false;
  while (fed < stream.size()) {
    if (std::size_t coming = decoder.data_to_come(); coming != 0 && random() % 2 != 0) {
      std::size_t n = std::min(random() % coming + 1, stream.size() - fed);
      decoder.skip(n);
      along.skip(n);
      along.goes_on(decoder.data_to_come() != 0);
      fed += n;
      continue;
    }
    ByteView portion = stream.subspan(fed, std::min<std::size_t>(stream.size() - fed, 1 + random() % (random() % 2 != 0 ? 9 : 4096)));
    fed += portion.size();
    net::Record record;
    while (decoder.next(portion, record)) {
      require(greeted == (record.kind != net::record_kind::hello), "the hello is the first, and once");
      greeted = true;
      along.header(record, decoder.data_to_come());
      along.bytes(record.bytes);
      along.goes_on(decoder.data_to_come() != 0);
      if (record.kind == net::record_kind::credit) net::value_of<net::Credit>(record.bytes);
    }
    require(portion.empty(), "it takes what it is given");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return octavo::fuzz::seeded(data, size, [size](ByteView stream, std::mt19937_64& random) { octavo::fuzz::accepts(size, [&] { decode(stream, random); }); });
}
