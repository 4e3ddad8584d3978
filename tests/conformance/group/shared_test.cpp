// SPDX-License-Identifier: Apache-2.0
// G-17: collectives by shared memory and by messages, in any order, give the same; so do members of which one cannot give its value there.
#include <numeric>
#include <random>

#include "conformance/process/every_place.hpp"
#include "octavo/group/group.hpp"
#include "octavo/group/self.hpp"

namespace group_tests {
namespace {

namespace ov = octavo;

class Sharer {
 public:
  // What each of these collectives gave; all members draw the same ones.
  [[nodiscard]] std::vector<double> play(std::uint64_t seed, int collectives) const {
    const auto me = ov::self<Sharer>();
    std::mt19937_64 draws(seed);
    std::vector<double> came;
    for (int i = 0; i < collectives; ++i) {
      const auto kind = draws() % 7;
      const auto who = draws() % me.size();
      const double mine = static_cast<double>(draws() % 100) + static_cast<double>(me.index());
      came.push_back(collective(me, kind, who, mine));
    }
    return came;
  }
  // The same collectives: in the first of them this member throws, and so all do; they go on with the next.
  [[nodiscard]] std::vector<double> fail_and_go_on(int collectives, std::size_t who) const {
    const auto me = ov::self<Sharer>();
    std::vector<double> came;
    for (int i = 0; i < collectives; ++i) {
      try {
        me.all_reduce(1.0, [&](double a, double b) {
          if (who == me.index()) throw std::domain_error("no sum today");
          return a + b;
        });
      } catch (const std::domain_error&) {}
      came.push_back(me.all_reduce(static_cast<double>(me.index()), std::plus<>()));
    }
    return came;
  }
  // Sums of one part, and of all, in turns.
  [[nodiscard]] std::vector<double> in_parts(int rounds) const {
    const auto me = ov::self<Sharer>();
    const auto part = me.split(static_cast<std::int64_t>(me.index() % 2));
    std::vector<double> came;
    for (int i = 0; i < rounds; ++i) {
      came.push_back(part.all_reduce(static_cast<double>(me.index()), std::plus<>()));
      me.barrier();
      came.push_back(me.all_reduce(static_cast<double>(me.index()), std::plus<>()));
    }
    return came;
  }
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    const auto me = ov::self<Sharer>();
    std::vector<std::uint64_t> few{me.index(), 1}, more(7, me.index());
    me.all_reduce(std::span(few), std::plus<>());
    me.all_reduce(std::span(more), std::plus<>());  // 56 bytes
    few.push_back(me.all_reduce(std::uint64_t{1} << me.index(), std::bit_or<>()));
    few.push_back(more.back());
    return few;
  }
  [[nodiscard]] double sum() const { return ov::self<Sharer>().all_reduce(1.0, std::plus<>()); }

 private:
  static double collective(const ov::member<Sharer>& me, std::uint64_t kind, std::size_t who, double mine) {
    const auto add = [](double a, double b) { return a + b; };
    switch (kind) {
      case 0: me.barrier(); return 0;
      case 1: return me.all_reduce(mine, std::plus<>());
      case 2: return me.index() == who ? me.all_reduce(mine, add) : me.all_reduce(mine, std::plus<>());
      case 3: return me.broadcast(mine, who);
      case 4: return me.all_reduce(mine, add);
      case 5: return me.scan(mine, add);
      default: {
        const auto all = me.gather(mine, who);
        return std::accumulate(all.begin(), all.end(), 0.0);
      }
    }
  }
};
OCTAVO_REMOTE(Sharer, play, fail_and_go_on, in_parts, numbers, sum)

class Shared : public process_tests::EveryPlace {
 protected:
  // What member `me` of `n` has of these collectives.
  static std::vector<double> expected(std::size_t n, std::size_t me, std::uint64_t seed, int collectives) {
    std::mt19937_64 draws(seed);
    std::vector<double> all;
    for (int i = 0; i < collectives; ++i) {
      const auto kind = draws() % 7;
      const auto who = draws() % n;
      const double first = static_cast<double>(draws() % 100);
      const auto sum = [&](std::size_t count) { return first * static_cast<double>(count) + static_cast<double>(count * (count - 1)) / 2; };
      if (kind == 0) all.push_back(0);
      else if (kind == 3) all.push_back(first + static_cast<double>(who));
      else if (kind == 5) all.push_back(sum(me + 1));
      else all.push_back(kind == 6 && me != who ? 0 : sum(n));
    }
    return all;
  }
};

TEST_P(Shared, G17_CollectivesOfAllKindsInAnyOrder) {
  for (const std::size_t n : {2, 3, 5}) {
    const auto g = ov::make_group<Sharer>(here, n);
    for (std::uint64_t seed = 1; seed < 6; ++seed) {
      const auto came = g->play(seed, 100);
      for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(came[i], expected(n, i, seed, 100)) << "member " << i << " of " << n << ", seed " << seed;
    }
  }
}

TEST_P(Shared, G17_AfterOneThatFailed) {
  constexpr std::size_t n = 3;
  const auto g = ov::make_group<Sharer>(here, n);
  for (std::size_t who = 0; who < n; ++who)
    EXPECT_EQ(g->fail_and_go_on(20, who), std::vector<std::vector<double>>(n, std::vector<double>(20, 3.0))) << "member " << who;
}

TEST_P(Shared, G17_BesideItsParts) {
  const auto g = ov::make_group<Sharer>(here, 4);
  const auto came = g->in_parts(10);
  for (std::size_t i = 0; i < came.size(); ++i)
    for (std::size_t at = 0; at < came[i].size(); ++at) EXPECT_EQ(came[i][at], at % 2 == 1 ? 6.0 : i % 2 == 0 ? 2.0 : 4.0) << "member " << i;
}

TEST_P(Shared, G17_FewNumbersAndMore) {
  const auto g = ov::make_group<Sharer>(here, 3);
  EXPECT_EQ(g->numbers(), std::vector<std::vector<std::uint64_t>>(3, {3, 3, 7, 3}));
}

TEST_P(Shared, G17_SeveralGroupsOfTheSameObjects) {
  const auto g = ov::make_group<Sharer>(here, 3);
  const auto turned = g.sub({2, 0, 1});
  const auto two = g.sub({1, 2});
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(g->sum(), std::vector<double>(3, 3.0));
    EXPECT_EQ(turned->sum(), std::vector<double>(3, 3.0));
    EXPECT_EQ(two->sum(), std::vector<double>(2, 2.0));
  }
}

INSTANTIATE_TEST_SUITE_P(, Shared, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
