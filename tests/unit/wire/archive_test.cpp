// SPDX-License-Identifier: Apache-2.0
#include "octavo/wire/archive.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "octavo/base/error.hpp"

namespace {

namespace wire = octavo::wire;

struct Point {
  double x = 0, y = 0;
  std::string name;
  bool operator==(const Point&) const = default;
};
enum class colour : std::uint8_t { red, green };
struct Everything {
  std::vector<Point> points;
  std::map<std::string, std::vector<int>> table;
  std::optional<Point> maybe;
  std::variant<int, std::string> either;
  std::tuple<int, double> pair;
  colour hue = colour::red;
  std::array<std::int16_t, 3> fixed{};
  std::set<int> set;
  std::complex<double> z;
  bool operator==(const Everything&) const = default;
};
class Private {
 public:
  Private() = default;
  explicit Private(int value) : value_(value) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value_);
  }
  bool operator==(const Private&) const = default;

 private:
  int value_ = 0;
};
struct Split {
  int value = 0;
};
template <class Archive>
void save(Archive& archive, const Split& s) {
  archive(s.value * 2);
}
template <class Archive>
void load(Archive& archive, Split& s) {
  archive(s.value);
  s.value /= 2;
}
struct Flat {
  double x = 0;
  std::array<std::int32_t, 2> at{};
  bool operator==(const Flat&) const = default;
};
struct Padded {
  double x = 0;
  int n = 0;
};
static_assert(wire::flat<Flat, wire::Encoder> && wire::flat<std::complex<float>, wire::Encoder>);
static_assert(!wire::flat<Padded, wire::Encoder> && !wire::flat<bool, wire::Encoder> && !wire::flat<Point, wire::Encoder>);
struct Deep {
  std::vector<Deep> children;
};

// A frame as a road would carry it: through its bytes.
wire::Message carried(const wire::Outgoing& out) {
  wire::Outgoing frame = out;
  frame.header.body_bytes = frame.body.size();
  frame.header.bulk_count = static_cast<std::uint32_t>(frame.bulk.size());
  frame.header.page_count = static_cast<std::uint32_t>(frame.pages.size());
  std::vector<std::byte> tables, stream;
  for (auto piece : wire::pieces_of(frame, tables)) stream.insert(stream.end(), piece.begin(), piece.end());
  wire::FrameDecoder decoder;
  std::size_t at = 0;
  while (!decoder.complete()) {
    auto room = decoder.want();
    std::size_t n = std::min<std::size_t>({room.size(), stream.size() - at, 7});
    std::memcpy(room.data(), stream.data() + at, n);
    at += n;
    decoder.got(n);
  }
  EXPECT_EQ(at, stream.size());
  return decoder.take();
}

template <class T>
T there_and_back(const T& value) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(value);
  auto message = carried(out);
  wire::Decoder decoder(message);
  T result{};
  decoder(result);
  EXPECT_EQ(decoder.left(), 0u);
  return result;
}

TEST(Archive, CarriesEveryKindOfValue) {
  Everything all{{{1, 2, "a"}, {3, 4, "b"}}, {{"k", {1, 2, 3}}}, Point{5, 6, "c"}, std::string("text"), {7, 8.5}, colour::green, {1, -2, 3}, {3, 1}, {1, -1}};
  EXPECT_EQ(there_and_back(all), all);
  EXPECT_EQ(there_and_back(Private(7)), Private(7));
  EXPECT_EQ(there_and_back(Split{21}).value, 21);
  EXPECT_EQ(there_and_back(std::vector<bool>{true, false}), (std::vector<bool>{true, false}));
}

TEST(Archive, BulkDataStaysOutOfTheBody) {
  std::vector<double> data(100000);
  std::iota(data.begin(), data.end(), 0.0);
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(data);
  EXPECT_LT(out.body.size(), 64u);
  ASSERT_EQ(out.bulk.size(), 1u);
  EXPECT_EQ(static_cast<const void*>(out.bulk[0].data()), data.data()) << "borrowed, not copied";
  EXPECT_EQ(there_and_back(data), data);
}

TEST(Archive, SoDoFlatAggregates) {
  std::vector<Flat> data(1000, Flat{1.5, {2, 3}});
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(data);
  EXPECT_EQ(out.bulk.size(), 1u);
  EXPECT_EQ(there_and_back(data), data);
  EXPECT_EQ(there_and_back(std::vector<Flat>(3, data[0])), std::vector<Flat>(3, data[0]));
  EXPECT_EQ(there_and_back(std::vector<std::complex<double>>(500, {1, 2})), std::vector<std::complex<double>>(500, {1, 2}));
}

