// SPDX-License-Identifier: Apache-2.0
// Calls and starts, mixed, of all sizes, from 4 callers to 4 processes: each caller's arrive in the order made (C-2), none is lost, every
// byte is right, and nobody's memory grows with their number. OCTAVO_CALLS=1000000 makes it the long run.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <random>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace mixed_calls {

namespace ov = octavo;
using Data = std::vector<std::uint64_t>;

constexpr std::size_t most_bytes = 4 << 20;
constexpr std::size_t peers = 4;
constexpr std::size_t most_open = 4;  // started calls of one caller

// A word of it says where it stands, of whom it is, and in which call: no two messages are alike, nor two places in one.
std::uint64_t word(std::uint64_t caller, std::uint64_t number, std::uint64_t at) {
  std::uint64_t mixed = (caller << 56) ^ (number << 24) ^ at;
  return (mixed ^ mixed >> 29) * 0xbf58476d1ce4e5b9u;
}
Data message(std::uint64_t caller, std::uint64_t number, std::size_t words) {
  Data data(words);
  for (std::size_t i = 0; i < words; ++i) data[i] = word(caller, number, i);
  return data;
}
bool is_message(const Data& data, std::uint64_t caller, std::uint64_t number, std::size_t words) {
  bool same = data.size() == words;
  for (std::size_t i = 0; i < data.size(); ++i) same &= data[i] == word(caller, number, i);
  return same;
}

class Sink {
 public:
  // Takes a message; gives back another one of so many words. `number`: counts the calls of this caller to this process.
  Data take(std::uint64_t caller, std::uint64_t number, const Data& data, std::size_t words, std::size_t back) {
    auto& expected = next_[caller];
    if (number != expected) throw std::runtime_error("call " + std::to_string(number) + " came instead of " + std::to_string(expected));
    ++expected;
    if (!is_message(data, caller, number, words)) throw std::runtime_error("call " + std::to_string(number) + " has other data than was sent");
    return message(caller + peers, number, back);
  }
  std::uint64_t taken() const {
    std::uint64_t sum = 0;
    for (const auto& [caller, number] : next_) sum += number;
    return sum;
  }
  long kibibytes() const { return ov::kit::resident_kibibytes(::getpid()); }

 private:
  std::map<std::uint64_t, std::uint64_t> next_;
};
OCTAVO_REMOTE(Sink, take, taken, kibibytes)

class Driver {
 public:
  Driver(std::uint64_t me, std::vector<ov::remote_ptr<Sink>> sinks) : me_(me), sinks_(std::move(sinks)), random_(me) {}

  // Makes so many calls; gives the bytes sent and received.
  std::uint64_t drive(std::uint64_t calls) {
    for (std::uint64_t i = 0; i < calls; ++i) {
      std::size_t to = random_() % sinks_.size();
      std::uint64_t number = made_[to]++;
      // A large message one way, a small one the other: the bytes of both ways are those of the sizes asked for.
      std::size_t words = some_size(), back = some_size();
      (random_() % 2 == 0 ? words : back) /= 64;
      auto data = message(me_, number, words);
      bytes_ += (words + back) * sizeof(std::uint64_t);
      if (random_() % 2 == 0) {
        check(sinks_[to]->take(me_, number, data, words, back), number, back);
        continue;
      }
      open_.push_back({ov::start(sinks_[to])->take(me_, number, data, words, back), number, back});
      if (open_.size() > most_open) settle();
    }
    while (!open_.empty()) settle();
    return std::exchange(bytes_, 0);
  }
  long kibibytes() const { return ov::kit::resident_kibibytes(::getpid()); }

 private:
  struct Open {
    ov::future<Data> answer;
    std::uint64_t number;
    std::size_t back;
  };
  // From nothing to 4 MiB, as often between 1 and 10 bytes as between 1 and 10 KiB.
  std::size_t some_size() {
    double bytes = std::exp(std::uniform_real_distribution<double>(0, std::log(static_cast<double>(most_bytes) + 1))(random_)) - 1;
    return static_cast<std::size_t>(bytes) / sizeof(std::uint64_t);
  }
  void settle() {
    auto first = std::move(open_.front());
    open_.pop_front();
    check(first.answer.get(), first.number, first.back);
  }
  void check(const Data& answer, std::uint64_t number, std::size_t back) const {
    if (!is_message(answer, me_ + peers, number, back)) throw std::runtime_error("the answer to call " + std::to_string(number) + " has other data");
  }

  std::uint64_t me_;
  std::vector<ov::remote_ptr<Sink>> sinks_;
  std::mt19937_64 random_;
  std::array<std::uint64_t, peers> made_{};
  std::deque<Open> open_;
  std::uint64_t bytes_ = 0;
};
OCTAVO_REMOTE(Driver, drive, kibibytes)

namespace {

std::uint64_t calls_to_make() {
  if (const char* asked = std::getenv("OCTAVO_CALLS")) return std::strtoull(asked, nullptr, 10);
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  return 800;
#else
  return 10'000;
#endif
}

TEST(MixedCalls, C2_OrderedWholeAndBounded) {
  const std::uint64_t calls = calls_to_make();
  const std::uint64_t rounds = std::max<std::uint64_t>(4, calls / 10'000);
  ov::Runtime runtime;
  std::vector<ov::remote_ptr<Sink>> sinks;
  std::vector<ov::remote_ptr<Driver>> drivers;
  for (std::size_t i = 0; i < peers; ++i) sinks.push_back(ov::process.make<Sink>());
  for (std::size_t i = 0; i < peers; ++i) drivers.push_back(ov::process.make<Driver>(i, sinks));
  auto memory = [&] {
    std::vector<long> each{ov::kit::resident_kibibytes(::getpid())};
    for (const auto& sink : sinks) each.push_back(sink->kibibytes());
    for (const auto& driver : drivers) each.push_back(driver->kibibytes());
    return each;
  };
  std::vector<long> at_first;
  std::uint64_t bytes = 0, made = 0;
  auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    ov::kit::Watchdog watchdog(100);  // of each round: the long run takes minutes
    std::vector<ov::future<std::uint64_t>> driven;
    for (const auto& driver : drivers) driven.push_back(ov::start(driver)->drive(calls / rounds / peers));
    for (auto& each : driven) bytes += each.get();
    made += calls / rounds / peers * peers;
    if (round == 0) at_first = memory();
  }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::uint64_t taken = 0;
  for (const auto& sink : sinks) taken += sink->taken();
  EXPECT_EQ(taken, made) << "nothing lost, nothing twice";
  auto at_last = memory();
  // What is under way at once is all that one may hold: of each caller the open calls, each with its data and its answer.
  constexpr long bound = static_cast<long>(peers * (most_open + 2) * 2 * (most_bytes >> 10));
  for (std::size_t i = 0; i < at_last.size(); ++i) {
    EXPECT_LT(at_last[i], bound) << "KiB of process " << i;
    EXPECT_LT(at_last[i] - at_first[i], 48 * 1024) << "KiB more of process " << i << " than after the first round";
  }
  std::printf("%llu calls, %.1f GB, %.1f s: %.0f calls/s, %.2f GB/s; memory of the largest process %ld MiB, after the first round %ld MiB\n",
              static_cast<unsigned long long>(made), static_cast<double>(bytes) / 1e9, seconds, static_cast<double>(made) / seconds,
              static_cast<double>(bytes) / 1e9 / seconds, *std::max_element(at_last.begin(), at_last.end()) >> 10,
              *std::max_element(at_first.begin(), at_first.end()) >> 10);
}

}  // namespace
}  // namespace mixed_calls
