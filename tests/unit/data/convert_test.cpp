// SPDX-License-Identifier: Apache-2.0
#include "data/io/convert.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "element.hpp"
#include "octavo/base/error.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using test::convertible;

std::vector<dtype> all_types() {
  std::vector<dtype> result;
  for (int i = 0; i < dtype_count; ++i) result.push_back(static_cast<dtype>(i));
  return result;
}

// 3 rows of 5, at odd addresses, with gaps that must stay untouched.
void check_pair(ElementForm from, ElementForm to, std::int64_t elements) {
  SCOPED_TRACE(std::string(name_of(from.type)) + " to " + std::string(name_of(to.type)));
  std::int64_t from_size = size_of(from.type), to_size = size_of(to.type), from_stride = elements * from_size + 3, to_stride = elements * to_size + 5;
  std::vector<std::byte> in(static_cast<std::size_t>(1 + 3 * from_stride)), out(static_cast<std::size_t>(1 + 3 * to_stride), std::byte{0xa5});
  for (std::int64_t i = 0; i < 3 * elements; ++i)
    test::put_element(&in[static_cast<std::size_t>(1 + i / elements * from_stride + i % elements * from_size)], from.type, from.order,
                      test::sample(i, from.type));
  Converter(from, to).rows(&out[1], to_stride, &in[1], from_stride, 3, elements);
  for (std::int64_t i = 0; i < 3 * elements; ++i)
    ASSERT_EQ(test::get_element(&out[static_cast<std::size_t>(1 + i / elements * to_stride + i % elements * to_size)], to.type, to.order),
              test::sample(i, from.type));
  for (std::int64_t row = 0; row < 3; ++row)
    for (std::int64_t gap = elements * to_size; gap < to_stride; ++gap) ASSERT_EQ(out[static_cast<std::size_t>(1 + row * to_stride + gap)], std::byte{0xa5});
}

TEST(Convert, EveryPairInEveryByteOrder) {
  for (auto from : all_types())
    for (auto to : all_types())
      for (auto from_order : {byte_order::little, byte_order::big})
        for (auto to_order : {byte_order::little, byte_order::big})
          for (std::int64_t elements : {1, 5}) {
            if (convertible(from, to)) check_pair({from, from_order}, {to, to_order}, elements);
            else EXPECT_THROW(Converter({from, from_order}, {to, to_order}), not_supported);
          }
}

TEST(Convert, ComplexToRealSaysWhatToDo) {
  auto text = test::text_of<not_supported>([] { Converter({dtype::complex64}, {dtype::float32}); });
  EXPECT_TEXT(text, "complex64 to float32");
  EXPECT_TEXT(text, "Choose a complex type");
}

TEST(Convert, ExtremesOfWideIntegersAndNan) {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  double result = 0;
  Converter({dtype::int64}, {dtype::float64}).rows(reinterpret_cast<std::byte*>(&result), 0, reinterpret_cast<const std::byte*>(&least), 0, 1, 1);
  EXPECT_EQ(result, -9223372036854775808.0);
  double nan = std::numeric_limits<double>::quiet_NaN();
  std::complex<float> pair{1, 1};
  Converter({dtype::float64}, {dtype::complex64}).rows(reinterpret_cast<std::byte*>(&pair), 0, reinterpret_cast<const std::byte*>(&nan), 0, 1, 1);
  EXPECT_TRUE(std::isnan(pair.real()));
  EXPECT_EQ(pair.imag(), 0);
}

TEST(Convert, BoxFillsFromOneElement) {
  std::vector<float> out(4 * 5 * 6, -1);
  float one = 7;
  Converter({dtype::float32}, {dtype::float32})
      .box(reinterpret_cast<std::byte*>(out.data()), {120, 24, 4}, reinterpret_cast<const std::byte*>(&one), {0, 0, 0}, {2, 3, 4});
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 6; ++k) EXPECT_EQ(out[static_cast<std::size_t>(i * 30 + j * 6 + k)], i < 2 && j < 3 && k < 4 ? 7 : -1);
}

TEST(Convert, ElementKeepsItsValue) {
  std::vector<std::byte> element(8);
  test::put_element(element.data(), dtype::float64, native_order, 42);
  auto wide = converted_element(element, dtype::float64, dtype::complex128);
  EXPECT_EQ(test::get_element(wide.data(), dtype::complex128, native_order), (std::complex<double>{42, 0}));
  EXPECT_THROW(converted_element(element, dtype::float32, dtype::complex128), usage_error);
}

}  // namespace
}  // namespace octavo
