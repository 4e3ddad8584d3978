// SPDX-License-Identifier: Apache-2.0
// A service over several machines: among equals the machine with the least load gets the call. Who says the load is played.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "conformance/process/every_place.hpp"
#include "octavo/process/detail/member.hpp"

namespace process_tests {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::Ge;
using testing::Lt;

namespace loaded {
std::uint64_t agent_of_worker() { return ov::detail::facts_of_object().address.agent; }
int pass(ov::remote_ptr<int[]> gate) {
  until([&] { return gate[0] != 0; });
  return gate[0];
}
}  // namespace loaded

namespace {

class ServiceLoad : public testing::Test {
 public:
  ~ServiceLoad() override { std::filesystem::remove_all(home); }

 protected:
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-service-" + std::to_string(::getpid()));
  ov::Runtime runtime{{.engine = ov::played({"box", "attic"}, home.string())}};
  ov::Machine box = runtime.machine("box"), attic = runtime.machine("attic");
  std::map<std::uint64_t, double> load;  // by agent
  std::map<std::uint64_t, int> asked;
  std::vector<ov::promise<double>> kept;  // of questions that wait for their answer

  ov::LoadSource played(std::chrono::milliseconds every) {
    return {[this](const ov::remote_ptr<ov::Worker>& idle) {
              ov::promise<double> answer;
              auto soon = answer.get_future();
              ++asked[idle.address().agent];
              answer.set_value(load.at(idle.address().agent));
              return soon;
            },
            every};
  }
  // Agents, by the workers' places.
  static std::pair<std::uint64_t, std::uint64_t> agents(const ov::Service& service) {
    return {service.workers().front().address().agent, service.workers().back().address().agent};
  }
  void say(const ov::Service& service, double first, double second) {
    auto [a, b] = agents(service);
    load = {{a, first}, {b, second}};
  }
  static std::vector<std::uint64_t> chosen(const ov::Service& service, int calls) {
    std::vector<std::uint64_t> by;
    for (int i = 0; i < calls; ++i) by.push_back(ov::call(service, loaded::agent_of_worker));
    return by;
  }
};

TEST_F(ServiceLoad, TheLeastLoadedOfEqualsIsChosen) {
  auto service = ov::Service::on({box, attic}, 2, played(std::chrono::milliseconds(0)));
  ASSERT_EQ(service.workers().size(), 4u);
  auto [first, second] = agents(service);
  ASSERT_NE(first, second);
  say(service, 0.9, 0.1);
  chosen(service, 1);  // the question goes with the call that needs it
  EXPECT_THAT(chosen(service, 6), Each(second));
  EXPECT_THAT(service.loads(), ElementsAre(0.9, 0.1, 0.9, 0.1));
  say(service, 0.2, 0.5);
  chosen(service, 1);
  EXPECT_THAT(chosen(service, 6), Each(first));
  say(service, 0.3, 0.3);
  chosen(service, 1);
  auto turns = chosen(service, 8);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), first), 4) << "equals take turns";
  ov::destroy(service);
}

TEST_F(ServiceLoad, CallsUnderWayComeFirst) {
  auto service = ov::Service::on({box, attic}, 1, played(std::chrono::milliseconds(0)));
  auto [first, second] = agents(service);
  say(service, 0, 1);
  chosen(service, 1);
  auto gate = ov::process.make<int[]>(1);
  auto busy = ov::start(service, loaded::pass, gate);
  EXPECT_THAT(service.under_way(), ElementsAre(1, 0)) << "on the one with less load";
  EXPECT_THAT(chosen(service, 5), Each(second)) << "the one with more load has less to do";
  gate[0] = 7;
  EXPECT_EQ(busy.get(), 7);
  EXPECT_THAT(chosen(service, 5), Each(first));
}

TEST_F(ServiceLoad, AMachineIsAskedOnlyWhereItMatters) {
  auto alone = ov::Service::on({box}, 3, played(std::chrono::milliseconds(0)));
  chosen(alone, 10);
  EXPECT_TRUE(asked.empty()) << "all on one machine";
  auto service = ov::Service::on({box, attic, box}, 1, played(std::chrono::hours(1)));
  load = {{service.workers()[0].address().agent, 0.5}, {service.workers()[1].address().agent, 0.4}};
  chosen(service, 10);
  ASSERT_EQ(asked.size(), 2u);
  for (const auto& [agent, times] : asked) EXPECT_EQ(times, 1) << "no more often than was said";
}

TEST_F(ServiceLoad, NoCallWaitsForAnAnswer) {
  int questions = 0;
  auto never = [&](const ov::remote_ptr<ov::Worker>&) {
    ++questions;
    return kept.emplace_back().get_future();
  };
  auto service = ov::Service::on({box, attic}, 1, {never, std::chrono::milliseconds(0)});
  auto [first, second] = agents(service);
  auto turns = chosen(service, 10);
  EXPECT_EQ(std::count(turns.begin(), turns.end(), first), 5) << "nothing is known of either";
  EXPECT_EQ(questions, 2) << "one under way for each";
  kept[0].set_value(0.2);
  EXPECT_THAT(chosen(service, 4), Each(first)) << "the other may be busy";
  kept[1].set_exception(std::make_exception_ptr(ov::refused("it will not say")));
  EXPECT_THAT(chosen(service, 4), Each(first));
  EXPECT_GE(questions, 4) << "and is asked again";
}

TEST_F(ServiceLoad, ASourceThatThrowsIsNoTroubleOfTheCalls) {
  auto throws = [](const ov::remote_ptr<ov::Worker>&) -> ov::future<double> { throw ov::refused("not now"); };
  auto service = ov::Service::on({box, attic}, 1, {throws, std::chrono::milliseconds(0)});
  EXPECT_EQ(chosen(service, 4).size(), 4u);
  auto nothing = [](const ov::remote_ptr<ov::Worker>&) { return ov::future<double>(); };
  auto second = ov::Service::on({box, attic}, 1, {nothing, std::chrono::milliseconds(0)});
  EXPECT_EQ(chosen(second, 4).size(), 4u);
}

TEST_F(ServiceLoad, TheSystemSaysTheLoad) {
  auto service = ov::Service::on({box, attic, ov::thread}, 1, {{}, std::chrono::milliseconds(0)});
  EXPECT_THAT(service.loads(), Each(1.0)) << "nothing is known yet";
  until([&] {
    chosen(service, 1);
    auto loads = service.loads();
    return loads[0] == loads[1] && loads[1] == loads[2] && loads[0] != 1.0;  // all are this host
  });
  EXPECT_THAT(service.loads(), Each(AllOf(Ge(0.0), Lt(1000.0))));
}

TEST_F(ServiceLoad, WhereOneCannotBeMadeNoneIsLeft) {
  auto before = runtime.processes().size();
  ov::Machine nowhere("nowhere");
  EXPECT_THROW(ov::Service::on({ov::process, nowhere}, 3), ov::error);
  until([&] { return runtime.processes().size() <= before; });
  EXPECT_THROW(ov::Service::on({}, 3), ov::usage_error);
  EXPECT_THROW(ov::Service::on({box}, 0), ov::usage_error);
}

}  // namespace
}  // namespace process_tests
