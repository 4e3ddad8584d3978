// SPDX-License-Identifier: Apache-2.0
// P-3, P-4: a process is killed behind every instruction of what it does with pages, and the pool is as if it had never been: what it held is
// free, what others hold is not, and nobody is blocked.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <future>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "kit/asleep.hpp"
#include "kit/stepped.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/pool.hpp"

namespace {

using octavo::Fd;
using octavo::Pool;
using octavo::kit::Stepped;
using octavo::wire::PageRef;

constexpr std::int64_t KiB = 1024, all_bytes = 1024 * KiB, page_bytes = 12 * KiB;
constexpr unsigned dying_slot = 1, other_slot = 2, third_slot = 3;
constexpr std::uint32_t to_other = 10, to_dying = 11, to_third = 12, more_to_other = 20;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
constexpr std::size_t most_kills = 60;  // of each work: its instructions are many more
#else
constexpr std::size_t most_kills = 1000;
#endif
// Where there are more steps than kills, others each time.
struct Kills {
  Kills(std::size_t steps, std::size_t kills) : stride(std::max<std::size_t>(1, steps / kills)), first(std::random_device()() % stride) {}
  std::size_t stride, first;
};

struct Scene {
  static Fd copy(const Fd& of) { return Fd(::fcntl(of.get(), F_DUPFD_CLOEXEC, 0)); }
  Fd memory = Pool::make(all_bytes);
  Pool agent{copy(memory), Pool::agent_slot}, dying{copy(memory), dying_slot}, other{copy(memory), other_slot}, third{copy(memory), third_slot};

  // A page of the one that is to die, and of so many others.
  PageRef page_of(bool others_too) {
    auto page = dying.allocate(page_bytes);
    if (!others_too) return page;
    for (auto* each : {&other, &third}) {
      dying.share(page);
      dying.hand_over(page, {each->slot(), 0});
    }
    return page;
  }
};

// What a process that is to die does, and what the others hold of the page meanwhile and afterwards.
struct Work {
  const char* name;
  bool others_too;
  std::function<void(Scene&, const PageRef&)> before, work;
};

void nothing(Scene& /*scene*/, const PageRef& /*page*/) {}

const std::vector<Work>& works_here() {
  static const std::vector<Work> works{
      {"allocate", false, nothing, [](Scene& s, const PageRef&) { s.dying.allocate(page_bytes); }},
      {"share", true, nothing, [](Scene& s, const PageRef& p) { s.dying.share(p); }},
      {"share_alone", false, nothing, [](Scene& s, const PageRef& p) { s.dying.share(p); }},
      {"release", true, nothing, [](Scene& s, const PageRef& p) { s.dying.release(p); }},
      {"release_the_last", false, nothing, [](Scene& s, const PageRef& p) { s.dying.release(p); }},
      {"a_page_s_life", false, nothing,
       [](Scene& s, const PageRef& p) {
         auto page = s.dying.allocate(page_bytes);
         s.dying.share(page);
         s.dying.hand_over(page, {other_slot, to_other});
         s.dying.hand_over(page, {third_slot, 0});
         s.dying.release(p);
       }},
  };
  return works;
}

// One reference more for each.
void give(Pool& from, const PageRef& page, std::initializer_list<octavo::wire::PageRoute> routes) {
  for (const auto& route : routes) {
    from.share(page);
    from.hand_over(page, route);
  }
}

const std::vector<Work>& works_on_ways() {
  using octavo::wire::PageRoute;
  static constexpr PageRoute there{other_slot, to_other}, there_too{other_slot, more_to_other}, to_the_third{third_slot, to_third};
  static constexpr PageRoute here{dying_slot, to_dying}, from_other_to_third{third_slot, more_to_other};
  static const std::vector<Work> works{
      {"hand_over", true, nothing, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); }},
      {"hand_over_alone", false, nothing, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); }},
      {"hand_over_again", true, [](Scene& s, const PageRef& p) { give(s.dying, p, {there}); }, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); }},
      {"hand_over_by_several_ways", true,
       [](Scene& s, const PageRef& p) {
         give(s.dying, p, {to_the_third, there_too});
       },
       [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); }},
      {"take_back", true, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); }, [](Scene& s, const PageRef& p) { s.dying.take_back(p, there); }},
      {"take_back_alone", false, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); },
       [](Scene& s, const PageRef& p) { s.dying.take_back(p, there); }},
      {"take_back_of_several", true,
       [](Scene& s, const PageRef& p) {
         give(s.dying, p, {there_too, to_the_third, there});
       },
       [](Scene& s, const PageRef& p) { s.dying.take_back(p, to_the_third); }},
      {"recall", true, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); },
       [](Scene& s, const PageRef& p) { static_cast<void>(s.dying.recall(p, there)); }},
      {"recall_alone", false, [](Scene& s, const PageRef& p) { s.dying.hand_over(p, there); },
       [](Scene& s, const PageRef& p) { static_cast<void>(s.dying.recall(p, there)); }},
      {"recall_of_several", true,
       [](Scene& s, const PageRef& p) {
         give(s.dying, p, {there_too, to_the_third, there});
       },
       [](Scene& s, const PageRef& p) { static_cast<void>(s.dying.recall(p, to_the_third)); }},
      {"accept", true, [](Scene& s, const PageRef& p) { give(s.other, p, {here}); }, [](Scene& s, const PageRef& p) { s.dying.accept(p, to_dying); }},
      {"accept_of_several", true,
       [](Scene& s, const PageRef& p) {
         give(s.other, p, {here, from_other_to_third, here});
       },
       [](Scene& s, const PageRef& p) { s.dying.accept(p, to_dying), s.dying.accept(p, to_dying); }},
      {"close_way", true, [](Scene& s, const PageRef& p) { give(s.other, p, {here}); }, [](Scene& s, const PageRef&) { s.dying.close_way(to_dying); }},
  };
  return works;
}

