// SPDX-License-Identifier: Apache-2.0
// What an archive points to when a save() has returned: only what the value owns.
#include "octavo/wire/borrowing.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "kit/made.hpp"
#include "octavo/data/page_map.hpp"

namespace {

namespace wire = octavo::wire;
using octavo::kit::Made;

bool is_owned(const wire::Outgoing& out, octavo::ByteView bulk) {
  return std::ranges::any_of(out.owned, [&](const auto& each) { return each.data() == bulk.data(); });
}
template <class T>
wire::Outgoing encoded(const T& value) {
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(value);
  return out;
}

TEST(Borrowing, AMembersElementsAreNotCopied) {
  struct Field {
    std::string name;
    std::vector<double> values;
    std::vector<std::pair<int, std::string>> notes;
  };
  const Field field{"f", std::vector<double>(1000), {{1, std::string(5000, 'a')}}};
  const auto out = encoded(std::vector<Field>{field});
  EXPECT_EQ(out.bulk.size(), 2u);
  EXPECT_TRUE(out.owned.empty());
  const std::map<std::string, std::list<std::optional<std::vector<float>>>> nested{{"a", {std::vector<float>(2000), std::nullopt}}};
  EXPECT_TRUE(encoded(nested).owned.empty());
  const Made made(Made::What{Made::member, 3, 1000});
  EXPECT_TRUE(encoded(made).owned.empty());
  const Made with_array(Made::What{Made::array_inside, 3, 1000});
  EXPECT_EQ(encoded(with_array).bulk.size(), 2u);
  EXPECT_TRUE(encoded(with_array).owned.empty());
}

TEST(Borrowing, WhatASaveMakesOnTheSpotIsCopied) {
  for (int way = Made::temporary; way < Made::array_inside; ++way) {
    const Made made(Made::What{static_cast<Made::way>(way), 3, 1000});
    const auto out = encoded(made);
    ASSERT_FALSE(out.bulk.empty()) << "way " << way;
    for (const auto& each : out.bulk) EXPECT_TRUE(is_owned(out, each)) << "way " << way;
  }
}

TEST(Borrowing, WhatLiesInSuchAValueIsCopiedToo) {
  struct Holder {
    int n = 1;
    std::vector<Made> all;
  };
  const Holder holder{1, {Made(Made::What{Made::local, 1, 600}), Made(Made::What{Made::member, 1, 600})}};
  const auto out = encoded(holder);
  ASSERT_EQ(out.bulk.size(), 2u);
  EXPECT_TRUE(is_owned(out, out.bulk[0]));
  EXPECT_FALSE(is_owned(out, out.bulk[1])) << "a member again";
}

struct Later {
  std::list<double> values;
  template <class A>
  void save(A& a) const {
    a(cereal::defer(std::vector<double>(values.begin(), values.end())));
  }
};

TEST(Borrowing, WhatIsDeferredIsCopied) {
  const Later later{std::list<double>(600, 7)};
  wire::Outgoing out;
  wire::Encoder encoder(out);
  encoder(later);
  encoder.serializeDeferments();
  ASSERT_EQ(out.bulk.size(), 1u);
  EXPECT_TRUE(is_owned(out, out.bulk[0]));
}

TEST(Borrowing, ManyInOneFrame) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Made> all;
    for (int i = 0; i < 5; ++i) all.emplace_back(Made::any(random));
    const auto out = encoded(all);
    const std::vector<std::vector<double>> others(50, std::vector<double>(600, -1));  // takes the room of what is gone
    auto message = wire::message_of(out);
    wire::Decoder in(message);
    std::vector<Made> came;
    in(came);
    for (const auto& each : came) ASSERT_TRUE(each.right()) << "way " << int{each.what().how} << ", " << each.what().count << " numbers";
  }
}

TEST(Borrowing, ManyLevelsDeep) {
  struct Deep {
    std::vector<double> values = std::vector<double>(600, 1);
    std::vector<Deep> inner;
  };
  Deep top;
  for (int i = 0; i < 40; ++i) {
    Deep next;
    next.inner.push_back(std::move(top));
    top = std::move(next);
  }
  const auto out = encoded(top);
  EXPECT_EQ(out.bulk.size(), 41u);
  EXPECT_FALSE(is_owned(out, out.bulk.front()));
  for (const auto& each : out.bulk) EXPECT_EQ(reinterpret_cast<const double*>(each.data())[599], 1);
}

TEST(Borrowing, AMapOfPagesOfOnesOwn) {
  const octavo::Shape grid{20, 20};
  const auto own = [](const octavo::Shape& page) { return octavo::PagePlace{page[0] % 4, page[1] * 5 + page[0] / 4}; };
  const auto map = octavo::PageMap::computed(grid, 4, own);
  auto out = encoded(map);
  auto message = wire::message_of(out);
  wire::Decoder in(message);
  octavo::PageMap came;
  in(came);
  for (std::int64_t page = 0; page < grid.count(); ++page) EXPECT_EQ(came.place_of(octavo::unflatten(page, grid)), own(octavo::unflatten(page, grid)));
}

}  // namespace
