// SPDX-License-Identifier: Apache-2.0
// C-10: start() returns, and what went wrong is said by get(): of calls to an object that is dead, destroyed, or dies meanwhile, of constructions, groups
// and services.
#include <csignal>

#include "conformance/process/every_place.hpp"
#include "octavo/group.hpp"

namespace process_tests {

namespace {

std::size_t length_of(const std::string& text) { return text.size(); }

class Started : public EveryPlace {
 protected:
  // Begins so many calls before it looks at one. Small ones, large ones, with a text.
  template <class Begin>
  static void expect_said_by_get(Begin begin, int count = 2000) {
    using Future = decltype(begin(0));
    std::vector<Future> all;
    EXPECT_NO_THROW({
      for (int i = 0; i < count; ++i) all.push_back(begin(i));
    });
    EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
    std::size_t died = 0;
    for (auto& each : all) try {
        (void)each.get();
      } catch (const ov::process_died&) {
        ++died;
      }
    EXPECT_GT(died, 0U);
    EXPECT_THROW((void)begin(0).get(), ov::process_died);
  }
};
class StartedAlone : public Started {};

TEST_P(Started, C10_OfOneThatWasDestroyed) {
  auto p = here.make<Counter>();
  ov::destroy(p);
  expect_said_by_get([&](int i) { return ov::start(p)->add(i); });
  const std::vector<double> many(3000, 1.0);
  expect_said_by_get([&](int) { return ov::start(p)->sum(many); }, 50);
  expect_said_by_get([&](int) { return ov::start(p)->reading("m"); });
  EXPECT_THROW(p->add(1), ov::process_died);
}

TEST_P(StartedAlone, C10_OfOneThatWasKilled) {
  const std::vector<double> many(3000, 1.0);
  for (int round = 0; round < 5; ++round) {
    auto p = here.make<Counter>();
    p->add(1);
    runtime.kill(p.address(), SIGKILL);
    expect_said_by_get([&](int i) { return ov::start(p)->add(i); });
    expect_said_by_get([&](int) { return ov::start(p)->sum(many); }, 50);
    expect_said_by_get([&](int) { return ov::start(p)->reading("m"); });
  }
}

TEST_P(StartedAlone, C10_OfAGroup) {
  auto g = ov::make_group<Counter>(here, 3);
  runtime.kill(g[1].address(), SIGKILL);
  std::vector<decltype(ov::start(g)->value())> all;
  EXPECT_NO_THROW({
    for (int i = 0; i < 200; ++i) all.push_back(ov::start(g)->value());
  });
  EXPECT_THROW((void)all.back().get(), ov::process_died);
}

TEST_P(StartedAlone, C10_OfAServiceWhoseWorkersDie) {
  const auto service = ov::Service::on({here}, 2);
  std::vector<ov::future<std::size_t>> all;
  EXPECT_NO_THROW({
    for (int i = 0; i < 600; ++i) {
      if (i == 200 || i == 400) runtime.kill(service.workers()[i / 200 - 1].address(), SIGKILL);
      all.push_back(ov::start(service, length_of, std::string("four")));
      if (i == 199) all.front().wait();  // so that one is answered before the first worker dies
    }
  });
  std::size_t right = 0;
  for (auto& each : all) try {
      right += each.get() == 4 ? 1 : 0;
    } catch (const ov::error& e) {
      EXPECT_EQ(e.kind(), ov::error_kind::gone);
    }
  EXPECT_GT(right, 0U);
  until([&] { return service.living().empty(); });
  auto none = ov::start(service, length_of, std::string("four"));
  EXPECT_THROW((void)none.get(), ov::gone_error);
}

TEST_P(Started, C10_OfOneWhoseMachineIsLost) {
  if (GetParam() != "box") GTEST_SKIP() << "this machine goes only with the program";
  auto there = here.make<Counter>();
  for (const auto& each : runtime.processes())
    if (each.machine == "box" && each.address.object <= 1) ::kill(static_cast<int>(each.pid), SIGKILL);
  EXPECT_THROW(
      {
        for (;;) there->add(1);
      },
      ov::error);
  ov::future<int> called;
  EXPECT_NO_THROW(called = ov::start(there)->add(1));
  EXPECT_THROW((void)called.get(), ov::error);
}

// What the caller has to change is thrown at once.
TEST_P(Started, C10_APointerThatPointsNowhereIsTheCallersOwn) { EXPECT_THROW((void)ov::start(ov::remote_ptr<Counter>())->add(1), ov::usage_error); }

INSTANTIATE_TEST_SUITE_P(, Started, every_place, name_of_place);
INSTANTIATE_TEST_SUITE_P(, StartedAlone, every_process, name_of_place);

}  // namespace

}  // namespace process_tests
