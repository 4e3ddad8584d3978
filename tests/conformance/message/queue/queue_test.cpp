// SPDX-License-Identifier: Apache-2.0
// Queues between the program and objects on every place, also of another machine.
#include "octavo/message/queue.hpp"

#include <map>
#include <set>

#include "conformance/message/queue/queue_user.hpp"
#include "conformance/process/every_place.hpp"
#include "octavo/machine/status.hpp"

namespace queue_tests {
namespace {

using namespace std::chrono_literals;
using process_tests::until;
using testing::ElementsAre;

class Queues : public process_tests::EveryPlace {
 protected:
  // Until so many calls wait at the queues; this is one of them.
  template <class T>
  void expect_waits(ov::future<T>& call, std::uint64_t waiting = 1) {
    until([&] { return owed_by_keepers() == waiting; });
    EXPECT_FALSE(call.ready());
  }

 private:
  [[nodiscard]] std::uint64_t owed_by_keepers() const {
    std::set<ov::Address> keepers;
    for (const auto& each : runtime.processes())
      if (each.class_name.find("QueueKeeper") != std::string::npos) keepers.insert(each.address);
    std::uint64_t owed = 0;
    for (const auto& each : ov::all_processes())
      if (keepers.contains(each.facts.address)) owed += each.calls_owed;
    return owed;
  }
};

TEST_P(Queues, QU1_ItemsLeaveInTheirOrder) {
  ov::Queue<int> queue(0);
  auto user = here.make<User>();
  for (int i = 0; i < 3; ++i) queue.put(i);
  user->put(queue, 3);
  EXPECT_EQ(queue.size(), 4u);
  EXPECT_THAT(user->get_some(queue, 3), ElementsAre(0, 1, 2));
  EXPECT_EQ(queue.get(), 3);
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.try_get(), std::nullopt);
  EXPECT_EQ(queue.get_for(1ms), std::nullopt);
}

TEST_P(Queues, QU1_WhoWaitsIsServedInTheOrderOfComing) {
  ov::Queue<int> queue(0);
  auto first = here.make<User>(), second = here.make<User>();
  auto one = ov::start(first)->get(queue);
  expect_waits(one);
  auto two = ov::start(second)->get(queue);
  expect_waits(two, 2);
  queue.put(1);
  queue.put(2);
  EXPECT_EQ(one.get(), 1);
  EXPECT_EQ(two.get(), 2);
}

TEST_P(Queues, QU1_EachItemGoesToOne) {
  constexpr int writers = 3, readers = 3, count = 400;
  ov::Queue<Item> queue(5);
  std::vector<ov::remote_ptr<User>> users;
  std::vector<ov::future<void>> putting;
  std::vector<ov::future<std::vector<Item>>> taking;
  for (int i = 0; i < readers; ++i) taking.push_back(ov::start(users.emplace_back(here.make<User>()))->take_all(queue));
  for (int i = 0; i < writers; ++i) putting.push_back(ov::start(users.emplace_back(here.make<User>()))->put_many(queue, i, count));
  for (auto& each : putting) each.get();
  queue.join();
  queue.shutdown();
  std::map<int, std::vector<int>> came;
  for (auto& each : taking) {
    std::map<int, int> last;
    for (const auto& [from, number] : each.get()) {
      EXPECT_TRUE(last.try_emplace(from, -1).first->second < number) << "of one writer they came in another order";
      last[from] = number;
      came[from].push_back(number);
    }
  }
  for (auto& [from, numbers] : came) {
    std::sort(numbers.begin(), numbers.end());
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(count)) << "of writer " << from;
    for (int i = 0; i < count; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
  }
  EXPECT_EQ(came.size(), static_cast<std::size_t>(writers));
}

TEST_P(Queues, QU2_ABoundMakesWritersWait) {
  ov::Queue<int> queue(2);
  auto user = here.make<User>();
  queue.put(1);
  EXPECT_FALSE(queue.full());
  queue.put(2);
  EXPECT_TRUE(queue.full());
  EXPECT_FALSE(queue.try_put(3));
  EXPECT_FALSE(queue.put_for(3, 1ms));
  auto waits = ov::start(user)->put(queue, 3);
  expect_waits(waits);
  EXPECT_EQ(queue.get(), 1);
  waits.get();
  EXPECT_EQ(queue.get(), 2);
  EXPECT_EQ(queue.get(), 3) << "and nothing of what was given up";
  EXPECT_TRUE(queue.try_put(4));
  EXPECT_EQ(queue.bound(), 2u);
}

TEST_P(Queues, QU3_EndsWithItsMaker) {
  auto maker = here.make<User>(), user = here.make<User>();
  const auto queue = maker->make(0);
  queue.put(7);
  EXPECT_EQ(user->get(queue), 7);
  auto waits = ov::start(user)->error_of_get(queue);
  expect_waits(waits);
  ov::destroy(maker);
  EXPECT_THAT(waits.get(), testing::HasSubstr("ended with the object or program that had made it"));
  EXPECT_THROW(queue.put(8), ov::process_died);
}

TEST_P(Queues, QU6_JoinWaitsForWhatIsUnfinished) {
  ov::Queue<int> queue(0);
  queue.join();
  queue.put(1);
  queue.put(2);
  auto user = here.make<User>();
  EXPECT_EQ(user->get(queue), 1);
  EXPECT_EQ(queue.get(), 2);
  std::atomic<bool> joined{false};
  std::thread joins([&] {
    queue.join();
    joined = true;
  });
  queue.task_done();
  std::this_thread::sleep_for(20ms);  // a join that did not wait would be over
  EXPECT_FALSE(joined);
  queue.task_done();
  joins.join();
  EXPECT_THROW(queue.task_done(), ov::usage_error);
}

TEST_P(Queues, QU6_WhatADestroyedReaderHadTakenIsTold) {
  ov::Queue<int> queue(0);
  auto user = here.make<User>();
  queue.put(1);
  user->get(queue);
  ov::destroy(user);
  try {
    queue.join();
    ADD_FAILURE() << "nothing was heard of it";
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), testing::HasSubstr("may not be worked off"));
    EXPECT_THAT(e.obituary().facts.class_name, testing::HasSubstr("User"));
  }
  queue.join();
}

