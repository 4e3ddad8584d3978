// SPDX-License-Identifier: Apache-2.0
// P-3, P-4: processes that give pages to each other, here and on other machines, by calls, replies and messages, and are killed at random
// moments. The pools of all machines are free again while the others live. (Behind each instruction: unit/machine/pool/death_test.cpp.)
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/data/page.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/message/mailbox.hpp"
#include "octavo/process.hpp"

namespace fault_tests {

namespace ov = octavo;

class PageBearer {
 public:
  using Pointer = octavo::remote_ptr<PageBearer>;
  int pid() { return ::getpid(); }
  std::int64_t taken_here() { return octavo::job_pool().bytes() - octavo::job_pool().free_bytes(); }
  // Along the way and back; `share`: who gave it keeps it meanwhile.
  octavo::Page carry(octavo::Page page, bool share, const std::vector<Pointer>& way) {
    if (way.empty()) return page;
    const std::vector<Pointer> rest(way.begin() + 1, way.end());
    if (share) return octavo::call<&PageBearer::carry>(way.front(), page, share, rest);
    return octavo::call<&PageBearer::carry>(way.front(), std::move(page), share, rest);
  }
  // For ever, to both at once.
  void go_on(const std::vector<Pointer>& to, const octavo::Mailbox<octavo::Page>& box, std::int64_t bytes) {
    for (;;) {
      octavo::Page page(bytes);
      std::vector<octavo::future<octavo::Page>> there;
      for (const auto& each : to) there.push_back(octavo::start<&PageBearer::carry>(each, page, false, std::vector<Pointer>()));
      box.post(page);
      for (auto& each : there) each.get();
    }
  }
};
OCTAVO_REMOTE(PageBearer, pid, taken_here, carry, go_on)

namespace {

class PageKills : public testing::TestWithParam<unsigned> {
 protected:
  static constexpr std::int64_t page_bytes = 20'000;
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); }
  template <class T>
  static bool failed(ov::future<T>& call) {
    try {
      call.get();
      return false;
    } catch (const ov::process_died&) {
    } catch (const ov::gone_error&) {
    } catch (const ov::call_cycle&) {  // of two that called each other
    }
    return true;
  }
  std::mt19937 random;
  ov::kit::Watchdog watchdog{100};
};

TEST_P(PageKills, P3_P4_ThePoolsAreFreeWhileTheOthersLive) {
  const char* wanted = std::getenv("OCTAVO_SEED");
  const unsigned seed = wanted != nullptr ? static_cast<unsigned>(std::stoul(wanted)) : GetParam();
  SCOPED_TRACE("OCTAVO_SEED=" + std::to_string(seed));
  random.seed(seed);
  const auto home = std::filesystem::temp_directory_path() / ("octavo-pages-" + std::to_string(::getpid()));
  {
    ov::Runtime runtime({.memory = 16 * ov::MiB, .engine = ov::played({"box", "attic"}, home.string())});
    auto box = runtime.machine("box");
    const std::vector<PageBearer::Pointer> staying{ov::process.make<PageBearer>(), ov::process.make<PageBearer>(), box.make<PageBearer>(),
                                                   runtime.machine("attic").make<PageBearer>()};
    const ov::Mailbox<ov::Page> messages("pages");
    int came = 0;
    for (int round = 0; round < 60; ++round) {
      auto dying = below(3) == 0 ? box.make<PageBearer>() : ov::process.make<PageBearer>();
      const int pid = dying->pid();
      std::vector<PageBearer::Pointer> way{dying};
      for (std::size_t i = below(3); i > 0; --i) way.push_back(below(2) == 0 ? dying : staying[below(staying.size())]);
      auto going = ov::start<&PageBearer::carry>(staying[below(2)], ov::Page(page_bytes), below(2) == 0, way);
      auto for_ever = ov::start<&PageBearer::go_on>(dying, staying, messages, page_bytes);
      for (auto left = below(20); left > 0; --left) came += messages.retrieve_for(std::chrono::milliseconds(5)) ? 1 : 0;
      ::usleep(static_cast<useconds_t>(below(2000)));  // the moment, not a condition
      ::kill(pid, SIGKILL);
      EXPECT_TRUE(failed(for_ever)) << "it does not end by itself";
      failed(going);
      auto all_free = [&] {
        while (messages.try_retrieve()) ++came;
        if (ov::job_pool().free_bytes() != ov::job_pool().bytes()) return false;
        return std::all_of(staying.begin(), staying.end(), [](const auto& each) { return each->taken_here() == 0; });
      };
      while (!all_free()) std::this_thread::yield();
    }
    EXPECT_GT(came, 0);
  }
  std::filesystem::remove_all(home);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PageKills, testing::Values(1u, 20261123u));

}  // namespace
}  // namespace fault_tests