TEST(Archive, RefusesACountOfFlatElementsThatCannotBeThere) {
  for (std::uint64_t count : {std::uint64_t{1} << 60, std::uint64_t{100}}) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(count);
    encoder(std::vector<std::int64_t>(20));
    auto message = carried(out);
    wire::Decoder decoder(message);
    std::vector<Flat> flat;
    EXPECT_THROW(decoder(flat), octavo::io_error);
    EXPECT_EQ(flat.capacity(), 0u) << "nothing was made for it";
  }
}

TEST(Archive, GivesBulkWithoutACopy) {
  std::vector<double> data(1000, 2.5);
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder.put_bulk(data.data(), 8000);
  encoder.put_bulk(data.data(), 80);
  auto message = carried(out);
  const auto* there = message.bulk.at(0).span().data();
  wire::Decoder decoder(message);
  EXPECT_EQ(decoder.take_bulk(8000).span().data(), there);
  EXPECT_EQ(decoder.take_bulk(80).size(), 80u);
  EXPECT_THROW(decoder.take_bulk(8000), octavo::io_error);
  EXPECT_THROW(decoder.take_bulk(8), octavo::io_error);
}

TEST(Archive, RefusesACountThatCannotBeThere) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(std::uint64_t{1} << 60);
  auto message = carried(out);
  wire::Decoder decoder(message);
  std::vector<Point> points;
  EXPECT_THROW(decoder(points), octavo::io_error);
}

Deep nested(int levels) {
  Deep deep;
  for (int i = 1; i < levels; ++i) {
    Deep outer;
    outer.children.push_back(std::move(deep));
    deep = std::move(outer);
  }
  return deep;
}

// Each level counts as a struct and as a list.
TEST(Archive, RefusesNestingThatIsTooDeepBeforeItLeaves) {
  constexpr int most = wire::max_depth / 2;
  EXPECT_NO_THROW(there_and_back(nested(most - 1)));
  for (const int levels : {most + 1, 2 * most, 10 * most}) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    try {
      encoder(nested(levels));
      ADD_FAILURE() << levels << " levels";
    } catch (const octavo::refused& e) {
      EXPECT_THAT(e.what(), testing::AllOf(testing::HasSubstr("deeper than " + std::to_string(wire::max_depth)), testing::HasSubstr("Deep")));
    }
  }
}

// Whatever an Encoder takes a Decoder takes.
TEST(Archive, BothCountDepthAlike) {
  for (int levels = wire::max_depth / 2 - 2; levels < wire::max_depth / 2 + 2; ++levels) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    try {
      encoder(nested(levels));
    } catch (const octavo::refused&) {
      continue;
    }
    auto message = carried(out);
    wire::Decoder decoder(message);
    Deep came;
    EXPECT_NO_THROW(decoder(came)) << levels;
  }
}

TEST(Archive, WhatComesNestedTooDeepIsRefused) {
  wire::Outgoing out;
  for (int level = 0; level < wire::max_depth; ++level) out.body.append(std::string("\1\0\0\0\0\0\0\0", 8).data(), 8);  // a list of one list of one ...
  auto message = carried(out);
  wire::Decoder decoder(message);
  Deep came;
  EXPECT_THROW(decoder(came), octavo::io_error);
}

TEST(Archive, RefusesAShortBody) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(std::int32_t{1});
  auto message = carried(out);
  wire::Decoder decoder(message);
  double value = 0;
  EXPECT_THROW(decoder(value), octavo::io_error);
}

TEST(Frame, RefusesWhatIsNotAFrame) {
  auto feed = [](wire::FrameHeader header) {
    wire::FrameDecoder decoder;
    std::memcpy(decoder.want().data(), &header, sizeof header);
    decoder.got(sizeof header);
  };
  wire::FrameHeader header;
  header.magic = 1;
  EXPECT_THROW(feed(header), octavo::io_error);
  header = {};
  header.version = 99;
  EXPECT_THROW(feed(header), octavo::io_error);
  header = {};
  header.body_bytes = std::uint64_t{1} << 62;
  EXPECT_THROW(feed(header), octavo::io_error);
  header = {};
  header.bulk_count = 0xffffffff;
  EXPECT_THROW(feed(header), octavo::io_error);
  header = {};
  header.kind = static_cast<wire::frame_kind>(77);
  EXPECT_THROW(feed(header), octavo::io_error);
}

}  // namespace
