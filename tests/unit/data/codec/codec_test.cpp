// SPDX-License-Identifier: Apache-2.0
// The contract CD-1 to CD-6, on each codec that this build has.
#include "data/codec/codec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "data/codec/chain.hpp"
#include "data/codec/crc32c.hpp"
#include "octavo/base/error.hpp"

namespace octavo {
namespace {

using Bytes = std::vector<std::byte>;

// Text-like, so that every codec finds something to leave out; `noise`: nothing to leave out.
Bytes some_bytes(std::size_t count, bool noise = false) {
  std::mt19937 random(static_cast<unsigned>(count));
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(noise ? random() : (i / 64 + random() % 4));
  return bytes;
}

Bytes encoded_by(Codec& codec, const Bytes& bytes) {
  Bytes room(codec.most_encoded(bytes.size()));
  room.resize(codec.encode(bytes, room));
  return room;
}

struct Case {
  const char* name;
  const char* json;
};

void PrintTo(const Case& of, std::ostream* out) { *out << of.name; }

class EachCodec : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    const Json json = parse_json(GetParam().json, "a test");
    const auto names = native_codecs();
    if (std::ranges::find(names, json.at("name").get<std::string>()) == names.end()) GTEST_SKIP() << "this build has no " << GetParam().name;
    codec = make_codec(json);
  }
  std::unique_ptr<Codec> codec;
};

