// SPDX-License-Identifier: Apache-2.0
// any, all, var and std of distributed arrays (DA-7).
#include <gmock/gmock.h>

#include <cmath>
#include <complex>

#include "conformance/distributed/holder.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace distributed_tests {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
template <class T>
using Array = ov::DistributedArray<T>;

class Reductions : public testing::Test {
 protected:
  template <class T>
  Array<T> of(const std::vector<T>& values, const ov::Shape& shape, const ov::Split& split) {
    return Array<T>::from_array(std::span<const T>(values), shape, split, g);
  }
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 64 * ov::MiB}};
  ov::group<Holder> g = ov::make_group<Holder>(ov::thread, 3);
};

TEST_F(Reductions, DA7_AnyAndAllAskWhetherElementsAreNotZero) {
  const auto rows = ov::Split::block({3, 1}), columns = ov::Split::cyclic({1, 3});
  for (const auto& split : {rows, columns}) {
    const auto a = of<std::int32_t>({0, 0, 256, 0, 5, 0, 0, 7, 1}, {3, 3}, split);
    EXPECT_TRUE(a.any());
    EXPECT_FALSE(a.all());
    EXPECT_EQ(a.any(0).gather(0), (std::vector<std::uint8_t>{0, 1, 1}));
    EXPECT_EQ(a.all(1).gather(0), (std::vector<std::uint8_t>{0, 0, 0}));
    EXPECT_EQ((a + 1).all(0).gather(0), (std::vector<std::uint8_t>{1, 1, 1}));
  }
  EXPECT_TRUE(of<double>({NAN, 0, 0}, {3}, ov::Split::block({3})).any());
  EXPECT_TRUE(of<std::complex<float>>({{0, 1}}, {1}, ov::Split::block({3})).all());
  const Array<double> none({0, 2}, rows, g);
  EXPECT_FALSE(none.any());
  EXPECT_TRUE(none.all());
  EXPECT_EQ(none.all(0).gather(0), (std::vector<std::uint8_t>{1, 1}));
}

TEST_F(Reductions, DA7_VarianceIsAroundTheMean) {
  const auto split = ov::Split::block({3});
  EXPECT_DOUBLE_EQ(of<double>({1e9, 1e9 + 2, 1e9 + 4, 1e9 + 6}, {4}, split).var(), 5);
  EXPECT_DOUBLE_EQ(of<std::int8_t>({100, 102, 104, 106}, {4}, split).var(1), 20.0 / 3);
  EXPECT_DOUBLE_EQ(of<float>({1, 3}, {2}, split).std(), 1);
  EXPECT_DOUBLE_EQ(of<std::complex<double>>({{0, 1}, {0, -1}}, {2}, split).var(), 1);
  EXPECT_THAT([&] { (void)Array<double>({0}, split, g).var(); }, ThrowsMessage<ov::usage_error>(HasSubstr("no elements")));
  EXPECT_THAT([&] { (void)Array<double>({3}, split, g).var(3); }, ThrowsMessage<ov::usage_error>(HasSubstr("ddof 3")));
}

}  // namespace
}  // namespace distributed_tests
