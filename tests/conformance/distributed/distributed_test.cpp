// SPDX-License-Identifier: Apache-2.0
// Distributed arrays (include/octavo/distributed/distributed_array.hpp), clause by clause, on every place.
#include <gmock/gmock.h>

#include "conformance/distributed/holder.hpp"
#include "conformance/process/every_place.hpp"

namespace distributed_tests {
namespace {

using testing::HasSubstr;

class Distributed : public process_tests::EveryPlace {
 protected:
  ov::group<Holder> members(std::size_t n) { return ov::make_group<Holder>(here, n); }
  static Numbers filled(const ov::Shape& shape, const ov::Split& split, const ov::group<Holder>& g) {
    const auto all = values_of(shape);
    return Numbers::from_array(std::span(all), shape, split, g);
  }
  // Where the elements of each member are, if that is a box.
  static std::vector<ov::Box> boxes(const Numbers& a, const ov::group<Holder>& g) {
    std::vector<ov::Box> found;
    for (const auto& axes : g->indices(a)) {
      ov::Box box;
      for (const auto& axis : axes) {
        box.lo.push_back(axis.empty() ? 0 : axis.front());
        box.hi.push_back(axis.empty() ? 0 : axis.back() + 1);
      }
      found.push_back(box);
    }
    return found;
  }
};
class DistributedAlone : public Distributed {};

TEST_P(Distributed, DA1_DA2_EachMemberFindsItsPart) {
  auto g = members(3);
  const auto a = filled({8}, ov::Split::block({3}).halo({1}), g);
  EXPECT_EQ(g->memory(a), (std::vector<std::vector<std::int64_t>>{{0, 1, 8, 15, 0}, {0, 22, 29, 36, 0}, {0, 43, 50, 0}}));
  EXPECT_EQ(g[1]->indices(a)[0], (std::vector<std::int64_t>{3, 4, 5}));
  EXPECT_EQ(a.hosts().size(), 3u);
  EXPECT_THROW((void)a.local(), ov::usage_error) << "no part is in the program";
}

TEST_P(Distributed, DA4_BordersShowTheNeighboursAndWhatLiesBeyond) {
  for (const auto& grid : {ov::Shape{4, 1}, ov::Shape{2, 2}, ov::Shape{1, 4}}) {
    auto g = members(4);
    const ov::Shape shape{7, 6}, halo{2, 1};
    for (const auto how : {ov::boundary::nearest, ov::boundary::reflect, ov::boundary::periodic, ov::boundary::none, ov::boundary::value}) {
      const auto a = filled(shape, ov::Split::block(grid).halo(halo), g);
      const std::int64_t beyond = how == ov::boundary::value ? -5 : 0;
      if (how == ov::boundary::value) a.exchange_halo(-5);
      else a.exchange_halo(how);
      const auto parts = boxes(a, g);
      const auto memory = g->memory(a);
      for (std::size_t i = 0; i < g.size(); ++i)
        EXPECT_EQ(memory[i], model_of(shape, parts[i], halo, how, beyond))
            << "member " << i << " of a grid of " << grid.text() << ", " << static_cast<int>(how);
    }
  }
}

TEST_P(Distributed, DA4_ABorderMayBeWiderThanANeighboursPart) {
  auto g = members(4);
  const auto a = filled({5}, ov::Split::block({4}).halo({3}), g);
  a.exchange_halo(ov::boundary::periodic);
  const auto parts = boxes(a, g);
  const auto memory = g->memory(a);
  for (std::size_t i = 0; i < g.size(); ++i) EXPECT_EQ(memory[i], model_of({5}, parts[i], {3}, ov::boundary::periodic, 0));
  EXPECT_THROW(filled({2}, ov::Split::block({4}).halo({3}), g).exchange_halo(ov::boundary::periodic), ov::usage_error);
}

TEST_P(Distributed, DA5_DA6_AnyRedistributionKeepsTheElements) {
  auto g = members(4);
  const ov::Shape shape{9, 7};
  const auto splits = {ov::Split::block({4, 1}).halo({1, 0}),          ov::Split::block({1, 4}),
                       ov::Split::block({2, 2}).members({3, 1, 2, 0}), ov::Split::cyclic({4, 1}),
                       ov::Split::block_cyclic({2, 2}, {2, 3}),        ov::Split::block({2, 1}).members({1, 3})};
  for (const auto& from : splits)
    for (const auto& to : splits) {
      const auto b = filled(shape, from, g).resplit(to);
      EXPECT_EQ(b.gather(3), values_of(shape)) << from.text() << " to " << to.text();
    }
}

TEST_P(Distributed, DA3_MembersMakeAndUseThemTogether) {
  auto g = members(4);
  const ov::Shape shape{6, 5};
  auto results = g->work(shape, ov::Split::block({4, 1}).halo({1, 0}), ov::Split::block({2, 2}));
  auto expected = values_of(shape);
  for (auto& each : expected) each += 1;
  EXPECT_EQ(results[0], expected);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(results[i].empty()) << "only the root has it";
}

TEST_P(Distributed, DA3_MembersThatDifferAreNamed) {
  auto g = members(3);
  const auto a = filled({9}, ov::Split::block({3}).halo({1}), g);
  try {
    g->exchange_or_sum(a, 1);
    g.barrier();
    a.exchange_halo();
    FAIL() << "nobody told";
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("exchange_halo"));
  }
  EXPECT_EQ(a.sum(), 261) << "the group can be called again";
}

TEST_P(Distributed, DA6_LargePartsComeWhole) {
  auto g = members(3);
  const ov::Shape shape{300, 1000};
  const auto a = filled(shape, ov::Split::block({3, 1}).halo({100, 0}), g);
  a.exchange_halo(ov::boundary::periodic);
  const auto parts = boxes(a, g);
  EXPECT_EQ(g[1]->memory(a), model_of(shape, parts[1], {100, 0}, ov::boundary::periodic, 0));
  EXPECT_EQ(a.resplit(ov::Split::block({1, 3})).gather(1), values_of(shape));
}

TEST_P(Distributed, DA7_ReductionsAlongAnAxis) {
  auto g = members(4);
  for (const auto& split :
       {ov::Split::block({4, 1}).halo({1, 2}), ov::Split::block({2, 2}), ov::Split::cyclic({1, 4}), ov::Split::block_cyclic({2, 2}, {2, 1})}) {
    const auto a = filled({5, 3}, split, g);
    EXPECT_EQ(a.sum(0).gather(0), (std::vector<std::int64_t>{215, 250, 285}));
    EXPECT_EQ(a.sum(1).gather(1), (std::vector<std::int64_t>{24, 87, 150, 213, 276}));
    EXPECT_EQ(a.product(1).gather(0)[0], 1 * 8 * 15);
    EXPECT_EQ(a.min(0).gather(0), (std::vector<std::int64_t>{1, 8, 15}));
    EXPECT_EQ(a.max(1).gather(0), (std::vector<std::int64_t>{15, 36, 57, 78, 99}));
  }
  const ov::DistributedArray<float> halves({3, 2, 4}, ov::Split::block({1, 2, 2}), g, 0.5f);
  const auto sums = halves.sum(1);
  EXPECT_EQ(sums.global_shape(), (ov::Shape{3, 4}));
  EXPECT_EQ(sums.split(), ov::Split::block({1, 2}).members({0, 1}));
  EXPECT_EQ(sums.sum(), 12);
  EXPECT_THROW((void)halves.sum(3), ov::usage_error);
  const ov::DistributedArray<double> none({0, 4}, ov::Split::block({4, 1}), g);
  EXPECT_EQ(none.sum(0).gather(0), std::vector<double>(4));
  EXPECT_THROW((void)none.max(0), ov::usage_error);
}

TEST_P(Distributed, DA7_Reductions) {
  auto g = members(4);
  const auto a = filled({5, 3}, ov::Split::block({4, 1}).halo({2, 0}), g);
  EXPECT_EQ(a.sum(), 7 * 105 + 15);
  EXPECT_EQ(a.min(), 1);
  EXPECT_EQ(a.max(), 99);
  const ov::DistributedArray<float> halves({1000}, ov::Split::cyclic({4}), g, 0.5f);
  EXPECT_EQ(halves.sum(), 500);
  EXPECT_EQ(halves.product(), 0);
  const ov::DistributedArray<std::int8_t> bytes({1000}, ov::Split::block({4}), g, std::int8_t{100});
  EXPECT_EQ(bytes.sum(), 100'000);
  const ov::DistributedArray<double> none({0, 4}, ov::Split::block({4, 1}), g);
  EXPECT_EQ(none.sum(), 0);
  EXPECT_EQ(none.product(), 1);
  EXPECT_THROW((void)none.max(), ov::usage_error);
}

TEST_P(Distributed, DA9_ArithmeticOfOneSplit) {
  auto g = members(3);
  const ov::Shape shape{7, 5};
  std::vector<double> x(35), y(35), expected(35);
  for (std::size_t i = 0; i < 35; ++i) x[i] = static_cast<double>(i), y[i] = 100.0 - x[i], expected[i] = 300 - y[i] / 2;
  using Field = ov::DistributedArray<double>;
  const auto a = Field::from_array(std::span<const double>(x), shape, ov::Split::block({3, 1}).halo({2, 1}), g);
  const auto b = Field::from_array(std::span<const double>(y), shape, ov::Split::block({3, 1}), g);  // with another halo
  EXPECT_EQ((3.0 * (a + b) - b / 2.0).gather(0), expected) << "from outside";
  EXPECT_EQ(g->compute(a, b)[1], expected) << "in members";
  auto c = b.resplit(ov::Split::block({1, 3}));
  EXPECT_THROW((void)(a + c), ov::usage_error);
  c *= 2;
  EXPECT_EQ(c.sum(), 2 * b.sum());
  auto whole = filled({5}, ov::Split::cyclic({3}), g);
  whole -= 1;
  EXPECT_EQ(whole.max(), 28);
  EXPECT_THROW(whole /= 2, ov::usage_error) << "a division of integers";
}

TEST_P(Distributed, DA1_PartsLiveAsLongAsTheyAreHeld) {
  auto g = members(2);
  {
    const auto a = filled({4}, ov::Split::block({2}), g);
    g->keep(a);
    EXPECT_EQ(g->kept_sum(), (std::vector<std::int64_t>{46, 46}));
  }
  EXPECT_EQ(g->kept_sum(), (std::vector<std::int64_t>{46, 46})) << "the members have it still";
  const auto made = g->give();  // in members; what they gave away stays
  EXPECT_EQ(made[0].sum(), 12);
  EXPECT_EQ(made[1].gather(0), (std::vector<std::int64_t>(6, 2)));
}

TEST_P(DistributedAlone, DA3_ADeathIsToldToAll) {
  for (const std::string how : {"exchange_halo", "resplit", "gather", "sum", "make"}) {
    auto g = members(4);
    const auto a = filled({400}, ov::Split::block({4}).halo({1}), g);
    std::vector<ov::future<std::string>> waiting;
    for (std::size_t i = 0; i < 4; ++i)
      if (i != 2) waiting.push_back(ov::start(g[i])->until_death(a, how, 2));
    EXPECT_THROW(g[2]->until_death(a, how, 2), ov::process_died);
    for (auto& each : waiting) EXPECT_THAT(each.get(), HasSubstr("SIGKILL")) << how;
    EXPECT_THROW((void)a.sum(), ov::process_died) << how;
  }
}

TEST_P(Distributed, DA8_ToDiskAndBack) {
  auto g = members(3);
  const ov::Shape shape{50, 33};
  const auto path = (std::filesystem::temp_directory_path() / ("octavo-distributed-" + std::to_string(::getpid()) + ".npy")).string();
  for (const auto& split : {ov::Split::block({3, 1}).halo({1, 0}), ov::Split::cyclic({1, 3})}) {
    filled(shape, split, g).to_disk(path, {.overwrite = true});
    const auto b = Numbers::from_array(ov::open_array(path), ov::Split::block({1, 3}), g);
    EXPECT_EQ(b.gather(0), values_of(shape)) << split.text();
    g->store(b + 1, path);
    EXPECT_EQ(g->load(ov::open_array(path), split), std::vector<std::int64_t>(3, b.sum() + shape.count())) << split.text();
  }
  EXPECT_THROW(g->store(filled(shape, ov::Split::block({3, 1}), g), "/none/such.npy"), ov::error);
  std::filesystem::remove(path);
}

TEST(DistributedMemory, DA1_ThePoolHasRoomAgainWhenNobodyHasTheArray) {
  const ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime({.memory = 64 * ov::MiB});
  auto g = ov::make_group<Holder>(ov::process, 2);
  const auto split = ov::Split::block({2});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Numbers({3 << 20}, split, g).min(), 0) << "24 MiB";
  const Numbers most({5 << 20}, split, g);
  try {
    const Numbers more({5 << 20}, split, g);
    FAIL() << "80 MiB in a pool of 64";
  } catch (const ov::refused& e) {
    EXPECT_THAT(e.what(), HasSubstr("no room for 20 MiB"));
  }
  EXPECT_EQ(most.max(), 0) << "and nothing is broken";
}

INSTANTIATE_TEST_SUITE_P(Places, Distributed, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(Places, DistributedAlone, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace distributed_tests
