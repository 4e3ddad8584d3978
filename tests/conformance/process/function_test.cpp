// SPDX-License-Identifier: Apache-2.0
// Functions in other processes: called by workers, and by a service of several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <numeric>
#include <set>

#include "conformance/process/every_place.hpp"

namespace process_tests {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

double area(double r) { return r * r; }
static int own_pid(int) noexcept { return ::getpid(); }
int doubled(int n) { return 2 * n; }
int tripled(int n) { return 3 * n; }
double total(std::span<const double> data) { return std::accumulate(data.begin(), data.end(), 0.0); }
void grow(std::vector<int>& list, int by) {
  for (int& n : list) n += by;
}
void refuse(const std::string& why) { throw ov::refused(why); }
void sleep_on(int) {
  for (;;) ::pause();
}
int pass(ov::remote_ptr<int[]> gate) {
  until([&] { return gate[0] != 0; });
  return gate[0];
}
int add_there(ov::remote_ptr<Counter> p, int n) { return p->add(n); }
ov::future<int> add_later(ov::remote_ptr<Counter> p, int n) {
  int there = co_await ov::start(p)->add(n);
  co_return there + 1;
}
struct Scale {
  double by = 1;
  std::vector<double> operator()(std::vector<double> data) const {
    for (double& x : data) x *= by;
    return data;
  }
};
class Mod {
 public:
  Mod() = default;
  explicit Mod(int n) : n_(n) {}
  template <class Archive>
  void serialize(Archive& archive) {
    archive(n_);
  }
  int operator()(int x) { return x % n_; }
  ov::future<int> operator()(ov::remote_ptr<Counter> p, int x) {
    int there = co_await ov::start(p)->add(x);
    co_return there % n_;  // the functor is still there
  }

