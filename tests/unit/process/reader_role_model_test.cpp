// SPDX-License-Identifier: Apache-2.0
// The code of ReaderRole in every order of its steps, with threads that wait for it as src/process/polling/waiters.cpp has them: one reads at a time, and
// a thread that sleeps until the role is free is woken: the reader sees that it waits, or it sees that the role is free. Each fault that is put into the
// code is found.
//
// On the memory of x86. On that of C++, which is weaker, so are two threads; with three one may sleep for ever, as that memory lets a thread that could not
// take the role miss that the bias owner has left it, though a thread that waits has seen that already. Machines where a write reaches all others at once
// (x86, Armv8) do not.
#include <gtest/gtest.h>

#include "base/biased_lock_rare.hpp"
#include "kit/model/steps.hpp"
#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"
#include "process/polling/reader_role_rare.hpp"

namespace {

namespace model = octavo::kit::model;
using model::Access, model::CppMemory, model::Found, model::step, model::TsoMemory;

// What a thread does with the role, one letter a time.
//   b  for a moment, if it is free    B  the same, and waits for it    w  for long, and waits for it
//   r  waits for it, and then until something is done, asleep where it is rung    d  does that, and rings the reader if there may be one
template <class Memory, unsigned needed, bool barriers = true>
struct RoleSchedules {
  using Model = model::Model<Memory>;
  using Steps = model::ModelSteps<Memory, needed, barriers>;
  Model model;
  octavo::detail::BasicReaderRole<Steps> role;
  typename Steps::template Atomic<std::uint8_t> waiting{0}, done{0}, asleep{0};
  typename Steps::template Plain<std::uint8_t> reads{0};

  RoleSchedules() { model.names = {"held_", "bias_owner_", "inside_", "waiting_", "done", "asleep"}; }

  enum piece : std::uint8_t {
    tries,
    says_asleep,
    reads_on,
    sleeps_at_bell,
    leaves,
    looks_for_waiting,
    wakes,
    failed,
    wakes_as_failed,
    enters,
    lets_be_seen,
    asks,
    sleeps,
    goes_on,
    wakes_as_done,
    looks_for_reader,
    pieces
  };

  // Of Waiters: try_read(), stop_reading(), await_turn(), wake(). What comes next; `pieces`: nothing more this time.
  piece next(piece now, char how) {
    switch (now) {
      case tries:
        if (how == 'd') return done.store(1, std::memory_order_release), wakes_as_done;
        if (!role.try_take()) return failed;
        if (reads != 0) Model::breaks("a thread comes to read, and another does, or it does not see that the other has left");
        reads = Steps::this_thread();
        return how == 'r' ? says_asleep : leaves;
      case says_asleep: return asleep.exchange(1), reads_on;  // as Doorbell does
      case reads_on: return done.load(std::memory_order_acquire) != 0 ? leaves : sleeps_at_bell;
      case sleeps_at_bell: return model.sleep(), says_asleep;
      case leaves:
        if (reads != Steps::this_thread()) Model::breaks("another thread came to read");
        reads = 0;
        role.leave(how == 'b' || how == 'B');
        return looks_for_waiting;
      case looks_for_waiting: return waiting.load() != 0 ? wakes : pieces;
      case wakes: return model.ring(), pieces;
      case failed:  // two threads that try at once can both fail, and leave the role free
        if (role.is_free() && waiting.load() != 0) return wakes_as_failed;
        return how == 'b' ? pieces : enters;
      case wakes_as_failed: return model.ring(), how == 'b' ? pieces : enters;
      case enters: return waiting.fetch_add(1), lets_be_seen;
      case lets_be_seen: return role.let_be_seen(), asks;
      case asks: return role.is_free() ? goes_on : sleeps;
      case sleeps: return model.sleep(), asks;
      case goes_on:
        if (waiting.fetch_sub(1) > 1) model.ring();
        return tries;
      case wakes_as_done:
        if (waiting.fetch_add(0) != 0) model.ring();
        return looks_for_reader;
      case looks_for_reader: return role.may_be_anothers() ? wakes : pieces;
      case pieces: break;
    }
    return pieces;
  }
  model::Work work(const char* what) {
    return [this, what](int at) {
      const int time = at / pieces, to = next(static_cast<piece>(at % pieces), what[time]);
      if (to != pieces) return time * pieces + to;
      return what[time + 1] == 0 ? model::end : (time + 1) * pieces;
    };
  }
  Found run(std::initializer_list<const char*> what, const std::function<void(Access&)>& fault = {}) {
    std::vector<model::Work> all;
    for (const auto* each : what) all.push_back(work(each));
    model.fault = fault;
    return model.explore(all);
  }
};

enum place : std::uint8_t { held, bias_owner, inside, waiting, done, asleep };
constexpr int only = 1;  // BiasPolicy's, among the plain data

class RoleModel : public testing::Test {
 protected:
  void SetUp() override {
    if (octavo::kit::thread_sanitized) GTEST_SKIP() << octavo::kit::one_thread;
  }
  void expect_sound(const Found& found) {
    EXPECT_EQ(found.complaint, "") << found.trace;
    RecordProperty("states", std::to_string(states_ += found.states));
  }
  octavo::kit::Watchdog watchdog{60};

