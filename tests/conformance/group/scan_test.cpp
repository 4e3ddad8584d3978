// SPDX-License-Identifier: Apache-2.0
// scan, exclusive_scan and all_to_all (G-13, G-14) on every place; in random programs with the other collectives they are in player_test.cpp.
#include <functional>
#include <numeric>

#include "conformance/process/every_place.hpp"
#include "octavo/group.hpp"

namespace group_tests {

namespace ov = octavo;

class Runner {
 public:
  // What scan, exclusive_scan and all_to_all gave, as text.
  [[nodiscard]] std::vector<std::string> texts() const {
    const auto me = ov::self<Runner>();
    const auto mine = std::to_string(me.index()) + ",";
    std::vector<std::string> given, came{me.scan(mine, std::plus<>()), me.exclusive_scan(mine, "begin ", std::plus<>())};
    for (std::size_t to = 0; to < me.size(); ++to) given.push_back(std::to_string(me.index()) + ">" + std::to_string(to) + " ");
    std::string together;
    for (const auto& each : me.all_to_all(given)) together += each;
    came.push_back(together);
    return came;
  }
  // Member i has i + 1 in each element.
  [[nodiscard]] std::vector<double> scanned(std::size_t length) const {
    const auto me = ov::self<Runner>();
    const std::vector<double> mine(length, static_cast<double>(me.index() + 1));
    const auto with = me.scan(mine, std::plus<>());
    const auto before = me.exclusive_scan(mine, std::vector<double>(length, 0.5), std::plus<>());
    if (with.size() != length || before.size() != length) return {};
    for (std::size_t i = 0; i < length; ++i)
      if (with[i] != with[0] || before[i] != before[0]) return {};
    return {with[0], before[0]};
  }
  // Of other lengths for each: what i gives j are (i + j) * words numbers i * 1000 + j. How many were wrong.
  [[nodiscard]] std::size_t exchanged(std::size_t words) const {
    const auto me = ov::self<Runner>();
    std::vector<std::vector<std::size_t>> given;
    for (std::size_t to = 0; to < me.size(); ++to) given.emplace_back((me.index() + to) * words, me.index() * 1000 + to);
    const auto came = me.all_to_all(given);
    std::size_t wrong = came.size() == me.size() ? 0 : 1;
    for (std::size_t from = 0; from < came.size(); ++from)
      if (came[from] != std::vector<std::size_t>((me.index() + from) * words, from * 1000 + me.index())) ++wrong;
    return wrong;
  }
  [[nodiscard]] std::vector<int> flags() const {
    const auto me = ov::self<Runner>();
    std::vector<bool> given(me.size());
    for (std::size_t to = 0; to < given.size(); ++to) given[to] = to >= me.index();
    std::vector<int> came;
    for (const bool each : me.all_to_all(given)) came.push_back(each ? 1 : 0);
    return came;
  }
  int op_fails(std::size_t at) const {
    const auto me = ov::self<Runner>();
    return me.scan(static_cast<int>(me.index()), [&](int a, int b) {
      if (me.index() == at) throw std::domain_error("cannot add " + std::to_string(a) + " and " + std::to_string(b));
      return a + b;
    });
  }
  void other_length(const std::string& how) const {
    const auto me = ov::self<Runner>();
    const std::size_t length = me.index() == 2 ? 11 : 10;
    if (how == "value") me.scan(std::vector<int>(length), std::plus<>());
    if (how == "init") me.exclusive_scan(std::vector<int>(10), std::vector<int>(length), std::plus<>());
    if (how == "values") me.all_to_all(std::vector<int>(me.size() + (me.index() == 2 ? 1 : 0)));
  }
  std::uint64_t many(std::uint64_t rounds) const {
    const auto me = ov::self<Runner>();
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      sum += me.scan(i, std::plus<>());
      for (auto each : me.all_to_all(std::vector<std::uint64_t>(me.size(), i))) sum += each;
    }
    return sum;
  }
};
OCTAVO_REMOTE(Runner, texts, scanned, exchanged, flags, op_fails, other_length, many)

namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

