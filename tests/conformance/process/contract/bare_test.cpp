// SPDX-License-Identifier: Apache-2.0
// The contract of a call, clause by clause, on every place, for a class without OCTAVO_REMOTE: reached by ov::call<&T::f> and ov::start<&T::f>.
// (With the line: counter_test.cpp and the others.) And what is the same on all places: the texts of errors, and who may call whom.
#include <csignal>
#include <numeric>

#include "conformance/process/every_place.hpp"

namespace process_tests {

class Base {
 public:
  virtual ~Base() = default;
  int base_of(int n) { return n + offset(); }
  virtual int offset() { return 0; }
};
class Bare : public Base {
 public:
  using Pointer = octavo::remote_ptr<Bare>;
  explicit Bare(int start = 0) : value_(start) {
    if (start < 0) throw std::out_of_range("no bare one starts at " + std::to_string(start));
  }
  int offset() override { return 1000; }
  int add(int n) { return value_ += n; }
  void note(int n) { notes_.push_back(n); }
  std::vector<int> notes() { return notes_; }
  void negate(std::vector<double>& data) {
    for (auto& x : data) x = -x;
  }
  std::vector<double> echo(std::vector<double> data) { return data; }
  void fail(const std::string& how) {
    if (how == "std") throw std::out_of_range("index 9 of 4");
    if (how == "named") throw too_much("too much of it");
    throw unnamed_error("nobody knows my type");
  }
  int through(const std::vector<Pointer>& way) {
    if (way.empty()) return value_;
    return octavo::call<&Bare::through>(way.front(), std::vector<Pointer>(way.begin() + 1, way.end()));
  }
  void die() {
    std::fprintf(stderr, "bare last words\n");
    ::raise(SIGUSR1);
  }
  octavo::future<int> when_opened() { return gate_.get_future(); }
  void open(int n) { gate_.set_value(n); }
  octavo::future<int> later(Pointer other, int n) {
    int there = co_await octavo::start<&Bare::add>(other, n);
    co_return value_ + there;
  }

