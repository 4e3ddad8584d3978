// SPDX-License-Identifier: Apache-2.0
#include "road/net/record.hpp"

#include <gtest/gtest.h>

#include <array>

#include "octavo/base/error.hpp"

namespace {

using namespace octavo::road::net;
using octavo::ByteView;

constexpr std::uint32_t most_control = 1000;

struct Stream {
  std::vector<std::byte> bytes;
  Stream& raw(const void* from, std::size_t n) {
    auto* begin = static_cast<const std::byte*>(from);
    bytes.insert(bytes.end(), begin, begin + n);
    return *this;
  }
  Stream& record(record_kind kind, std::uint64_t channel, std::size_t size, char fill = 'x') {
    RecordHeader header{kind, {}, static_cast<std::uint32_t>(size), channel};
    raw(&header, sizeof header);
    bytes.insert(bytes.end(), size, static_cast<std::byte>(fill));
    return *this;
  }
  Stream& hello(Hello hello) {
    RecordHeader header{record_kind::hello, {}, sizeof hello, 0};
    return raw(&header, sizeof header).raw(&hello, sizeof hello);
  }
};
Stream greeted() { return Stream().hello({link_magic, link_version, 0, 65536}); }

// What came, as text: data of one record together.
std::string decode(const Stream& stream, std::size_t portion) {
  RecordDecoder decoder(most_control);
  std::string text;
  for (std::size_t at = 0; at < stream.bytes.size(); at += portion) {
    ByteView part = ByteView(stream.bytes).subspan(at, std::min(portion, stream.bytes.size() - at));
    Record record;
    while (decoder.next(part, record)) {
      if (record.kind != record_kind::data || text.empty() || text.back() != '+')
        text += ' ' + std::to_string(static_cast<int>(record.kind)) + '/' + std::to_string(record.channel) + ':';
      else text.pop_back();
      text += record.kind == record_kind::hello ? "hello" : std::string(reinterpret_cast<const char*>(record.bytes.data()), record.bytes.size());
      if (decoder.data_to_come() != 0) text += '+';
    }
    EXPECT_TRUE(part.empty());
  }
  return text;
}

TEST(RecordDecoder, GivesTheRecordsWhateverThePortions) {
  auto stream = greeted()
                    .record(record_kind::control, 0, 5, 'c')
                    .record(record_kind::data, 7, 6, 'd')
                    .record(record_kind::control, 0, 0)
                    .record(record_kind::control_with, 0, 3, 'w')
                    .record(record_kind::credit, 9, 8, 'r')
                    .record(record_kind::ping, 0, 0)
                    .record(record_kind::pong, 0, 0)
                    .record(record_kind::end, 7, 0);
  for (std::size_t portion = 1; portion < 60; ++portion)
    EXPECT_EQ(decode(stream, portion), " 1/0:hello 2/0:ccccc 3/7:dddddd 2/0: 9/0:www 4/9:rrrrrrrr 6/0: 7/0: 5/7:") << portion;
}

TEST(RecordDecoder, DataMayBePutElsewhere) {
  auto stream = greeted().record(record_kind::data, 7, 4).record(record_kind::end, 7, 0);
  RecordDecoder decoder(most_control);
  Record record;
  ByteView head = ByteView(stream.bytes).first(32 + 16 + 1);
  EXPECT_TRUE(decoder.next(head, record));  // hello
  EXPECT_TRUE(decoder.next(head, record));
  EXPECT_EQ(record.bytes.size(), 1U);
  EXPECT_EQ(decoder.data_to_come(), 3U);
  EXPECT_EQ(decoder.channel(), 7U);
  decoder.skip(3);
  EXPECT_EQ(decoder.data_to_come(), 0U);
  ByteView rest = ByteView(stream.bytes).subspan(32 + 16 + 4);
  EXPECT_TRUE(decoder.next(rest, record));
  EXPECT_EQ(record.kind, record_kind::end);
}

TEST(RecordDecoder, RefusesWhatIsNotAllowed) {
  auto refused = [](Stream stream, const std::string& text) {
    for (std::size_t portion : {1U, 1000U}) {
      try {
        decode(stream, portion);
        ADD_FAILURE() << "taken: " << text;
      } catch (const octavo::io_error& e) {
        EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
      }
    }
  };
  refused(Stream().record(record_kind::ping, 0, 0), "kind 6 before the hello");
  refused(greeted().hello({}), "a second hello");
  refused(Stream().hello({1, link_version, 0, 65536}), "mark");
  refused(Stream().hello({link_magic, 2, 0, 65536}), "version 2, this program speaks 1");
  refused(Stream().hello({link_magic, link_version, 0, 1}), "a window of 1 bytes");
  refused(Stream().hello({link_magic, link_version, 0, ~0ULL}), "a window of");
  refused(greeted().record(record_kind{0}, 0, 0), "kind 0");
  refused(greeted().record(record_kind{10}, 0, 0), "kind 10");
  refused(greeted().record(record_kind::page, 1, 7), "kind 8 of 7 bytes");
  refused(greeted().record(record_kind::control, 0, most_control + 1), "kind 2 of 1001 bytes");
  refused(greeted().record(record_kind::control, 1, 1), "for channel 1");
  refused(greeted().record(record_kind::data, 1, 0), "kind 3 of 0 bytes");
  refused(greeted().record(record_kind::data, 1, most_data_bytes + 1), "kind 3 of 262145 bytes");
  refused(greeted().record(record_kind::credit, 1, 7), "kind 4 of 7 bytes");
  refused(greeted().record(record_kind::end, 1, 1), "kind 5 of 1 bytes");
  refused(greeted().record(record_kind::pong, 3, 0), "for channel 3");
  auto dirty = greeted();
  std::array<std::byte, 16> header{std::byte{6}, std::byte{1}};
  refused(dirty.raw(header.data(), 16), "must be zero");
  refused(Stream().raw("GET / HTTP/1.1\r\nHost: there\r\n", 29), "refused");
}

}  // namespace
