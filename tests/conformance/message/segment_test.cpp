// SPDX-License-Identifier: Apache-2.0
// Segments between the program and objects on every place of its machine, and what becomes of them elsewhere.
#include "octavo/message/segment.hpp"

#include <sys/wait.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <span>

#include "conformance/message/segment_sharer.hpp"
#include "conformance/process/every_place.hpp"
#include "octavo/machine/pool.hpp"

namespace segment_tests {
namespace {

using process_tests::until;
using testing::HasSubstr;

template <class Error = ov::error>
std::string error_of(const std::function<void()>& what) {
  try {
    what();
    return "none";
  } catch (const Error& e) {
    return e.what();
  }
}

class Segments : public process_tests::EveryPlace {
 protected:
  const std::int64_t all = free_bytes();
  // What is released by another process is so a moment later.
  void await_all_free() const {
    until([this] { return free_bytes() == all; });
  }
};

TEST_P(Segments, SEG1_WhoeverHasOneSeesTheSameElements) {
  Numbers mine(1000);
  auto one = here.make<Sharer>(), two = here.make<Sharer>();
  one->keep(mine);
  two->keep(one->kept());
  mine[999] = 5;
  EXPECT_EQ(two->load(999), 5U);
  two->store(0, 7);
  EXPECT_EQ(mine[0], 7U);
  EXPECT_EQ(one->load(0), 7U);
  EXPECT_EQ(one->size(), 1000U);
  const std::span<std::uint64_t> view(mine);
  EXPECT_EQ(view.data(), mine.data());
  EXPECT_EQ(std::accumulate(mine.begin(), mine.end(), std::uint64_t{0}), 12U);
}

TEST_P(Segments, ANameThatLooksLikeAnAddressIsRefused) {
  EXPECT_THAT(error_of<ov::usage_error>([] { Numbers("ov://house/heat", 10); }), HasSubstr("is no name of a segment"));
}

TEST_P(Segments, SEG1_ANewOneIsAllZerosAlsoWhereItsMemoryWasUsed) {
  constexpr std::size_t elements = 10'000;
  auto& pool = ov::job_pool();
  const auto used = pool.allocate(elements * sizeof(std::uint64_t));
  std::memset(pool.at(used), 0xab, used.bytes);
  pool.release(used);
  const Numbers own(elements), named("n", elements);
  for (const auto& each : {own, named}) EXPECT_EQ(std::count(each.begin(), each.end(), 0U), static_cast<std::ptrdiff_t>(elements));
}

TEST_P(Segments, SEG1_AMutexAndAConditionSayWhoComesAfterWhom) {
  constexpr int times = 300;
  ov::Mutex mutex("m");
  ov::Condition changed("c");
  const Numbers numbers("n", 2);
  auto first = here.make<Sharer>(), second = here.make<Sharer>();
  auto one = ov::start(first)->count(numbers, mutex, times), two = ov::start(second)->count(numbers, mutex, times);
  std::thread other([&] { Sharer().count(numbers, mutex, times); });
  Sharer().count(numbers, mutex, times);
  other.join();
  one.get();
  two.get();
  EXPECT_EQ(numbers[0], 4U * times);
  auto odd = ov::start(first)->turns(numbers, mutex, changed, 1, times), even = ov::start(second)->turns(numbers, mutex, changed, 0, times);
  odd.get();
  even.get();
  EXPECT_EQ(numbers[0], 6U * times);
}

TEST_P(Segments, SEG2_TheSameNameIsTheSameSegment) {
  const Numbers mine("n", 100);
  auto sharer = here.make<Sharer>();
  sharer->open("n", 100);
  mine[42] = 1;
  EXPECT_EQ(sharer->load(42), 1U);
  EXPECT_EQ(Numbers("n", 100)[42], 1U);
  EXPECT_EQ(Numbers("o", 100)[42], 0U);
  EXPECT_EQ(mine.name(), "n");
  EXPECT_EQ(sharer->kept().name(), "n") << "its name travels";
}

TEST_P(Segments, SEG2_OfAnotherTypeOrSizeItIsAnError) {
  auto sharer = here.make<Sharer>();
  sharer->open("n", 100);
  EXPECT_THAT(error_of<ov::usage_error>([] { Numbers("n", 99); }), HasSubstr("segment 'n' has 100 of type uint64, not 99 of type uint64"));
  EXPECT_THAT(error_of<ov::usage_error>([] { ov::Segment<double>("n", 100); }), HasSubstr("not 100 of type float64"));
  sharer->let_go();
  ov::Segment<double>("n", 5)[0] = 1;
}

TEST_P(Segments, SEG3_TheMemoryLivesWhileAnybodyHasItAndTheNextOfItsNameIsNew) {
  auto sharer = here.make<Sharer>();
  {
    const Numbers mine("n", 100), copied = mine;
    mine[0] = 3;
    sharer->keep(copied);
  }
  EXPECT_EQ(sharer->load(0), 3U);
  EXPECT_EQ(Numbers("n", 100)[0], 3U);
  EXPECT_NE(free_bytes(), all);
  sharer->let_go();
  await_all_free();
  EXPECT_EQ(Numbers("n", 100)[0], 0U);
  sharer->open("n", 100);
  ov::destroy(sharer);
  await_all_free();
}

TEST_P(Segments, SEG3_AMessageHasItToo) {
  ov::Mailbox<Numbers> box("box");
  auto sharer = here.make<Sharer>();
  sharer->open("n", 100);
  sharer->store(0, 9);
  sharer->post(box);
  sharer->let_go();
  EXPECT_EQ(box.retrieve()[0], 9U);
  await_all_free();
  sharer->make(100);
  sharer->post(box);  // and is never read
  ov::destroy(sharer);
  EXPECT_NE(free_bytes(), all);
}

TEST_P(Segments, SEG4_ToAnotherMachineItIsRefusedAndNothingIsSent) {
  auto far = runtime.machine("box").make<Sharer>();
  {
    Numbers own(100);
    const Numbers named("n", 100), two = own;
    for (const auto& each : {own, named})
      EXPECT_THAT(error_of<ov::not_supported>([&] { far->keep(each); }),
                  testing::AllOf(HasSubstr("a segment of 800 B was to go to segment_tests::Sharer (process "), HasSubstr("on box, which is on another machine"),
                                 HasSubstr("Send segment.copy()")));
    EXPECT_THROW(far->keep(std::move(own)), ov::not_supported) << "somebody else has it";
    EXPECT_THROW(far->keep(Numbers("n", 100)), ov::not_supported) << "anybody may open it by its name";
  }
  EXPECT_EQ(far->size(), 0U);
  await_all_free();
}

TEST_P(Segments, SEG4_AnAnswerOrAPostToAnotherMachineIsRefusedToo) {
  auto far = runtime.machine("box").make<Sharer>();
  far->make(100);
  EXPECT_THAT(error_of<ov::not_supported>([&] { far->kept(); }), HasSubstr("a segment of 800 B was to go to its caller, which is on another machine"));
  far->store(0, 4);
  EXPECT_EQ(far->load(0), 4U) << "it is there still";
  ov::Mailbox<Numbers> box("box");
  EXPECT_FALSE(box.try_retrieve()) << "its reader is here from now on";
  EXPECT_THAT(error_of<ov::not_supported>([&] {
                for (;;) far->post(box);  // the reader is to be found first
              }),
              HasSubstr("was to go to"));
}

TEST_P(Segments, SEG4_WhatNobodyElseHasGoesToAnotherMachineAsItsOwn) {
  auto far = runtime.machine("box").make<Sharer>(), beside = runtime.machine("box").make<Sharer>();
  const Numbers mine("n", 10'000);
  mine[9'999] = 8;
  far->keep(mine.copy());
  beside->keep(Numbers(5));
  EXPECT_EQ(far->load(9'999), 8U);
  far->store(0, 1);
  EXPECT_EQ(mine[0], 0U) << "it is another one";
  const auto back = far->fresh(100, 6);
  EXPECT_EQ(back[0], 6U);
  auto near = here.make<Sharer>();
  near->keep(back);
  back[1] = 2;
  EXPECT_EQ(near->load(1), 2U);
}

TEST_P(Segments, ACopyIsNewAndWithoutAName) {
  const Numbers mine("n", 3);
  mine[1] = 5;
  const auto copy = mine.copy();
  mine[1] = 6;
  EXPECT_EQ(copy[1], 5U);
  EXPECT_EQ(copy.name(), "");
  EXPECT_TRUE(Numbers().copy().empty());
}

TEST(SegmentValues, AMovedOneIsEmpty) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  Numbers first("n", 3), second(4);
  const auto* const at = first.data();
  second = std::move(first);
  EXPECT_TRUE(first.empty() && !first && first.data() == nullptr && first.name().empty());  // NOLINT(bugprone-use-after-move)
  EXPECT_TRUE(second.data() == at && second.size() == 3 && second.name() == "n");
}

TEST_P(Segments, AnEmptyOneTravels) {
  auto sharer = here.make<Sharer>();
  sharer->make(3);
  sharer->keep(Numbers());
  EXPECT_EQ(sharer->size(), 0U);
  EXPECT_FALSE(sharer->kept());
}

TEST_P(Segments, MistakesAreSaid) {
  auto sharer = here.make<Sharer>();
  EXPECT_THAT(error_of<ov::usage_error>([] { Numbers(0); }), HasSubstr("a segment was to have no elements"));
  EXPECT_THROW(Numbers("", 1), ov::usage_error);
  EXPECT_THROW(sharer->open(std::string(256, 'x'), 1), ov::usage_error);
  EXPECT_THROW(Numbers(SIZE_MAX / 2), ov::refused);
  EXPECT_THAT(error_of<ov::refused>([&] { Numbers("n", static_cast<std::size_t>(all)); }),
              testing::AllOf(HasSubstr("segment 'n' of "), HasSubstr("does not fit the pool of "), HasSubstr("Give the Runtime more memory")));
  EXPECT_EQ(free_bytes(), all);
}

INSTANTIATE_TEST_SUITE_P(, Segments, testing::Values("thread", "process"), process_tests::name_of_place);

TEST(SegmentsOfARuntime, AForkedProcessLetsGoOfNothing) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  Numbers mine("n", 5);
  const int child = watchdog.fork();
  if (child == 0) {
    mine = Numbers();
    std::_Exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  mine[0] = 4;
  EXPECT_EQ(Numbers("n", 5)[0], 4U);
}

TEST(SegmentsOfARuntime, AFullPoolIsWaitedForAMomentThenRefused) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 1 << 20}};
  const ov::Segment<char> most(900 << 10);
  EXPECT_THAT(error_of<ov::refused>([] { ov::Segment<char>(200 << 10); }), HasSubstr("a segment of 200 KiB does not fit the pool of 1 MiB, of which 124 KiB"));
}

TEST(SegmentsOfARuntime, TheMemoryOutlivesItAndTheNextKnowsNothingOfIt) {
  ov::kit::Watchdog watchdog{60};
  Numbers old;
  {
    ov::Runtime runtime;
    old = Numbers("n", 5);
    old[4] = 1;
  }
  old[4] += 1;
  EXPECT_EQ(old[4], 2U);
  EXPECT_THROW(Numbers("n", 5), ov::usage_error) << "there is no Runtime";
  ov::Runtime next;
  EXPECT_EQ(Numbers("n", 5)[4], 0U);
  auto sharer = ov::process.make<Sharer>();
  EXPECT_THAT(error_of<ov::usage_error>([&] { sharer->keep(old); }), HasSubstr("segment 'n' was made in another object, or under another Runtime"));
}

}  // namespace
}  // namespace segment_tests