TEST_P(EachCodec, CD1_CD2_GivesBackWhatItWasGiven) {
  for (const bool noise : {false, true})
    for (std::size_t count : {std::size_t{1}, std::size_t{7}, std::size_t{1024}, std::size_t{300'001}}) {
      const Bytes bytes = some_bytes(count, noise), encoded = encoded_by(*codec, bytes);
      Bytes back(count);
      codec->decode(encoded, back);
      EXPECT_EQ(back, bytes) << count;
    }
}

TEST_P(EachCodec, CD3_OtherSizesThanPromisedAreDamaged) {
  const Bytes encoded = encoded_by(*codec, some_bytes(4096));
  for (std::size_t count : {std::size_t{0}, std::size_t{4095}, std::size_t{4097}, std::size_t{1'000'000}}) {
    Bytes back(count);
    EXPECT_THROW(codec->decode(encoded, back), Damaged) << count;
  }
  Bytes longer = encoded, back(4096);
  longer.push_back(std::byte{1});
  EXPECT_THROW(codec->decode(longer, back), Damaged);
}

TEST_P(EachCodec, CD3_CD4_CutAtAnyByteItIsDamaged) {
  const Bytes encoded = encoded_by(*codec, some_bytes(512));
  Bytes back(512);
  for (std::size_t count = 0; count < encoded.size(); ++count) {
    const Bytes cut(encoded.begin(), encoded.begin() + static_cast<std::ptrdiff_t>(count));  // a copy of its own: the sanitizers see who reads behind it
    EXPECT_THROW(codec->decode(cut, back), Damaged) << count;
  }
}

TEST_P(EachCodec, CD4_CD5_OneWrongBitDoesNoHarm) {
  const Bytes bytes = some_bytes(2048);
  Bytes encoded = encoded_by(*codec, bytes), back(bytes.size());
  int damaged = 0;
  for (std::size_t bit = 0; bit < 8 * encoded.size(); bit += 5) {
    encoded[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    try {
      codec->decode(encoded, back);
    } catch (const Damaged& e) {
      EXPECT_NE(std::string(e.what()), "");
      ++damaged;
    }
    encoded[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
  EXPECT_GT(damaged, 0);
  codec->decode(encoded, back);
  EXPECT_EQ(back, bytes);
}

TEST_P(EachCodec, CD6_SaysWhatItTakes) { EXPECT_LE(codec->working_bytes(1 << 20), std::size_t{64} << 20); }

INSTANTIATE_TEST_SUITE_P(
    Codecs, EachCodec,
    testing::Values(Case{"crc32c", R"({"name": "crc32c"})"}, Case{"fletcher32", R"({"name": "numcodecs.fletcher32"})"},
                    Case{"zstd", R"({"name": "zstd", "configuration": {"level": 1, "checksum": true}})"},
                    Case{"zstd0", R"({"name": "zstd", "configuration": {"level": 0, "checksum": false}})"},
                    Case{"gzip", R"({"name": "gzip", "configuration": {"level": 5}})"}, Case{"gzip0", R"({"name": "gzip", "configuration": {"level": 0}})"},
                    Case{"zlib", R"({"name": "numcodecs.zlib", "configuration": {"level": 1}})"}, Case{"lzf", R"({"name": "lzf"})"},
                    Case{"lz4_alone", R"({"name": "numcodecs.lz4"})"}, Case{"lz4_fast", R"({"name": "numcodecs.lz4", "configuration": {"acceleration": 50}})"},
                    Case{"blosclz", R"({"name": "blosc", "configuration": {"cname": "blosclz", "typesize": 4, "shuffle": "shuffle"}})"},
                    Case{"lz4", R"({"name": "blosc", "configuration": {"cname": "lz4", "typesize": 4, "shuffle": "bitshuffle"}})"},
                    Case{"lz4hc", R"({"name": "blosc", "configuration": {"cname": "lz4hc", "typesize": 8, "shuffle": "noshuffle"}})"},
                    Case{"blosc_zlib", R"({"name": "blosc", "configuration": {"cname": "zlib", "typesize": 2, "shuffle": "shuffle", "clevel": 1}})"},
                    Case{"blosc_zstd", R"({"name": "blosc", "configuration": {"cname": "zstd", "typesize": 16, "shuffle": "bitshuffle"}})"}),
    [](const auto& of) { return std::string(of.param.name); });

TEST(Codec, OneThatIsNotKnownIsNamed) {
  try {
    make_codec(parse_json(R"({"name": "zfpy"})", "a test"));
    FAIL();
  } catch (const not_supported& e) {
    EXPECT_NE(std::string(e.what()).find("'zfpy'"), std::string::npos) << e.what();
  }
}

TEST(Codec, AConfigurationThatMakesNoSenseIsNamed) {
  const auto names = native_codecs();
  if (std::ranges::find(names, "gzip") == names.end()) GTEST_SKIP();
  EXPECT_THROW(make_codec(parse_json(R"({"name": "gzip", "configuration": {"level": "high"}})", "a test")), usage_error);
  EXPECT_THROW(make_codec(parse_json(R"({"name": "gzip", "configuration": {"level": 77}})", "a test")), usage_error);
  EXPECT_THROW(make_codec(parse_json(R"({"name": "gzip", "configuration": 3})", "a test")), usage_error);
  EXPECT_THROW(make_codec(parse_json(R"({"configuration": {}})", "a test")), usage_error);
}

TEST(Codec, SeveralMembersOfGzipAreOneChunk) {
  const auto names = native_codecs();
  if (std::ranges::find(names, "gzip") == names.end()) GTEST_SKIP();
  auto codec = make_codec(parse_json(R"({"name": "gzip"})", "a test"));
  const Bytes first = some_bytes(100), second = some_bytes(50);
  Bytes both = encoded_by(*codec, first), more = encoded_by(*codec, second), whole = first, back(150);
  both.insert(both.end(), more.begin(), more.end());
  whole.insert(whole.end(), second.begin(), second.end());
  codec->decode(both, back);
  EXPECT_EQ(back, whole);
}

TEST(CodecChain, ChecksumsStandBehindTheCompressor) {
  const auto names = native_codecs();
  if (std::ranges::find(names, "zstd") == names.end()) GTEST_SKIP();
  CodecChain chain(parse_json(R"([{"name": "zstd"}, {"name": "crc32c"}])", "a test"));
  EXPECT_EQ(chain.text(), "zstd, crc32c");
  const Bytes bytes = some_bytes(5000);
  Bytes room(chain.most_encoded(bytes.size())), back(bytes.size());
  const auto encoded = chain.encode(bytes, room);
  chain.decode(encoded, back);
  EXPECT_EQ(back, bytes);
  room[encoded.size() - 1] ^= std::byte{1};
  try {
    chain.decode(encoded, back);
    FAIL();
  } catch (const Damaged& e) {
    EXPECT_TRUE(std::string(e.what()).starts_with("crc32c: ")) << e.what();
  }
  EXPECT_THROW(CodecChain(parse_json(R"([{"name": "zstd"}, {"name": "zstd"}])", "a test")), not_supported);
  EXPECT_THROW(CodecChain(parse_json(R"([{"name": "crc32c"}, {"name": "zstd"}])", "a test")), not_supported);
  EXPECT_THROW(CodecChain(parse_json("{}", "a test")), usage_error);
}

TEST(Codec, Fletcher32IsThatOfHdf5InBothByteOrders) {
  auto codec = make_codec(parse_json(R"({"name": "numcodecs.fletcher32"})", "a test"));
  Bytes bytes(9);  // an odd number, as numcodecs has it: its last byte is the upper one of a word
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(10 * i + 1);
  Bytes encoded = encoded_by(*codec, bytes), back(9);
  const Bytes sum(encoded.end() - 4, encoded.end());
  EXPECT_EQ(sum, (Bytes{std::byte{0xa4}, std::byte{0xcd}, std::byte{0xdb}, std::byte{0xa0}}));
  std::swap(encoded[9], encoded[10]);
  std::swap(encoded[11], encoded[12]);
  codec->decode(encoded, back);
  EXPECT_EQ(back, bytes);
}

TEST(Codec, CD1_ShufflePutsTheBytesOfElementsTogether) {
  for (const int element : {1, 2, 3, 4, 8, 16}) {
    auto codec = make_codec(parse_json(R"({"name": "numcodecs.shuffle", "configuration": {"elementsize": )" + std::to_string(element) + "}}", "a test"));
    const Bytes bytes = some_bytes(1003, true), encoded = encoded_by(*codec, bytes);
    const auto whole = 1003 / static_cast<std::size_t>(element);
    for (std::size_t i = 0; i < whole; ++i)
      for (std::size_t j = 0; j < static_cast<std::size_t>(element); ++j) ASSERT_EQ(encoded[j * whole + i], bytes[i * static_cast<std::size_t>(element) + j]);
    Bytes back(1003), other(1002);
    codec->decode(encoded, back);
    EXPECT_EQ(back, bytes);
    EXPECT_THROW(codec->decode(encoded, other), Damaged);
  }
}

TEST(Codec, CD1_TransposePutsTheAxesInAnotherOrder) {
  const Shape shape{3, 5, 4}, order{2, 0, 1}, turned{4, 3, 5};  // axis i in the file is axis order[i]
  for (const int element : {1, 2, 8, 16}) {
    const auto size = static_cast<std::size_t>(element);
    auto codec = make_codec(parse_json(
        R"({"name": "transpose", "configuration": {"order": [2, 0, 1], "shape": [3, 5, 4], "elementsize": )" + std::to_string(element) + "}}", "a test"));
    const Bytes bytes = some_bytes(60 * size, true), encoded = encoded_by(*codec, bytes);
    for_each_index(turned, [&](const Shape& at) {
      Shape from = at;
      for (int axis = 0; axis < 3; ++axis) from[static_cast<int>(order[axis])] = at[axis];
      const auto to = static_cast<std::size_t>(flatten(at, turned)) * size, place = static_cast<std::size_t>(flatten(from, shape)) * size;
      for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(encoded[to + i], bytes[place + i]) << at.text();
    });
    Bytes back(bytes.size()), other(bytes.size() - 1);
    codec->decode(encoded, back);
    EXPECT_EQ(back, bytes);
    EXPECT_THROW(codec->decode(encoded, other), Damaged);
    EXPECT_THROW(codec->decode(other, back), Damaged);
  }
  for (const char* about : {R"({})", R"({"order": [0, 0], "shape": [2, 2]})", R"({"order": [1, 0], "shape": [2]})", R"({"order": [1, 0], "shape": [2, 0]})",
                            R"({"order": [1, 0], "shape": [4611686018427387904, 4]})", R"({"order": [1, 0], "shape": [18446744073709551615, 4]})",
                            R"({"order": "F", "shape": [2, 2]})"})
    EXPECT_THROW(make_codec(Json{{"name", "transpose"}, {"configuration", parse_json(about, "a test")}}), usage_error) << about;
}

TEST(CodecChain, WhatMovesBytesStandsBeforeTheCompressor) {
  const auto names = native_codecs();
  if (std::ranges::find(names, "numcodecs.zlib") == names.end()) GTEST_SKIP();
  CodecChain chain(parse_json(R"([{"name": "numcodecs.shuffle"}, {"name": "numcodecs.zlib"}, {"name": "numcodecs.fletcher32"}])", "a test"));
  for (const std::size_t count : {std::size_t{5000}, std::size_t{12}, std::size_t{6000}}) {
    const Bytes bytes = some_bytes(count);
    Bytes room(chain.most_encoded(count)), back(count);
    chain.decode(chain.encode(bytes, room), back);
    EXPECT_EQ(back, bytes);
  }
  EXPECT_GE(chain.working_bytes(1 << 20), std::size_t{1} << 20);
  for (const char* text :
       {R"([{"name": "numcodecs.zlib"}, {"name": "numcodecs.shuffle"}])", R"([{"name": "numcodecs.shuffle"}, {"name": "numcodecs.shuffle"}])"})
    EXPECT_THROW(CodecChain(parse_json(text, "a test")), not_supported);
}

TEST(CodecChain, WithoutACompressorAChecksumStandsBehindWhatWasMoved) {
  CodecChain chain(
      parse_json(R"([{"name": "transpose", "configuration": {"order": [1, 0], "shape": [4, 3], "elementsize": 2}}, {"name": "crc32c"}])", "a test"));
  const Bytes bytes = some_bytes(24);
  Bytes room(chain.most_encoded(24)), back(24);
  chain.decode(chain.encode(bytes, room), back);
  EXPECT_EQ(back, bytes);
}

TEST(CodecChain, WithoutCodecsTheBytesAreAsTheyAre) {
  CodecChain chain(Json::array());
  const Bytes bytes = some_bytes(10);
  Bytes room(10), back(10), other(9);
  chain.decode(chain.encode(bytes, room), back);
  EXPECT_EQ(back, bytes);
  EXPECT_THROW(chain.decode(bytes, other), Damaged);
}

TEST(Crc32c, BothWaysGiveTheSame) {
  for (std::size_t count = 0; count < 100; ++count) {
    const Bytes bytes = some_bytes(count, true);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), count);
    EXPECT_EQ(crc32c(text), detail::crc32c_by_table(text)) << count;
  }
}

}  // namespace
}  // namespace octavo