 private:
  int n_ = 1;
};
// An extension function of an ordinary class.
int twice_its_value(const Counter& counter) { return 2 * counter.value(); }
int add_both(Counter& counter, int a, const std::vector<int>& more) noexcept { return counter.add(a + more.at(0)); }

namespace {

class Function : public EveryPlace {};
class FunctionAlone : public EveryPlace {};

TEST_P(Function, RunsInTheWorkersProcess) {
  auto worker = here.make<ov::Worker>();
  EXPECT_EQ(ov::call(worker, own_pid, 0) == ::getpid(), GetParam() == "thread");
  EXPECT_EQ(ov::call(worker, &area, 3), 9.0) << "arguments convert";
  EXPECT_EQ(ov::start(worker, area, 1.5).get(), 2.25);
  int (*chosen)(int) = &doubled;
  EXPECT_EQ(ov::call(worker, chosen, 4), 8);
  chosen = &tripled;
  EXPECT_EQ(ov::call(worker, chosen, 4), 12) << "the function of now, not of the type";
  EXPECT_EQ(runtime.processes().back().class_name, "worker");
}

TEST_P(Function, ArgumentsAndResultsAreThoseOfMethods) {
  auto worker = here.make<ov::Worker>();
  std::vector<double> data(20000, 0.5);
  EXPECT_EQ(ov::call(worker, total, data), 10000.0);
  std::vector<int> list{1, 2};
  ov::call(worker, grow, list, 5);
  EXPECT_THAT(list, ElementsAre(6, 7));
  auto p = here.make<Counter>(1);
  EXPECT_EQ(ov::call(worker, add_there, p, 2), 3);
  EXPECT_EQ(ov::call(worker, add_later, p, 2), 6) << "C-12";
  auto nothing = ov::start(worker, [] {});
  nothing.get();
}

TEST_P(Function, LambdasAndFunctors) {
  auto worker = here.make<ov::Worker>();
  auto plus = [](int a, int b) { return a + b; };
  auto minus = [](int a, int b) { return a - b; };
  EXPECT_EQ(ov::call(worker, plus, 5, 2), 7);
  EXPECT_EQ(ov::call(worker, minus, 5, 2), 3) << "two of one signature are told apart";
  EXPECT_EQ(ov::call(
                worker, [](const std::string& s) { return s + "!"; }, "text"),
            "text!");
  EXPECT_EQ(ov::call(
                worker, [](auto x) { return x * 2; }, 2.5),
            5.0);
  EXPECT_EQ(ov::call(worker, std::plus<int>(), 1, 2), 3);
  EXPECT_EQ(ov::call(worker, std::multiplies<>(), 3, 2.5), 7.5);
  EXPECT_THAT(ov::call(worker, Scale{2}, std::vector<double>{1, 2}), ElementsAre(2, 4));
  EXPECT_EQ(ov::call(worker, Mod(7), 30), 2);
  auto p = here.make<Counter>(0);
  EXPECT_EQ(ov::start(worker, Mod(7), p, 10).get(), 3);
}

TEST_P(Function, ErrorsAreThoseOfMethods) {
  auto worker = here.make<ov::Worker>();
  try {
    ov::call(worker, refuse, "no more");
    FAIL();
  } catch (const ov::refused& e) {
    EXPECT_STREQ(e.what(), "no more");
    ASSERT_NE(ov::origin(e), nullptr);
    EXPECT_EQ(ov::origin(e)->process.class_name, "worker");
  }
  auto code = ov::detail::code_of(reinterpret_cast<const void*>(&doubled));
  code.build += 1;
  try {
    ov::call<&ov::detail::run_at<int, int>>(worker, code, 3);
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("of 'conformance_tests' (build "));
  }
  EXPECT_EQ(ov::call(worker, doubled, 1), 2) << "the process lives on";
}

TEST_P(FunctionAlone, AWorkerThatDiesFailsItsCalls) {
  auto worker = here.make<ov::Worker>();
  auto asleep = ov::start(worker, sleep_on, 0);
  runtime.kill(worker.address(), SIGKILL);
  EXPECT_THROW(asleep.get(), ov::process_died);
}

TEST_P(Function, ExtensionFunctionsRunBesideTheObject) {
  auto p = here.make<Counter>(4);
  EXPECT_EQ(ov::call<&twice_its_value>(p), 8);
  EXPECT_EQ(ov::start<&add_both>(p, 1, std::vector<int>{5}).get(), 10);
  auto mine = ov::scoped(p);
  EXPECT_EQ(ov::call<&twice_its_value>(mine), 20);
}

std::vector<ov::remote_ptr<ov::Worker>> workers_on(const ov::Place& place, int n) {
  std::vector<ov::remote_ptr<ov::Worker>> workers;
  for (int i = 0; i < n; ++i) workers.push_back(place.make<ov::Worker>());
  return workers;
}

TEST_P(Function, AServiceGivesCallsToWhoHasTheFewest) {
  ov::Service service(workers_on(here, 3));
  std::vector<ov::future<int>> started;
  for (int i = 0; i < 6; ++i) started.push_back(ov::start(service, doubled, i));
  EXPECT_EQ(started[5].get(), 10);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(started[static_cast<std::size_t>(i)].get(), 2 * i);
  EXPECT_THAT(service.under_way(), ElementsAre(0, 0, 0));

  auto gate = here.make<int[]>(1);
  auto busy = ov::start(service, pass, gate);
  EXPECT_THAT(service.under_way(), UnorderedElementsAre(0, 0, 1));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ov::call(service, doubled, i), 2 * i) << "would wait for ever behind the busy one";
  std::vector<int> list{1};
  ov::call(service, grow, list, 1);
  EXPECT_THAT(list, ElementsAre(2));
  EXPECT_EQ(ov::start(service, Scale{3}, std::vector<double>{1}).get()[0], 3);
  EXPECT_FALSE(busy.ready());
  gate[0] = 7;
  EXPECT_EQ(busy.get(), 7);
  ov::destroy(service);
  EXPECT_TRUE(service.living().empty());
  EXPECT_THROW(ov::call(service, doubled, 1), ov::gone_error);
}

TEST_P(Function, AServicesFunctionsOwnTroubleIsNotTheWorkers) {
  ov::Service service(workers_on(here, 3));
  auto p = here.make<Counter>();
  ov::destroy(p);
  for (int i = 0; i < 6; ++i) EXPECT_THROW(ov::call(service, add_there, p, 1), ov::process_died);
  EXPECT_EQ(service.living().size(), 3u);
  EXPECT_THROW(ov::Service({}), ov::usage_error);
}

TEST_P(FunctionAlone, AServiceAvoidsTheDead) {
  ov::Service service(workers_on(here, 3));
  std::set<int> pids;
  for (int i = 0; i < 3; ++i) pids.insert(ov::call(service, own_pid, 0));
  EXPECT_EQ(pids.size(), 3u) << "equals take turns";
  auto asleep = ov::start(service, sleep_on, 0);
  auto counts = service.under_way();
  auto at = static_cast<std::size_t>(std::find(counts.begin(), counts.end(), 1u) - counts.begin());
  ASSERT_LT(at, 3u);
  runtime.kill(service.workers()[at].address(), SIGKILL);
  EXPECT_THROW(asleep.get(), ov::process_died);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ov::call(service, doubled, i), 2 * i);
  EXPECT_EQ(service.living().size(), 2u);
}

INSTANTIATE_TEST_SUITE_P(, Function, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, FunctionAlone, every_process, name_of_place);

}  // namespace
}  // namespace process_tests
