// SPDX-License-Identifier: Apache-2.0
// C-6, C-7: processes that call each other at random, and are killed at random moments. Every call ends, with its value or an error that says why;
// nothing is left behind. The seed is told, and OCTAVO_SEED chooses it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <random>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace fault_tests {

namespace ov = octavo;

class Porter {
 public:
  using Pointer = octavo::remote_ptr<Porter>;
  int pid() { return ::getpid(); }
  // Along the way, and bulk with it; one that is on it twice is called back.
  std::size_t carry(const std::vector<double>& load, const std::vector<Pointer>& way) {
    if (way.empty()) return load.size();
    return octavo::call<&Porter::carry>(way.front(), load, std::vector<Pointer>(way.begin() + 1, way.end()));
  }
  std::size_t carry_to_all(const std::vector<double>& load, const std::vector<Pointer>& to) {
    std::vector<octavo::future<std::size_t>> parts;
    for (const auto& each : to) parts.push_back(octavo::start<&Porter::carry>(each, load, std::vector<Pointer>()));
    std::size_t sum = 0;
    for (auto part : octavo::when_all(std::move(parts)).get()) sum += part;
    return sum;
  }
  octavo::future<std::size_t> carry_later(std::vector<double> load, Pointer to) {
    std::size_t n = co_await octavo::start<&Porter::carry>(to, load, std::vector<Pointer>());
    co_return n;
  }
};
OCTAVO_REMOTE(Porter, pid, carry, carry_to_all, carry_later)

namespace {

class RandomKills : public testing::TestWithParam<unsigned> {
 protected:
  struct Living {
    Porter::Pointer pointer;
    int pid;
  };
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
  const Porter::Pointer& any() { return known[below(known.size())]; }  // dead ones too
  std::vector<Porter::Pointer> some() {
    std::vector<Porter::Pointer> way(below(4));
    for (auto& each : way) each = any();
    return way;
  }
  void make(ov::Runtime& runtime) {
    static constexpr const char* machines[] = {"", "box", "attic"};
    const char* name = machines[below(3)];
    auto p = *name == 0 ? ov::process.make<Porter>() : runtime.machine(name).make<Porter>();
    living.push_back({p, p->pid()});
    known.push_back(p);
  }
  void kill_one() {
    auto at = living.begin() + static_cast<std::ptrdiff_t>(below(living.size()));
    ::kill(at->pid, SIGKILL);
    living.erase(at);
  }
  ov::future<std::size_t> begin_call() {
    std::vector<double> load(std::size_t{1} << below(18), 0.5);
    switch (below(3)) {
      case 0: return ov::start<&Porter::carry>(any(), load, some());
      case 1: return ov::start<&Porter::carry_to_all>(any(), load, some());
      default: return ov::start<&Porter::carry_later>(any(), load, any());
    }
  }
  // What became of it.
  std::string end_of(ov::future<std::size_t>& call) {
    try {
      call.get();
      return "value";
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), testing::HasSubstr("SIGKILL"));
      return "death";
    } catch (const ov::gone_error&) {  // of a call through one that died meanwhile
      return "gone";
    } catch (const ov::call_cycle&) {  // of two that called each other
      return "cycle";
    }
  }
  std::mt19937 random;
  std::vector<Living> living;
  std::vector<Porter::Pointer> known;
  ov::kit::Watchdog watchdog{60};
};

TEST_P(RandomKills, C6_C7_EveryCallEndsAndNothingIsLeft) {
  const char* wanted = std::getenv("OCTAVO_SEED");
  unsigned seed = wanted != nullptr ? static_cast<unsigned>(std::stoul(wanted)) : GetParam();
  SCOPED_TRACE("OCTAVO_SEED=" + std::to_string(seed));
  random.seed(seed);
  auto home = std::filesystem::temp_directory_path() / ("octavo-kills-" + std::to_string(::getpid()));
  auto files = ov::kit::shared_memory_files();
  auto descriptors = ov::kit::open_descriptors();
  std::map<std::string, int> ends;
  {
    ov::Runtime runtime({.engine = ov::played({"box", "attic"}, home.string())});
    for (int i = 0; i < 6; ++i) make(runtime);
    std::vector<ov::future<std::size_t>> calls;
    for (int step = 0; step < 400; ++step) {
      try {
        calls.push_back(begin_call());
      } catch (const ov::process_died&) {  // it is known to be dead
        ++ends["refused"];
      }
      if (step % 20 == 10) {
        kill_one();
        make(runtime);
      }
      if (below(3) == 0 && !calls.empty()) {
        auto at = calls.begin() + static_cast<std::ptrdiff_t>(below(calls.size()));
        ++ends[end_of(*at)];
        calls.erase(at);
      }
      if (known.size() > 12) known.erase(known.begin());
      ::usleep(static_cast<useconds_t>(below(3000)));  // the moment, not a condition
    }
    for (auto& call : calls) ++ends[end_of(call)];
    for (const auto& each : living) EXPECT_EQ(each.pointer->pid(), each.pid) << "who was not killed lives";
  }
  EXPECT_GT(ends["value"], 0);
  EXPECT_GT(ends["death"], 0);
  EXPECT_EQ(ov::kit::children(), std::vector<int>());
  EXPECT_EQ(ov::kit::shared_memory_since(files), std::set<std::string>());
  EXPECT_EQ(ov::kit::open_descriptors(), descriptors);
  std::filesystem::remove_all(home);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomKills, testing::Values(1u, 20261121u));

}  // namespace
}  // namespace fault_tests
