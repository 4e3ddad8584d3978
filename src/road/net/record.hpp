// SPDX-License-Identifier: Apache-2.0
// What travels on a link: records, each a header of 16 bytes and so many bytes more.
//
//   | kind 1 B | zero 3 B | bytes 4 B | channel 8 B | bytes |
//
//   RecordDecoder decoder;                        // no input or output: feed it what came
//   Record record;
//   while (decoder.next(came, record)) handle(record);
//
// hello comes first and once, and says version and window; control is for the agents, control_with one with which descriptors go (L-14); data, page, credit and
// end belong to a channel. page says that so many of the channel's next bytes are a page, which may be received into the pool. Integers are little endian.
// Sizes are checked before any memory is taken, and no more is taken than has come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::net {

inline constexpr std::uint32_t link_magic = 0x4b4e4c4f;  // "OLNK"
inline constexpr std::uint16_t link_version = 1;
inline constexpr std::uint32_t most_data_bytes = 256 << 10;  // of one data record
inline constexpr std::uint64_t least_window = 4 << 10, most_window = 1 << 30;

enum class record_kind : std::uint8_t { hello = 1, control = 2, data = 3, credit = 4, end = 5, ping = 6, pong = 7, page = 8, control_with = 9 };

struct RecordHeader {
  record_kind kind = record_kind::hello;
  std::uint8_t zero[3] = {};
  std::uint32_t bytes = 0;
  std::uint64_t channel = 0;
};
static_assert(sizeof(RecordHeader) == 16);

struct Hello {
  std::uint32_t magic = link_magic;
  std::uint16_t version = link_version;
  std::uint16_t zero = 0;
  std::uint64_t window = 0;  // how many bytes of each channel the other side may send ahead
};
static_assert(sizeof(Hello) == 16);

using Credit = std::uint64_t;  // so many bytes more
using PageSize = std::uint64_t;

// A whole record; of data a part, as it came. The bytes stay until the next call.
struct Record {
  record_kind kind = record_kind::hello;
  std::uint64_t channel = 0;
  ByteView bytes;
};

// Throws io_error at what is no record, or not allowed here; the stream cannot be used any more then.
class RecordDecoder {
 public:
  explicit RecordDecoder(std::uint32_t most_control_bytes) : most_control_(most_control_bytes) {}

  // Takes bytes off the front of `from`. False: it needs more.
  bool next(ByteView& from, Record& into);
  // While a data record has begun: so many of its bytes are to come next, for this channel. They may be put elsewhere: skip() says how many.
  [[nodiscard]] std::size_t data_to_come() const noexcept { return in_payload_ && header_.kind == record_kind::data ? left_ : 0; }
  [[nodiscard]] std::uint64_t channel() const noexcept { return header_.channel; }
  void skip(std::size_t bytes) noexcept;

 private:
  bool read_header(ByteView& from);
  void check() const;
  void check_hello(ByteView payload) const;

  std::uint32_t most_control_;
  RecordHeader header_;
  std::size_t filled_ = 0, left_ = 0;  // bytes of the header that came, bytes of the payload that did not
  bool in_payload_ = false, greeted_ = false;
  std::vector<std::byte> payload_;
};

// Throws io_error.
[[noreturn]] void refuse_record(const std::string& what);

template <class Value>
Value value_of(ByteView bytes);  // of a payload that the decoder has checked
template <class Value>
ByteView bytes_of(const Value& value) {
  return std::as_bytes(std::span(&value, 1));
}

}  // namespace octavo::road::net
