// SPDX-License-Identifier: Apache-2.0
// The order of calls (C-2) where the callee reads in the midst of something else: a coroutine of its that begins calls looks for answers, and finds calls.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "conformance/process/every_place.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace process_tests {

class Notebook {
 public:
  void note(int n) { notes_.push_back(n); }
  void note_with(int n, const std::string& /*text*/) { notes_.push_back(n); }
  ov::future<void> begin_calls(ov::remote_ptr<Notebook> other, int rounds);
  void nothing() {}
  void compute_until(const std::string& began, const std::string& gate);
  [[nodiscard]] std::vector<int> notes() const { return notes_; }

 private:
  std::vector<int> notes_;
};
OCTAVO_REMOTE(Notebook, note, note_with, begin_calls, nothing, compute_until, notes)

ov::future<void> Notebook::begin_calls(ov::remote_ptr<Notebook> other, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    co_await ov::start(other)->nothing();
    for (int i = 0; i < 64; ++i) static_cast<void>(ov::start(other)->note(i));
  }
}

void Notebook::compute_until(const std::string& began, const std::string& gate) {
  constexpr std::chrono::milliseconds long_enough{30};  // that what has come meanwhile is read first
  const auto begin = std::chrono::steady_clock::now();
  std::ofstream(began).put('.');
  while (!std::filesystem::exists(gate) || std::chrono::steady_clock::now() < begin + long_enough) std::this_thread::yield();
}

namespace {

class Order : public EveryPlace {
 protected:
  Order() { std::filesystem::create_directories(home); }
};

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

// Its method computes, and so it reads nothing, until it is let go.
class Computing {
 public:
  Computing(const ov::remote_ptr<Notebook>& who, const std::filesystem::path& directory)
      : began_((directory / "began").string()), gate_((directory / "gate").string()), done_(ov::start(who)->compute_until(began_, gate_)) {
    until([&] { return std::filesystem::exists(began_); });
  }
  void let_go() {
    std::ofstream(gate_).put('.');
    done_.get();
  }

 private:
  const std::string began_, gate_;
  ov::future<void> done_;
};

TEST_P(Order, ARequestToTakeACallBackIsReadBeforeThatIsRun) {
  auto ledger = here.make<Notebook>();
  Computing computing(ledger, home);
  auto first = ov::start(ledger)->note_with(1, "x"), second = ov::start(ledger)->note_with(2, "x");
  EXPECT_FALSE(ov::detail::cancel_until(*ov::detail::Inside::shared(second), std::chrono::steady_clock::now())) << "nobody knows yet";
  computing.let_go();
  first.get();
  EXPECT_THROW(second.get(), ov::cancelled);
  EXPECT_EQ(ledger->notes(), std::vector<int>{1});
}

TEST_P(Order, ManyLargeCallsThatCameMeanwhileAreRunInTurn) {
  auto ledger = here.make<Notebook>();
  Computing computing(ledger, home);
  std::vector<int> expected(40);
  std::iota(expected.begin(), expected.end(), 0);
  std::atomic<bool> begins{false};
  std::thread caller([&] {
    for (int n : expected) {
      begins = true;
      static_cast<void>(ov::start(ledger)->note_with(n, std::string(std::size_t{1} << 20, 'x')));
    }
  });
  until([&] { return begins.load(); });
  computing.let_go();
  caller.join();
  EXPECT_EQ(ledger->notes(), expected);
}

INSTANTIATE_TEST_SUITE_P(Everywhere, Order, every_place, name_of_place);

}  // namespace
}  // namespace process_tests