TEST_P(Queues, QU7_ShutDown) {
  ov::Queue<int> queue(1);
  auto user = here.make<User>();
  queue.put(1);
  std::atomic<bool> told{false};
  std::thread puts([&] {
    EXPECT_THROW(queue.put(2), ov::queue_shut_down);
    told = true;
  });
  std::this_thread::sleep_for(5ms);  // whether it waits by then or comes later, it is told
  queue.shutdown();
  puts.join();
  EXPECT_EQ(user->get(queue), 1);
  EXPECT_THAT(user->error_of_get(queue), testing::HasSubstr("shut down"));
  EXPECT_THROW(queue.put(3), ov::queue_shut_down);
  EXPECT_THROW((void)queue.try_get(), ov::queue_shut_down);
}

TEST_P(Queues, QU7_ShutDownAtOnceDropsWhatLiesThere) {
  ov::Queue<int> queue(0);
  auto user = here.make<User>();
  auto waits = ov::start(user)->error_of_get(queue);
  expect_waits(waits);
  ov::Queue<int> other(0);
  other.put(1);
  other.shutdown(true);
  other.join();
  EXPECT_THROW((void)other.get(), ov::queue_shut_down);
  queue.shutdown(true);
  EXPECT_THAT(waits.get(), testing::HasSubstr("shut down"));
}

TEST_P(Queues, TravelsIntoConstructorsAndContainers) {
  ov::Queue<int> queue(0);
  auto user = here.make<User>(queue);
  queue.put(5);
  EXPECT_EQ(user->get_kept(), 5);
  EXPECT_TRUE(queue == ov::Queue<int>(queue));
  EXPECT_FALSE(queue == ov::Queue<int>(0));
}

TEST_P(Queues, LargeItemsAndPages) {
  auto user = here.make<User>();
  ov::Queue<std::vector<double>> rows(0);
  rows.put(std::vector<double>(200'000, 0.5));
  EXPECT_EQ(user->sum(rows), 100'000);
  auto waits = ov::start(user)->sum(rows);
  expect_waits(waits);
  rows.put(std::vector<double>(100'000, 2));
  EXPECT_EQ(waits.get(), 200'000);

  ov::Queue<ov::Page> pages(0);
  ov::Page page(1 << 20);
  *reinterpret_cast<double*>(page.mutable_data()) = 1.5;
  pages.put(std::move(page));
  EXPECT_EQ(user->first_of_page(pages), 1.5);
}

TEST_P(Queues, C3_WaitingServesCallbacks) {
  ov::Queue<int> queue(0);
  auto user = here.make<User>(), other = here.make<User>();
  EXPECT_EQ(user->get_and_be_called(other, user, queue), 1);
}

TEST(OneQueue, MistakesAreSaid) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  EXPECT_THROW(ov::Queue<int>().put(1), ov::usage_error);
  EXPECT_THROW((void)ov::Queue<int>().get(), ov::usage_error);
  EXPECT_THROW(ov::Queue<int>(0).task_done(), ov::usage_error);
}

TEST(OneQueue, NothingIsLeftInThePool) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  const auto free = ov::job_pool().free_bytes();
  {
    ov::Queue<ov::Page> queue(0);
    for (int i = 0; i < 3; ++i) queue.put(ov::Page(1 << 20));
    (void)queue.get();
    queue.shutdown(true);
  }
  until([&] { return ov::job_pool().free_bytes() == free; });
}

INSTANTIATE_TEST_SUITE_P(, Queues, process_tests::every_place, process_tests::name_of_place);

}  // namespace
}  // namespace queue_tests
