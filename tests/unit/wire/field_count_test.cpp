// SPDX-License-Identifier: Apache-2.0
#include "octavo/wire/field_count.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "octavo/wire/archive.hpp"

namespace octavo::wire {
namespace {

struct Point {
  double x, y;
};
struct Mixed {
  Point p;
  std::array<int, 3> a;
  std::string s;
  std::vector<Point> v;
  std::optional<double> o;
  std::variant<int, std::string> w;
  std::unique_ptr<int> u;
};
struct NoDefault {
  explicit NoDefault(int) {}
};
struct HasOne {
  NoDefault a;
  int b;
};
struct Empty {};
struct Derived : Point {
  double z;
};
struct InFront {
  double x[3];
  double m;
};
struct Behind {
  double m;
  char text[2][8];
};
struct Wide {
  int a0 = 0, a1 = 1, a2 = 2, a3 = 3, a4 = 4, a5 = 5, a6 = 6, a7 = 7, b0 = 8, b1 = 9, b2 = 10, b3 = 11, b4 = 12, b5 = 13, b6 = 14, b7 = 15;
  std::string c0 = "16";
  int c1 = 17, c2 = 18, c3 = 19, c4 = 20, c5 = 21, c6 = 22, c7 = 23, d0 = 24, d1 = 25, d2 = 26, d3 = 27, d4 = 28, d5 = 29, d6 = 30, d7 = 31;
  int e0 = 32, e1 = 33, e2 = 34, e3 = 35, e4 = 36, e5 = 37, e6 = 38, e7 = 39, f0 = 40, f1 = 41, f2 = 42, f3 = 43, f4 = 44, f5 = 45, f6 = 46, f7 = 47;
  int g0 = 48, g1 = 49, g2 = 50, g3 = 51, g4 = 52, g5 = 53, g6 = 54, g7 = 55, h0 = 56, h1 = 57, h2 = 58, h3 = 59, h4 = 60, h5 = 61, h6 = 62, h7 = 63;
};

template <class T>
constexpr std::size_t array_in = detail::first_array<T, detail::field_count<T>()>();

TEST(FieldCount, OfAggregates) {
  EXPECT_EQ(detail::field_count<Empty>(), 0U);
  EXPECT_EQ(detail::field_count<Point>(), 2U);
  EXPECT_EQ(detail::field_count<Mixed>(), 7U);
  EXPECT_EQ(detail::field_count<HasOne>(), 2U);
  EXPECT_EQ(detail::field_count<Wide>(), 64U);
}

TEST(FieldCount, FindsTheFirstCArray) {
  EXPECT_EQ(array_in<InFront>, 1U);
  EXPECT_EQ(array_in<Behind>, 2U);
  EXPECT_EQ(array_in<Mixed> + array_in<HasOne> + array_in<Wide> + array_in<Empty>, 0U);
}

TEST(FieldCount, KnowsABaseFromAMember) {
  EXPECT_TRUE(detail::has_base<Derived>);
  EXPECT_FALSE(detail::has_base<Point> || detail::has_base<Mixed> || detail::has_base<Empty> || detail::has_base<Wide>);
}

TEST(FieldCount, SixtyFourMembersTravelInTheirOrder) {
  Wide first;
  first.a0 = 100;
  first.c0 = "sixteen";
  first.h7 = -1;
  int seen = 0;
  for_each_field(first, [&](auto&... field) { ((seen += std::is_same_v<decltype(field), int&> ? 1 : 100), ...); });
  EXPECT_EQ(seen, 163);
  Outgoing out;
  Encoder encoder(out);
  encoder(first);
  auto message = message_of(out);
  Decoder decoder(message);
  Wide second;
  second.g3 = 7;
  decoder(second);
  EXPECT_EQ(second.a0, 100);
  EXPECT_EQ(second.c0, "sixteen");
  EXPECT_EQ(second.g3, 51);
  EXPECT_EQ(second.h7, -1);
}

}  // namespace
}  // namespace octavo::wire
