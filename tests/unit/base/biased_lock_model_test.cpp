// SPDX-License-Identifier: Apache-2.0
// The code of BiasedLock and SpinLock in every order of its steps, on the memory of x86 and on that of C++ (tests/kit/model): one thread is inside at a
// time, it sees what the last one wrote, and each gets in. Each fault that is put into the code is found.
#include <gtest/gtest.h>

#include "base/biased_lock_rare.hpp"
#include "kit/model/steps.hpp"
#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace model = octavo::kit::model;
using model::Access, model::CppMemory, model::Found, model::step, model::TsoMemory;

template <class Memory, unsigned needed, template <class> class Lock>
struct Locked {
  using Model = model::Model<Memory>;
  using Steps = model::ModelSteps<Memory, needed>;
  Model model;
  Lock<Steps> lock;
  typename Steps::template Plain<std::uint8_t> inside{0};

  model::Work take(int times) {
    return [this, times](int at) {
      const auto me = Steps::this_thread();
      if (at % 2 == 0) {
        lock.lock();
        if (inside != 0) Model::breaks("a thread comes inside, and another is, or it does not see that the other has left");
        inside = me;
        return at + 1;
      }
      if (inside != me) Model::breaks("another thread came inside");
      inside = 0;
      lock.unlock();
      return at + 1 == 2 * times ? model::end : at + 1;
    };
  }
  // Each thread takes the lock that often.
  Found run(std::initializer_list<int> times, const std::function<void(Access&)>& fault = {}) {
    std::vector<model::Work> all;
    for (const int each : times) all.push_back(take(each));
    model.fault = fault;
    return model.explore(all);
  }
};
template <class Memory>
using Spin = Locked<Memory, 0, octavo::BasicSpinLock>;

template <class Memory, unsigned needed>
struct Biased : Locked<Memory, needed, octavo::BasicBiasedLock> {
  Biased() { this->model.names = {"owner_", "inside_", "others_"}; }
};

template <class Memory>
class LockModel : public testing::Test {
 protected:
  void SetUp() override {
    if (octavo::kit::thread_sanitized || octavo::kit::address_sanitized) GTEST_SKIP() << octavo::kit::one_thread;
  }
  void expect_sound(const Found& found) {
    EXPECT_EQ(found.complaint, "") << found.trace;
    this->RecordProperty("states", std::to_string(states_ += found.states));
  }
  octavo::kit::Watchdog watchdog{60};

 private:
  std::size_t states_ = 0;
};
using Memories = testing::Types<TsoMemory, CppMemory>;
TYPED_TEST_SUITE(LockModel, Memories);

TYPED_TEST(LockModel, ASpinLockLetsInOneAtATime) {
  this->expect_sound(Spin<TypeParam>().run({4, 4}));
  this->expect_sound(Spin<TypeParam>().run({2, 2, 2}));
}

// Also where one does not come any more: the other gets in by itself.
TYPED_TEST(LockModel, LetsInOneOfTwoAtATimeHoweverOftenEachComes) {
  for (const int one : {1, 2, 3, 4})
    for (const int other : {1, 2, 3, 4}) this->expect_sound(Biased<TypeParam, 0>().run({one, other}));
}

TYPED_TEST(LockModel, LetsInOneOfTwoAtATimeThroughoutMuchTakingAway) {
  this->expect_sound(Biased<TypeParam, 0>().run({6, 6}));
  this->expect_sound(Biased<TypeParam, 0>().run({9, 3}));
}

TYPED_TEST(LockModel, LetsInOneOfTwoAtATimeThatEarnItAgainAndAgain) {
  this->expect_sound(Biased<TypeParam, 1>().run({6, 6}));
  this->expect_sound(Biased<TypeParam, 2>().run({8, 4}));
}

TYPED_TEST(LockModel, LetsInOneOfThreeAtATime) {
  this->expect_sound(Biased<TypeParam, 0>().run({2, 2, 2}));
  this->expect_sound(Biased<TypeParam, 1>().run({3, 1, 1}));
}

// --- faults ---

enum place : std::uint8_t { owner, inside, others };
constexpr int only = 2;  // BiasPolicy's, among the plain data

struct Mutant {
  const char* name;
  bool on_x86;  // found on its memory too
  void (*fault)(Access&);
};
void relax(Access& access, bool which) {
  if (which) access.order = std::memory_order_relaxed;
}

const Mutant mutants[] = {
    {"NoBarrier", true,
     [](Access& a) {
       if (a.what == step::barrier) a.leave_out();
     }},
    {"NoSecondLook", true,
     [](Access& a) {
       if (a.loads(owner) && a.before == step::store && a.place_before == inside) a.leave_out(static_cast<model::Value>(a.thread + 1));
     }},
    {"DoesNotSayThatItIsInside", true,
     [](Access& a) {
       if (a.stores(inside) && a.value == 1) a.leave_out();
     }},
    {"NeverSaysThatItIsOutside", true,
     [](Access& a) {
       if (a.stores(inside) && a.value == 0) a.leave_out();
     }},
    {"TheOwnerStaysIt", true,
     [](Access& a) {
       if (a.stores(owner) && a.value == 0) a.leave_out();
     }},
    {"TheOwnerIsNotWaitedFor", true,
     [](Access& a) {
       if (a.loads(inside)) a.leave_out();
     }},
    {"OthersDoNotUnlock", true,
     [](Access& a) {
       if (a.stores(others)) a.leave_out();
     }},
    {"SeveralAreOwners", true,
     [](Access& a) {
       if (a.what == step::read_plain && a.place == only) a.leave_out();
     }},
    {"TheOwnerLeavesWithoutRelease", false, [](Access& a) { relax(a, a.stores(inside)); }},
    {"OthersLeaveWithoutRelease", false, [](Access& a) { relax(a, a.stores(others)); }},
    {"OthersComeWithoutAcquire", false, [](Access& a) { relax(a, a.what == step::exchange); }},
    {"TheOwnerIsSeenOutsideWithoutAcquire", false, [](Access& a) { relax(a, a.loads(inside)); }},
};

class LockMutant : public testing::TestWithParam<Mutant> {
 protected:
  octavo::kit::Watchdog watchdog{60};
};

TEST_P(LockMutant, IsFound) {
  const auto on_x86 = Biased<TsoMemory, 0>().run({4, 4}, GetParam().fault), in_cpp = Biased<CppMemory, 0>().run({4, 4}, GetParam().fault);
  EXPECT_EQ(on_x86.complaint != "", GetParam().on_x86) << on_x86.complaint << on_x86.trace;
  EXPECT_NE(in_cpp.complaint, "");
}

INSTANTIATE_TEST_SUITE_P(Lock, LockMutant, testing::ValuesIn(mutants), [](const auto& each) { return std::string(each.param.name); });

}  // namespace
