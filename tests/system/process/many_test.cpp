// SPDX-License-Identifier: Apache-2.0
// Many objects come and go in one program: 1,000 processes, 200 alive at once, and as many on threads. Nothing is left of those that ended:
// no descriptor, no memory that grows with their number, no file.
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace many {

class One {
 public:
  explicit One(int n) : n_(n) {}
  int number() const { return n_; }

 private:
  int n_;
};
OCTAVO_REMOTE(One, number)

namespace {

namespace ov = octavo;
constexpr int at_once = 200;
constexpr int sanitizer_factor =
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    5;
#else
    1;
#endif

// Makes them in parallel, calls each, and destroys them.
void come_and_go(const ov::Place& place, int number) {
  std::vector<ov::future<ov::remote_ptr<One>>> begun;
  begun.reserve(static_cast<std::size_t>(number));
  for (int i = 0; i < number; ++i) begun.push_back(ov::start(place).make<One>(i));
  std::vector<ov::remote_ptr<One>> all;
  all.reserve(begun.size());
  for (auto& each : begun) all.push_back(each.get());
  for (int i = 0; i < number; ++i) ASSERT_EQ(all[static_cast<std::size_t>(i)]->number(), i);
  for (const auto& each : all) ov::destroy(each);
}

// Without what the allocator keeps of memory that is free, which depends on how threads met in it.
long kibibytes_in_use() {
  ::malloc_trim(0);
  return ov::kit::resident_kibibytes(::getpid());
}

class Many : public testing::TestWithParam<std::string> {};

TEST_P(Many, NothingIsLeftOfThoseThatEnded) {
  ov::kit::Watchdog watchdog(100);
  const ov::Place place = GetParam() == "thread" ? ov::thread : ov::process;
  const int batch = at_once / sanitizer_factor;
  auto files = ov::kit::shared_memory_files();
  auto before = ov::kit::open_descriptors();
  {
    ov::Runtime runtime;
    auto nobody_but_us = [&] {
      while (runtime.processes().size() > 1) std::this_thread::yield();  // the agent reaps them, and tells us first
      ov::promise<void> never;
      EXPECT_FALSE(never.get_future().wait_for(std::chrono::milliseconds(1)));  // who waits reads what was told
      return ov::kit::open_descriptors();
    };
    come_and_go(place, 1);
    auto idle = nobody_but_us();
    long after_few = 0;
    for (int made = 0; made < 5 * batch; made += batch) {
      come_and_go(place, batch);
      (void)nobody_but_us();  // the places of those that still end are not free
      if (made == batch) after_few = kibibytes_in_use();
    }
    // The one that came first may still have been on its way out when we counted: no more than then.
    auto left = nobody_but_us();
    auto no_more = [&] { return std::includes(idle.begin(), idle.end(), left.begin(), left.end()); };
    for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20); !no_more() && std::chrono::steady_clock::now() < end;) left = nobody_but_us();
    EXPECT_TRUE(no_more()) << testing::PrintToString(left) << " after " << testing::PrintToString(idle);
    long grown = kibibytes_in_use() - after_few;
    EXPECT_LT(grown, 4096 * sanitizer_factor) << "KiB, by the last three fifths of them";
  }
  EXPECT_EQ(ov::kit::open_descriptors(), before);
  EXPECT_EQ(ov::kit::shared_memory_since(files), std::set<std::string>());
  EXPECT_EQ(ov::kit::children(), std::vector<int>());
}

INSTANTIATE_TEST_SUITE_P(, Many, testing::Values("process", "thread"), [](const auto& each) { return each.param; });

}  // namespace
}  // namespace many