 private:
  int value_;
  std::vector<int> notes_;
  octavo::promise<int> gate_;
};

namespace {

using Pointers = std::vector<ov::remote_ptr<Bare>>;

class Without : public EveryPlace {};
class WithoutAlone : public EveryPlace {};

TEST_P(Without, C1_C2_CallsReturnWhenDoneAndRunInTheOrderMade) {
  auto p = here.make<Bare>(5);
  EXPECT_EQ(ov::call<&Bare::add>(p, 3), 8);
  std::vector<ov::future<void>> started;
  for (int i = 0; i < 500; ++i) {
    if (i % 50 == 25) ov::call<&Bare::note>(p, i);
    else started.push_back(ov::start<&Bare::note>(p, i));
  }
  std::vector<int> expected(500);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(ov::call<&Bare::notes>(p), expected);
  ov::when_all(std::move(started)).get();
}

TEST_P(Without, C3_CallbacksThroughThreeProcesses) {
  auto a = here.make<Bare>(1), b = here.make<Bare>(2), c = here.make<Bare>(3);
  EXPECT_EQ(ov::call<&Bare::through>(a, Pointers{b, a}), 1);
  EXPECT_EQ(ov::call<&Bare::through>(a, Pointers{b, c, b, a, c}), 3) << "each is in two methods at once";
}

TEST_P(Without, C4_ValuesReferencesAndBulk) {
  auto p = here.make<Bare>();
  std::vector<double> data(100000);
  std::iota(data.begin(), data.end(), 1.0);
  EXPECT_EQ(ov::call<&Bare::echo>(p, data), data);
  auto negative = data;
  ov::call<&Bare::negate>(p, negative);
  EXPECT_EQ(negative.back(), -data.back());
}

TEST_P(Without, C5_ExceptionsArriveAsTheirTypeOrAsRemoteError) {
  auto p = here.make<Bare>();
  EXPECT_THROW(ov::call<&Bare::fail>(p, "std"), std::out_of_range);
  EXPECT_THROW(ov::start<&Bare::fail>(p, "named").get(), too_much);
  try {
    ov::call<&Bare::fail>(p, "unnamed");
    FAIL();
  } catch (const ov::remote_error& e) {
    EXPECT_THAT(e.type_name(), HasSubstr("unnamed_error"));
  }
  EXPECT_THROW(here.make<Bare>(-1), std::out_of_range);
  EXPECT_EQ(ov::call<&Bare::add>(p, 1), 1) << "it lives on";
}

TEST_P(WithoutAlone, C6_DeathTellsWhoWhereSinceWhenAndHow) {
  auto p = here.make<Bare>();
  auto queued = ov::start<&Bare::when_opened>(p);
  try {
    ov::call<&Bare::die>(p);
    FAIL();
  } catch (const ov::process_died& e) {
    for (const char* part : {"Bare", "SIGUSR1", "bare last words", " s after it was made"}) EXPECT_THAT(e.what(), HasSubstr(part));
    EXPECT_THAT(e.what(), HasSubstr("process " + std::to_string(p.address().object) + ", pid"));
    EXPECT_FALSE(e.obituary().facts.machine.empty());
    EXPECT_GE(e.obituary().died, e.obituary().facts.started);
    EXPECT_FALSE(e.cure().empty());
  }
  EXPECT_THROW(queued.get(), ov::process_died);
  EXPECT_THROW(ov::call<&Bare::add>(p, 1), ov::process_died);
}

TEST_P(Without, C7_DestroyedAndScoped) {
  auto p = here.make<Bare>();
  ov::destroy(p);
  EXPECT_THROW(ov::call<&Bare::add>(p, 1), ov::process_died);
  { auto q = ov::scoped(here.make<Bare>()); }
  until([&] { return objects() == 0; });
}

TEST_P(Without, C8_AnObjectIsCalledFromAnyPlace) {
  auto mine = here.make<Bare>(7), on_thread = ov::thread.make<Bare>(1), beside = ov::process.make<Bare>(2), far = runtime.machine("attic").make<Bare>(3);
  for (const auto& from : {on_thread, beside, far, mine}) {
    EXPECT_EQ(ov::call<&Bare::through>(from, Pointers{mine}), 7);
    EXPECT_EQ(ov::call<&Bare::through>(mine, Pointers{from, far, from, mine}), 7) << "there and back";
  }
}

TEST_P(Without, C9_AMethodOfTheBaseOnAPointerToTheDerived) {
  auto p = here.make<Bare>(1);
  EXPECT_EQ(ov::call<&Base::base_of>(p, 5), 1005) << "and it is virtual there";
}

TEST_P(Without, C10_StartOnConstruction) {
  std::vector<ov::future<ov::remote_ptr<Bare>>> making;
  for (int i = 0; i < 4; ++i) making.push_back(ov::start(here).make<Bare>(i));
  int i = 0;
  for (const auto& p : ov::when_all(std::move(making)).get()) EXPECT_EQ(ov::call<&Bare::add>(p, 0), i++);
  EXPECT_THROW(ov::start(here).make<Bare>(-1).get(), std::out_of_range);
}

TEST_P(Without, C12_FuturesAndCoroutinesAsMethods) {
  auto p = here.make<Bare>(1), q = here.make<Bare>(10);
  auto open_one = ov::start<&Bare::when_opened>(p);
  EXPECT_EQ(ov::call<&Bare::later>(p, q, 5), 16);
  EXPECT_FALSE(open_one.ready());
  ov::call<&Bare::open>(p, 9);
  EXPECT_EQ(open_one.get(), 9);
}

// C-11: what failed, on which object, process and machine; the same words on each place.
TEST_P(Without, C11_ErrorsSayTheSameOnEachPlace) {
  auto p = here.make<Counter>(3);
  auto number = std::to_string(p.address().object);
  try {
    p->fail("octavo");
    FAIL();
  } catch (const ov::io_error& e) {
    EXPECT_STREQ(e.what(), "the disk is on fire. Fetch water");
    EXPECT_EQ(e.kind(), ov::error_kind::io);
    const auto* from = ov::origin(e);
    ASSERT_NE(from, nullptr);
    EXPECT_EQ(from->process.address, p.address());
    EXPECT_FALSE(from->process.machine.empty());
    ASSERT_EQ(from->trace.size(), 1u);
    auto where = ") const, process_tests::Counter (process " + number + ", pid " + std::to_string(from->process.pid) + " on " + from->process.machine + ")";
    EXPECT_THAT(from->trace[0], testing::AllOf(testing::StartsWith("in process_tests::Counter::fail("), testing::EndsWith(where)));
  }
  ov::destroy(p);
  try {
    p->value();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), testing::StartsWith("process_tests::Counter (process " + number + ", pid "));
    EXPECT_THAT(e.what(), testing::EndsWith(" was destroyed. Do not call a process after it was destroyed"));
  }
}

INSTANTIATE_TEST_SUITE_P(, Without, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, WithoutAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
