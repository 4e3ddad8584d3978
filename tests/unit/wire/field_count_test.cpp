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
// Each of these lines has eight members.
#define EIGHT(p, first) \
  int p##0 = (first), p##1 = (first) + 1, p##2 = (first) + 2, p##3 = (first) + 3, p##4 = (first) + 4, p##5 = (first) + 5, p##6 = (first) + 6, p##7 = (first) + 7
struct Wide {
  EIGHT(a, 0);
  EIGHT(b, 8);
  EIGHT(c, 16);
  EIGHT(d, 24);
  EIGHT(e, 32);
  EIGHT(f, 40);
  EIGHT(g, 48);
  int h0 = 56, h1 = 57, h2 = 58, h3 = 59, h4 = 60, h5 = 61, h6 = 62;
  std::string h7 = "63";
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
  first.h7 = "the last";
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
  EXPECT_EQ(second.g3, 51);
  EXPECT_EQ(second.h7, "the last");
}

}  // namespace
}  // namespace octavo::wire
