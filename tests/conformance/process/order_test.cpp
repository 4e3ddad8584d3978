// SPDX-License-Identifier: Apache-2.0
// The order of calls (C-2) where the callee reads in the midst of something else: a coroutine of its that begins calls looks for answers, and finds calls.
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "conformance/process/every_place.hpp"

namespace process_tests {

class Notebook {
 public:
  void note(int n) { notes_.push_back(n); }
  void note_with(int n, const std::string& /*text*/) { notes_.push_back(n); }
  ov::future<void> begin_calls(ov::remote_ptr<Notebook> other, int rounds);
  void nothing() {}
  [[nodiscard]] std::vector<int> notes() const { return notes_; }

 private:
  std::vector<int> notes_;
};
OCTAVO_REMOTE(Notebook, note, note_with, begin_calls, nothing, notes)

ov::future<void> Notebook::begin_calls(ov::remote_ptr<Notebook> other, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    co_await ov::start(other)->nothing();
    for (int i = 0; i < 64; ++i) static_cast<void>(ov::start(other)->note(i));
  }
}

namespace {

class Order : public EveryPlace {};

TEST_P(Order, C2_HoldsWhereACoroutineOfTheCalleeBeginsCalls) {
  auto ledger = here.make<Notebook>(), other = here.make<Notebook>();
  constexpr int calls = 3000;
  auto works = ov::start(ledger)->begin_calls(other, 150);
  for (int n = 0; n < calls; ++n) {
    if (n % 3 == 0) static_cast<void>(ov::start(ledger)->note_with(n, std::string(60, 'x')));  // more than the shortest way takes
    else static_cast<void>(ov::start(ledger)->note(n));
  }
  std::vector<int> expected(calls);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ledger->notes(), expected);
  works.get();
}
INSTANTIATE_TEST_SUITE_P(Everywhere, Order, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