std::vector<Work> all_works() {
  auto works = works_here();
  works.insert(works.end(), works_on_ways().begin(), works_on_ways().end());
  return works;
}

std::vector<Work> works_on_shared_pages() {
  auto works = all_works();
  std::erase_if(works, [](const Work& each) { return !each.others_too; });
  return works;
}

class PoolDeaths : public testing::TestWithParam<Work> {
 protected:
  void SetUp() override {
    if (auto why = Stepped::missing(); !why.empty()) GTEST_SKIP() << why;
  }
  // Both others learn of its end: nothing more comes by the ways from it.
  static void see_its_end(Scene& scene) {
    for (auto way : {to_other, more_to_other}) scene.other.close_way(way);
    for (auto way : {to_third, more_to_other}) scene.third.close_way(way);
  }
  static Stepped::Steps steps_of(const Work& work) {
    Scene first;  // in which the loader finds what is called
    const auto of_first = first.page_of(work.others_too);
    work.before(first, of_first);
    work.work(first, of_first);
    Scene scene;
    const auto page = scene.page_of(work.others_too);
    work.before(scene, page);
    return Stepped(done(work, scene, page)).steps();
  }
  // The same code each time, so that it has the same steps.
  static std::function<void()> done(const Work& work, Scene& scene, const PageRef& page) {
    return [&] { work.work(scene, page); };
  }
  octavo::kit::Watchdog watchdog{100};
};

TEST_P(PoolDeaths, P3_NothingStaysTakenAndNothingInUseIsFreed) {
  const auto& work = GetParam();
  const auto steps = steps_of(work);
  const Kills kills(steps.size(), most_kills);
  for (std::size_t n = kills.first; n < steps.size(); n += kills.stride) {
    SCOPED_TRACE("killed before instruction " + std::to_string(n) + " of " + std::to_string(steps.size()));
    Scene scene;
    const auto page = scene.page_of(work.others_too);
    work.before(scene, page);
    Stepped child(done(work, scene, page));
    ASSERT_TRUE(child.run_to(steps, n));
    child.kill();
    ASSERT_TRUE(scene.agent.reclaim(dying_slot));
    see_its_end(scene);
    if (work.others_too) {
      ASSERT_EQ(scene.agent.references(page), 2U);
      ASSERT_EQ(scene.agent.free_bytes(), all_bytes - page_bytes);
      scene.other.release(page);
      ASSERT_EQ(scene.agent.references(page), 1U) << "it is the third's";
      scene.third.release(page);
    }
    ASSERT_TRUE(scene.agent.reclaim(third_slot)) << "who may have a page that was handed to him without a way";
    ASSERT_EQ(scene.agent.free_bytes(), all_bytes);
    auto whole = scene.other.try_allocate(all_bytes);
    ASSERT_TRUE(whole) << "all of it can be used";
    scene.other.release(*whole);
    std::vector<PageRef> others(4);
    for (auto& each : others) each = scene.other.allocate(page_bytes);
    ASSERT_TRUE(scene.agent.reclaim(dying_slot)) << "as before its slot is given away again";
    for (const auto& each : others) ASSERT_EQ(scene.agent.references(each), 1U) << "nothing of the dead one's is left in the books";
    for (const auto& each : others) scene.other.release(each);
    const auto next = scene.page_of(true);  // its slot has a new owner
    work.before(scene, next);
    work.work(scene, next);
  }
}

// A thread that waits for the lock of a page's counts goes on when the holder is dead and reclaimed.
class PoolWaiters : public PoolDeaths {};

TEST_P(PoolWaiters, P3_NobodyIsBlockedForLonger) {
  const auto& work = GetParam();
  const auto steps = steps_of(work);
  const Kills kills(steps.size(), most_kills / 4);
  for (std::size_t n = kills.first; n < steps.size(); n += kills.stride) {
    SCOPED_TRACE("killed before instruction " + std::to_string(n) + " of " + std::to_string(steps.size()));
    Scene scene;
    const auto page = scene.page_of(true);
    work.before(scene, page);
    Stepped child(done(work, scene, page));
    ASSERT_TRUE(child.run_to(steps, n));
    std::promise<int> its_number;
    std::thread waiter([&] {
      its_number.set_value(::gettid());
      scene.other.share(page);
      scene.other.release(page);
      auto fresh = scene.other.allocate(page_bytes);
      scene.other.release(fresh);
    });
    octavo::kit::until_asleep(its_number.get_future().get());
    child.kill();
    while (!scene.agent.reclaim(dying_slot)) std::this_thread::yield();  // the waiter may be within them just now
    waiter.join();
    see_its_end(scene);
    ASSERT_EQ(scene.agent.references(page), 2U);
    scene.other.release(page);
    scene.third.release(page);
    ASSERT_EQ(scene.agent.free_bytes(), all_bytes);
  }
}

std::string name_of(const testing::TestParamInfo<Work>& work) { return work.param.name; }
INSTANTIATE_TEST_SUITE_P(, PoolDeaths, testing::ValuesIn(all_works()), name_of);
INSTANTIATE_TEST_SUITE_P(, PoolWaiters, testing::ValuesIn(works_on_shared_pages()), name_of);

}  // namespace
