// SPDX-License-Identifier: Apache-2.0
// Pages between processes: C-4, and the pool's clauses P-1 to P-3.
#include "octavo/data/page.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <numeric>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/engine.hpp"
#include "octavo/process/remote.hpp"

namespace page_tests {

class Keeper {
 public:
  std::uint64_t keep(octavo::Page page) {
    kept_ = std::move(page);
    return reinterpret_cast<std::uint64_t>(kept_.data());
  }
  bool sees_it_shared() { return kept_.shared(); }
  int first() { return static_cast<int>(kept_.data()[0]); }
  octavo::Page back() { return std::move(kept_); }
  octavo::Page copy() { return kept_; }
  bool write(int value) {
    const auto* before = kept_.data();
    kept_.mutable_data()[0] = static_cast<std::byte>(value);
    return kept_.data() == before;
  }
  void drop() { kept_ = octavo::Page(); }
  octavo::ArrayPage turned(const octavo::ArrayPage& page) { return page.transposed(0, 1); }
  void hold(std::int64_t bytes) { kept_ = octavo::Page(bytes); }

 private:
  octavo::Page kept_;
};
OCTAVO_REMOTE(Keeper, keep, sees_it_shared, first, back, copy, write, drop, turned, hold)

namespace {

namespace ov = octavo;

class Pages : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{ov::RuntimeOptions{.memory = 4 * ov::MiB}};
  ov::Machine here = runtime.machine();
  std::int64_t free_at_start = ov::job_pool().free_bytes();
};

class PagesOnEachPlace : public testing::TestWithParam<std::string> {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 4 * ov::MiB, .engine = ov::played({"box"})}};
  ov::Place here = GetParam() == "thread" ? ov::thread : GetParam() == "process" ? ov::process : runtime.machine(GetParam());
  bool one_pool = GetParam() != "box";  // another machine has its own, and pages travel there by value
  std::int64_t free_at_start = ov::job_pool().free_bytes();
};

TEST_P(PagesOnEachPlace, C4_AMovedPageIsGivenAwayAndCanBeWrittenThere) {
  auto p = here.make<Keeper>();
  ov::Page page(100000);
  page.mutable_data()[0] = std::byte{7};
  p->keep(std::move(page));
  EXPECT_FALSE(page);  // NOLINT(bugprone-use-after-move): that it is empty is the contract
  EXPECT_EQ(ov::job_pool().free_bytes() == free_at_start, !one_pool) << "given away, and with its memory where that is not shared";
  EXPECT_EQ(p->first(), 7);
  EXPECT_FALSE(p->sees_it_shared());
  EXPECT_TRUE(p->write(9)) << "in place";
  {
    auto back = p->back();
    EXPECT_EQ(back.size(), 100000);
    EXPECT_EQ(back.data()[0], std::byte{9});
    EXPECT_FALSE(back.shared());
  }
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
}

TEST_P(PagesOnEachPlace, C4_ACopiedPageIsAValueSharedUntilWritten) {
  auto p = here.make<Keeper>();
  ov::Page page(8192);
  page.mutable_data()[0] = std::byte{1};
  p->keep(page);
  EXPECT_EQ(p->sees_it_shared(), one_pool);
  EXPECT_EQ(page.shared(), one_pool);
  EXPECT_EQ(p->write(2), !one_pool);
  EXPECT_EQ(p->first(), 2);
  EXPECT_EQ(page.data()[0], std::byte{1});
  EXPECT_FALSE(page.shared()) << "the other has its own now";
}

TEST_P(PagesOnEachPlace, C4_APageGoesOnFromOneObjectToAnother) {
  auto p = here.make<Keeper>(), q = here.make<Keeper>();
  ov::Page page(8192);
  page.mutable_data()[0] = std::byte{5};
  p->keep(std::move(page));
  q->keep(p->back());
  EXPECT_EQ(q->first(), 5);
  EXPECT_TRUE(q->write(6)) << "nobody else has it";
  auto started = ov::start(q)->copy();
  EXPECT_EQ(started.get().data()[0], std::byte{6});
}

