// SPDX-License-Identifier: Apache-2.0
// P-4: a page that comes with a reply nobody waits for any more does not stay with the process it came to.
#include <gtest/gtest.h>

#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/data/page.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/message/semaphore.hpp"
#include "octavo/process.hpp"

namespace late_page_tests {

class Knot {
 public:
  using Pointer = octavo::remote_ptr<Knot>;
  octavo::Page page() { return octavo::Page(20'000); }
  octavo::Page page_of(const Pointer& other) { return octavo::call<&Knot::page>(other); }
  // Both are within this method before either calls on, each by one that is free and waits for the other then. Whose call fails gets its page later,
  // as that one has begun.
  bool meet(const Pointer& by, const Pointer& other, const octavo::Semaphore& here, const octavo::Semaphore& there) {
    there.release();
    here.acquire();
    try {
      octavo::call<&Knot::page_of>(by, other);
      return true;
    } catch (const octavo::call_cycle&) {
      return false;
    }
  }
};
OCTAVO_REMOTE(Knot, page, page_of, meet)

namespace {

namespace ov = octavo;

class LatePage : public testing::TestWithParam<std::string> {
 protected:
  Knot::Pointer make() { return GetParam() == "thread" ? ov::thread.make<Knot>() : ov::process.make<Knot>(); }
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 4 * ov::MiB}};
};

TEST_P(LatePage, P4_AReplyThatNobodyWaitsForLeavesNoPageTaken) {
  const auto one = make(), other = make(), by_one = make(), by_other = make();
  const ov::Semaphore first("first", 0), second("second", 0);
  for (int round = 0; round < 5; ++round) {
    auto at_one = ov::start<&Knot::meet>(one, by_one, other, first, second);
    auto at_other = ov::start<&Knot::meet>(other, by_other, one, second, first);
    const bool one_has = at_one.get(), other_has = at_other.get();
    EXPECT_FALSE(one_has && other_has) << "no cycle was found";
    while (ov::job_pool().free_bytes() != ov::job_pool().bytes()) std::this_thread::yield();  // the watchdog ends it
  }
}

INSTANTIATE_TEST_SUITE_P(On, LatePage, testing::Values("thread", "process"), [](const auto& at) { return at.param; });

}  // namespace
}  // namespace late_page_tests