class Scans : public process_tests::EveryPlace {
 protected:
  void expect_texts(const ov::group<Runner>& g) {
    const auto came = g->texts();
    std::string before;
    for (std::size_t i = 0; i < g.size(); ++i) {
      std::string exchanged;
      for (std::size_t from = 0; from < g.size(); ++from) exchanged += std::to_string(from) + ">" + std::to_string(i) + " ";
      EXPECT_EQ(came[i], (std::vector<std::string>{before + std::to_string(i) + ",", "begin " + before, exchanged})) << "member " << i << " of " << g.size();
      before += std::to_string(i) + ",";
    }
  }
  template <class E, class Value>
  static std::size_t failed(std::vector<ov::future<Value>>& started, const testing::Matcher<std::string>& with) {
    std::size_t count = 0;
    for (auto& one : started) {
      try {
        one.get();
      } catch (const E& e) {
        ++count;
        EXPECT_THAT(e.what(), with);
      }
    }
    return count;
  }
};

TEST_P(Scans, G13_G14_ForGroupsOfManySizes) {
  for (std::size_t n : {1, 2, 3, 5, 8, 13}) {
    const auto g = ov::make_group<Runner>(here, n);
    expect_texts(g);
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<int> flags(n);
      for (std::size_t from = 0; from <= i; ++from) flags[from] = 1;
      EXPECT_EQ(g->flags()[i], flags);
    }
    for (const auto& p : g) ov::destroy(p);
  }
}

TEST_P(Scans, G13_VectorsAreScannedElementByElement) {
  const auto g = ov::make_group<Runner>(here, 5);
  for (std::size_t length : {1, 1000, 100'001}) {
    const auto came = g->scanned(length);
    for (std::size_t i = 0; i < 5; ++i) {
      const auto before = static_cast<double>(i * (i + 1)) / 2;
      EXPECT_EQ(came[i], (std::vector<double>{before + static_cast<double>(i + 1), before + 0.5})) << "member " << i << ", " << length << " elements";
    }
  }
}

TEST_P(Scans, G14_BulkOfOtherLengthsForEach) {
  const auto g = ov::make_group<Runner>(here, 5);
  for (std::size_t words : {0, 1, 700, 60'000}) EXPECT_THAT(g->exchanged(words), Each(0u)) << words;
}

TEST_P(Scans, G8_G13_WhatTheOperationThrows) {
  const auto g = ov::make_group<Runner>(here, 6);
  const auto text = AllOf(HasSubstr("cannot add"), HasSubstr("and"));
  for (std::size_t at : {0, 1, 4, 5}) {
    std::vector<ov::future<int>> started;
    for (const auto& p : g) started.push_back(ov::start(p)->op_fails(at));
    const auto threw = failed<std::domain_error>(started, text);
    EXPECT_GE(threw, 1u) << at;
    if (at == 4) {
      EXPECT_EQ(threw, g.size()) << "as it joins what goes up: nobody has his yet";
    }
    expect_texts(g);
  }
}

TEST_P(Scans, G8_OtherLengthsAreAnErrorAtAll) {
  const auto g = ov::make_group<Runner>(here, 5);
  struct Case {
    const char *how, *one, *other;
  };
  for (const Case& each :
       {Case{"value", "[10]", "[11]"}, Case{"init", "vectors of 11 and 10", "of one length"}, Case{"values", "given 6 values", "5 members"}}) {
    std::vector<ov::future<void>> started;
    for (const auto& p : g) started.push_back(ov::start(p)->other_length(each.how));
    EXPECT_EQ(failed<ov::usage_error>(started, AllOf(HasSubstr(each.one), HasSubstr(each.other))), 5u) << each.how;
    expect_texts(g);
  }
}

TEST_P(Scans, ManyOneAfterAnother) {
  const auto g = ov::make_group<Runner>(here, 3);
  const auto came = g->many(300);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(came[i], (i + 1 + 3) * (299 * 300 / 2));
}

// Members of the machines lie between each other: what comes before one is known in pieces.
TEST_P(Scans, G13_G14_OverSeveralMachines) {
  for (std::size_t n : {2, 3, 7, 12}) {
    const auto g = ov::make_group<Runner>({here, runtime.machine("attic"), ov::process, ov::thread}, n);
    expect_texts(g);
    EXPECT_THAT(g->exchanged(5000), Each(0u));
    EXPECT_EQ(g->scanned(5000).back().at(0), static_cast<double>(n * (n + 1)) / 2);
    for (const auto& p : g) ov::destroy(p);
  }
}

INSTANTIATE_TEST_SUITE_P(, Scans, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