// One that is not in the pool is a page as any other, and arrives in its receiver's own memory.
TEST_P(PagesOnEachPlace, APrivatePageTravelsByValue) {
  auto p = here.make<Keeper>();
  for (std::int64_t bytes : {std::int64_t{1}, std::int64_t{4095}, std::int64_t{4096}, 3 * ov::MiB, 20 * ov::MiB}) {  // the last more than the pool
    auto page = ov::Page::make_private(bytes);
    page.mutable_data()[0] = std::byte{7};
    page.mutable_data()[bytes - 1] = std::byte{7};
    ov::Page copy = page;
    EXPECT_TRUE(copy.shared());
    copy.mutable_data()[0] = std::byte{8};
    EXPECT_EQ(page.data()[0], std::byte{7}) << "it was copied first";
    p->keep(page);
    EXPECT_FALSE(p->sees_it_shared());
    p->keep(std::move(page));
    EXPECT_FALSE(page);  // NOLINT(bugprone-use-after-move): that it is empty is the contract
    EXPECT_EQ(p->first(), 7);
    EXPECT_TRUE(p->write(9)) << "in place";
    auto back = p->back();
    ASSERT_EQ(back.size(), bytes);
    EXPECT_EQ(back.data()[bytes - 1], bytes == 1 ? std::byte{9} : std::byte{7});
    EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
  }
  p->keep(ov::Page::make_private(0));
  EXPECT_EQ(p->back().size(), 0);
}

INSTANTIATE_TEST_SUITE_P(, PagesOnEachPlace, testing::Values("thread", "process", "box"), [](const auto& place) { return place.param; });

TEST_F(Pages, P1_FreedWithTheLastReferenceOfTheLastProcess) {
  auto p = here.make<Keeper>();
  {
    ov::Page page(ov::MiB);
    p->keep(page);
    EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start - ov::MiB);
  }
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start - ov::MiB) << "the process still has it";
  p->drop();
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
  for (int i = 0; i < 50; ++i) {
    ov::Page page(ov::MiB);
    p->keep(std::move(page));
    auto back = p->copy();
    p->drop();
  }
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
}

TEST_F(Pages, P2_WaitsForRoomAndRefusesWhatNeverFits) {
  EXPECT_THROW(ov::Page(5 * ov::MiB), ov::refused);
  auto first = std::make_unique<ov::Page>(3 * ov::MiB);
  EXPECT_THROW(ov::job_pool().allocate(2 * ov::MiB, ov::road::Clock::now() + std::chrono::milliseconds(1)), ov::timed_out);
  std::thread waits([] { ov::Page second(2 * ov::MiB); });
  first.reset();
  waits.join();
}

TEST_F(Pages, P3_WhatADeadProcessHeldIsFreed) {
  auto p = here.make<Keeper>();
  p->hold(2 * ov::MiB);
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start - 2 * ov::MiB);
  runtime.kill(p.address(), SIGKILL);
  auto until_told = [&] {
    for (;;) p->sees_it_shared();  // the signal may come after a call or two
  };
  EXPECT_THROW(until_told(), ov::process_died);
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
  ov::Page kept(ov::MiB), given(ov::MiB);
  EXPECT_THROW(p->keep(kept), ov::process_died);
  EXPECT_THROW(p->keep(std::move(given)), ov::process_died);
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start - ov::MiB) << "what cannot be sent is released, but for our own";
  EXPECT_FALSE(kept.shared());
}

// What it inherits is its parent's to release.
TEST_F(Pages, AForkedProcessFreesNothing) {
  ov::Page page(1 << 20);
  const int child = watchdog.fork();
  if (child == 0) {
    page = ov::Page();
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start - (1 << 20));
  page = ov::Page();
  EXPECT_EQ(ov::job_pool().free_bytes(), free_at_start);
}

TEST_F(Pages, AnArrayPageTravelsAndTurns) {
  auto p = here.make<Keeper>();
  ov::ArrayPage page(ov::dtype::int32, {3, 5, 2});
  auto values = page.values<std::int32_t>();
  std::iota(values.begin(), values.end(), 0);
  auto turned = p->turned(page);
  EXPECT_EQ(turned.shape(), (ov::Shape{5, 3, 2}));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 5; ++j)
      for (int k = 0; k < 2; ++k) ASSERT_EQ(std::as_const(turned).values<std::int32_t>()[static_cast<std::size_t>((j * 3 + i) * 2 + k)], (i * 5 + j) * 2 + k);
  EXPECT_THROW((void)page.values<double>(), ov::usage_error);
}

}  // namespace
}  // namespace page_tests
