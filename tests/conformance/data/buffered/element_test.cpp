// SPDX-License-Identifier: Apache-2.0
// What stands for an element does what the element would (element.hpp), and an array that was moved from says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <sstream>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/buffered/buffered_array.hpp"

namespace {

namespace ov = octavo;
using testing::HasSubstr;
using testing::ThrowsMessage;
template <class T>
using Line = ov::BufferedArray<T, 1>;
template <class T>
using Element = ov::ElementReference<T>;

template <class T>
Line<T> line_of(std::initializer_list<T> values) {
  auto made = Line<T>::scratch({std::ssize(values)});
  std::ranges::copy(values, made.begin());
  return made;
}

template <class T>
concept Counts = requires(T x) {
  ++x;
};
template <class T>
concept HasRemainder = requires(T x) {
  x %= 2;
};
static_assert(Counts<Element<double>> && !HasRemainder<Element<double>> && !Counts<Element<std::complex<float>>>);

class BufferedElement : public testing::Test {
  ov::kit::Watchdog watchdog{60};
};

TEST_F(BufferedElement, IntegersHaveAllOperators) {
  auto u = line_of<std::int32_t>({13, 200});
  EXPECT_EQ(u[0]++, 13);
  EXPECT_EQ(++u[0], 15);
  EXPECT_EQ(u[0]--, 15);
  EXPECT_EQ(--u[0], 13);
  EXPECT_EQ(u[0] %= 8, 5);
  EXPECT_EQ(u[0] |= 10, 15);
  EXPECT_EQ(u[0] &= 6, 6);
  EXPECT_EQ(u[0] ^= 5, 3);
  EXPECT_EQ(u[0] <<= 4, 48);
  EXPECT_EQ(u[0] >>= 3, 6);
  EXPECT_EQ(u[1], 200);
  auto narrow = line_of<std::uint8_t>({255});
  EXPECT_EQ(++narrow[0], 0);
  auto real = line_of<double>({1.5});
  EXPECT_EQ(--real[0], 0.5);
}

TEST_F(BufferedElement, IsWrittenToAStreamAsItsValue) {
  auto z = line_of<std::complex<double>>({{1, 2}});
  auto x = line_of<float>({0.5F});
  auto letter = line_of<std::int8_t>({'a'});
  std::ostringstream text;
  text << z[0] << " " << x[0] << " " << letter[0] << " " << std::as_const(z)[0];
  EXPECT_EQ(text.str(), "(1,2) 0.5 a (1,2)");
}

TEST_F(BufferedElement, SwapExchangesTheValuesByEachOfItsNames) {
  auto u = line_of<std::int64_t>({1, 2, 3});
  std::swap(u[0], u[1]);
  EXPECT_THAT(std::vector<std::int64_t>(u.begin(), u.end()), testing::ElementsAre(2, 1, 3));
  auto first = u[0], last = u[2];
  std::swap(first, last);
  EXPECT_THAT(std::vector<std::int64_t>(u.begin(), u.end()), testing::ElementsAre(3, 1, 2));
  using std::swap;
  swap(first, last);
  std::int64_t apart = 9;
  swap(u[1], apart);
  swap(apart, u[0]);
  EXPECT_THAT(std::vector<std::int64_t>(u.begin(), u.end()), testing::ElementsAre(1, 9, 3));
  EXPECT_EQ(apart, 2);
}

TEST_F(BufferedElement, SyncTakesWhoeverHasABarrierAlsoOneThatItChanges) {
  struct Together {
    int met = 0;
    void barrier() { ++met; }
  };
  auto u = line_of<std::int32_t>({1, 2});
  Together all;
  u.sync(all);
  EXPECT_EQ(all.met, 2);
  u.sync(Together());
  EXPECT_EQ(u[1], 2);
}

TEST_F(BufferedElement, AnArrayThatWasMovedFromIsAUsageErrorAtEachUse) {
  auto u = line_of<std::int32_t>({1, 2, 3});
  const auto begin = u.begin();
  auto element = u[2];
  auto now = std::move(u);
  const auto refused = ThrowsMessage<ov::usage_error>(HasSubstr("moved from"));
  // NOLINTBEGIN(bugprone-use-after-move)
  EXPECT_THAT([&] { u[1000] = 1; }, refused);
  EXPECT_THAT([&] { static_cast<void>(std::as_const(u)[0]); }, refused);
  EXPECT_THAT([&] { element = 5; }, refused);
  EXPECT_THAT([&] { static_cast<void>(static_cast<std::int32_t>(*begin)); }, refused);
  const std::vector<std::function<void()>> uses{[&] { u.at(0) = 1; },
                                                [&] { static_cast<void>(u.begin()); },
                                                [&] { static_cast<void>(u.block({0})); },
                                                [&] { u.for_each_block([](const ov::Block<std::int32_t, 1>&) {}); },
                                                [&] { static_cast<void>(u.share()); },
                                                [&] { u.writeback(); },
                                                [&] { u.flush(); },
                                                [&] { u.invalidate(ov::discard::yes); },
                                                [&] { u.close(); },
                                                [&] { static_cast<void>(u.shape()); },
                                                [&] { static_cast<void>(u.block_shape()); },
                                                [&] { static_cast<void>(u.dirty_elements()); },
                                                [&] { static_cast<void>(u.counters()); }};
  for (const auto& use : uses) EXPECT_THAT(use, refused);
  // NOLINTEND(bugprone-use-after-move)
  now[2] = 30;
  u = std::move(now);
  EXPECT_EQ(u[2], 30);
  EXPECT_THAT([&] { now[0] = 1; }, refused);
}

TEST_F(BufferedElement, AShareThatWasMovedFromIsAUsageError) {
  auto u = line_of<std::int32_t>({1, 2, 3});
  auto share = u.share();
  const auto mine = std::move(share);
  EXPECT_THAT([&] { share[0] = 1; }, ThrowsMessage<ov::usage_error>(HasSubstr("moved from")));  // NOLINT(bugprone-use-after-move)
  mine[0] = 4;
  EXPECT_EQ(mine[0], 4);
}

}  // namespace