 private:
  std::size_t states_ = 0;
};

TEST_F(RoleModel, OneOfTwoReadsAndTheOtherIsNotForgotten) {
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bBbB", "wBwb"}));
  expect_sound(RoleSchedules<TsoMemory, 1>().run({"bBbBb", "bbBw"}));
  expect_sound(RoleSchedules<CppMemory, 0>().run({"bBb", "wBw"}));
  expect_sound(RoleSchedules<CppMemory, 1>().run({"bbBb", "wBb"}));
}

TEST_F(RoleModel, OneOfThreeReadsAndTheOthersAreNotForgotten) {
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bB", "w", "w"}));
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bbb", "b", "w"}));
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bB", "wb", "w"}));
  expect_sound(RoleSchedules<TsoMemory, 1>().run({"bbB", "Bb", "w"}));
}

TEST_F(RoleModel, OneOfThreeReadsOnTheMemoryOfCppToo) { expect_sound(RoleSchedules<CppMemory, 0>().run({"bbb", "bb", "b"})); }

TEST_F(RoleModel, AReaderThatSleepsIsRungWhenSomethingIsDone) {
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bbr", "bd"}));
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"br", "d", "bb"}));
  expect_sound(RoleSchedules<TsoMemory, 0>().run({"bbr", "bd", "w"}));
}

TEST_F(RoleModel, WhereTheMachineHasNoBarrierNobodyIsForgotten) {
  expect_sound(RoleSchedules<TsoMemory, 0, false>().run({"bB", "wb", "B"}));
  expect_sound(RoleSchedules<CppMemory, 0, false>().run({"bB", "w"}));
  expect_sound(RoleSchedules<CppMemory, 0, false>().run({"b", "w", "B"}));
}

// --- faults ---

struct Mutant {
  const char* name;
  void (*fault)(Access&);
};

const Mutant mutants[] = {
    {"NoBarrierByTheOneThatTakesItAway",
     [](Access& a) {
       if (a.what == step::barrier && a.before == step::store) a.leave_out();
     }},
    {"NoBarrierByTheOneThatWaits",
     [](Access& a) {
       if (a.what == step::barrier && a.before == step::none) a.leave_out();
     }},
    {"NoSecondLook",
     [](Access& a) {
       if (a.loads(bias_owner) && a.before == step::store && a.place_before == inside) a.leave_out(static_cast<model::Value>(a.thread + 1));
     }},
    {"DoesNotSayThatItIsInside",
     [](Access& a) {
       if (a.stores(inside) && a.value != 0) a.leave_out();
     }},
    {"NeverSaysThatItIsOutside",
     [](Access& a) {
       if (a.stores(inside) && a.value == 0) a.leave_out();
     }},
    {"TheFavouriteStaysIt",
     [](Access& a) {
       if (a.stores(bias_owner) && a.value == 0) a.leave_out();
     }},
    {"TheFavouriteInsideIsNotHeeded",
     [](Access& a) {
       if (a.loads(inside) && a.before == step::barrier) a.leave_out();
     }},
    {"TheFavouriteIsNotLookedFor",
     [](Access& a) {
       if (a.loads(bias_owner) && a.place_before == held) a.leave_out();
     }},
    {"OthersDoNotLeave",
     [](Access& a) {
       if (a.stores(held)) a.leave_out();
     }},
    {"SeveralAreFavourites",
     [](Access& a) {
       if (a.what == step::read_plain && a.place == only) a.leave_out();
     }},
};

class RoleMutant : public testing::TestWithParam<Mutant> {
 protected:
  octavo::kit::Watchdog watchdog{60};
};

TEST_P(RoleMutant, IsFound) { EXPECT_NE((RoleSchedules<TsoMemory, 0>().run({"bBbB", "wBwb"}, GetParam().fault).complaint), ""); }

INSTANTIATE_TEST_SUITE_P(Role, RoleMutant, testing::ValuesIn(mutants), [](const auto& each) { return std::string(each.param.name); });

TEST_F(RoleModel, LeavingWithoutAFenceIsFoundWhereTheMachineHasNoBarrier) {
  const auto found = RoleSchedules<TsoMemory, 0, false>().run({"b", "w"}, [](Access& a) {
    if (a.stores(held)) a.order = std::memory_order_release;
  });
  EXPECT_EQ(found.complaint, model::stuck);
}

// The bias owner says by a plain store that it reads: may_be_anothers() can miss that until the bias owner's next locked operation, after which it looks again.
TEST_F(RoleModel, AReaderThatSleepsWithoutAFenceIsFound) {
  const auto found = RoleSchedules<TsoMemory, 0>().run({"br", "d", "b"}, [](Access& a) {
    if (a.what == step::exchange && a.place == asleep) a.leave_out();
  });
  EXPECT_EQ(found.complaint, model::stuck);
}

}  // namespace
