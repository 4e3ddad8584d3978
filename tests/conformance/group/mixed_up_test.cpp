// SPDX-License-Identifier: Apache-2.0
// G-7, G-16: after a call to all in which members called different collectives, the next one finds the group as a new one does.
#include <functional>

#include "conformance/group/guest.hpp"
#include "octavo/process/errors.hpp"

namespace group_tests {
namespace {

class MixedUp : public process_tests::EveryPlace {
 protected:
  ov::kit::Watchdog shorter_than_the_patience{50};
  // Member `who` calls one, the others another, and all of them a barrier.
  static auto kinds_of(std::size_t n, std::size_t who, int one, int another) {
    std::vector<std::vector<int>> all(n, {another, barrier_kind});
    all[who] = {one, barrier_kind};
    return ov::each(all);
  }
};

TEST_P(MixedUp, G16_TheNextCallToAllHearsNothingOfIt) {
  for (const std::size_t n : {2, 3}) {
    std::vector<int> numbers;
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(1 << i);
    const auto g = ov::make_group<Guest>(here, n, ov::each(numbers));
    for (std::size_t who = 0; who < n; ++who)
      for (int one = 0; one < kinds_of_collectives; ++one)
        for (int another = 0; another < kinds_of_collectives; ++another) {
          if (one == another) continue;
          const auto which = testing::Message() << "member " << who << " of " << n << ", kinds " << one << " and " << another;
          // The barrier tells what had not shown before.
          EXPECT_THROW(static_cast<void>(g->dine(kinds_of(n, who, one, another), Leaving{})), ov::usage_error) << which;
          try {
            EXPECT_EQ(g->sum(), std::vector<int>(n, (1 << n) - 1)) << which;
          } catch (const ov::usage_error& e) {
            ADD_FAILURE() << which << ": " << e.what();
          }
        }
  }
}

TEST_P(MixedUp, G16_NorWhereBothGaveAndLeft) {
  const auto g = ov::make_group<Guest>(here, 2, ov::each(std::vector<int>{1, 2}));
  constexpr int scatter_from_first = 8, broadcast_from_last = 5;
  for (int i = 0; i < 100; ++i) {
    EXPECT_THROW(static_cast<void>(g->dine(kinds_of(2, 0, scatter_from_first, broadcast_from_last), Leaving{})), ov::usage_error);
    EXPECT_EQ(g->sum(), (std::vector<int>{3, 3}));
  }
}

INSTANTIATE_TEST_SUITE_P(, MixedUp, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace group_tests
