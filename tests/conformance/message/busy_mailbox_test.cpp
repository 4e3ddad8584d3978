// SPDX-License-Identifier: Apache-2.0
// Mailboxes whose poster or reader is busy with other things, or not there yet, or not any more: nobody waits for him, nothing is lost, and all stays in order.
#include <array>
#include <filesystem>
#include <fstream>
#include <utility>

#include "conformance/process/every_place.hpp"
#include "octavo/message.hpp"

namespace message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

struct Numbered {
  int number = 0;
  std::vector<double> values;  // all of them the number
};

// Is busy until a file is there.
class BusyClerk {
 public:
  // Its reader, who is busy until the file is there, and then takes all.
  std::size_t count_bytes(const std::string& box, int count, const std::string& file) {
    ov::Mailbox<std::string> from(box);
    std::size_t bytes = from.retrieve().size();
    std::ofstream(file + " begun").put('x');
    while (!std::filesystem::exists(file)) std::this_thread::yield();
    for (int i = 1; i < count; ++i) bytes += from.retrieve().size();
    return bytes;
  }
  // As one who has much else to do afterwards.
  void post_and_work(const std::string& box, int count, std::size_t bytes, const std::string& file) {
    const std::string text(bytes, 'x');
    ov::Mailbox<std::string> to(box);
    for (int i = 0; i < count; ++i) to.post(text);
    std::ofstream(file + " posted").put('x');
    while (!std::filesystem::exists(file)) std::this_thread::yield();
  }
  // How many came in the order of their numbers.
  int in_order(const ov::Mailbox<Numbered>& from, int count, const std::string& file) {
    int right = from.retrieve().number == 0 ? 1 : 0;
    std::ofstream(file + " begun").put('x');
    while (!std::filesystem::exists(file)) std::this_thread::yield();
    for (int i = 1; i < count; ++i) {
      auto next = from.retrieve();
      right += next.number == i && next.values == std::vector<double>(next.values.size(), i) ? 1 : 0;
    }
    return right;
  }
  // How many of two posters' numbers, even and odd, came in the order of each.
  int in_two_orders(const std::string& box, int count) {
    const ov::Mailbox<int> from(box);
    int right = 0;
    std::array<int, 2> last{-2, -1};
    for (int i = 0; i < count; ++i) {
      const int next = from.retrieve();
      right += std::exchange(last.at(next % 2), next) == next - 2 ? 1 : 0;
    }
    return right;
  }
  void post_batch(const ov::Mailbox<Numbered>& to, int number, std::size_t values) { to.post({number, std::vector<double>(values, number)}); }
  int pid() const { return ::getpid(); }
};
OCTAVO_REMOTE(BusyClerk, count_bytes, post_and_work, in_order, in_two_orders, post_batch, pid)

namespace {

using process_tests::until;

class BusyMailboxes : public process_tests::EveryPlace {
 protected:
  BusyMailboxes() { std::filesystem::create_directories(home); }
  std::string go = (home / "go").string();
};
class BusyMailboxDeath : public BusyMailboxes {};

// Within the bound nobody waits for a reader who has other things to do, however large the messages are.
TEST_P(BusyMailboxes, APostDoesNotWaitForABusyReader) {
  auto clerk = here.make<BusyClerk>();
  for (std::size_t bytes : {8U, 4000U, 200'000U, 2'000'000U}) {
    const std::string name = "texts of " + std::to_string(bytes), text(bytes, 'x');
    ov::Mailbox<std::string> texts(name);
    const int count = bytes < 100'000 ? 250 : 20;
    auto sum = ov::start(clerk)->count_bytes(name, count, go);
    texts.post(text);
    until([&] { return std::filesystem::exists(go + " begun"); });
    for (int i = 1; i < count; ++i) texts.post(text);
    std::ofstream(go).put('x');
    EXPECT_EQ(sum.get(), bytes * static_cast<std::size_t>(count));
    std::filesystem::remove(go);
    std::filesystem::remove(go + " begun");
  }
}

// What could not leave at once leaves in its turn, with what is posted after it; and the poster's value stays as it is.
TEST_P(BusyMailboxes, OfABusyReaderAreInOrder) {
  auto clerk = here.make<BusyClerk>();
  ov::Mailbox<Numbered> batches("batches", {.messages = 1000, .bytes = 1 << 30});
  constexpr int count = 300;
  auto right = ov::start(clerk)->in_order(batches, count, go);
  Numbered batch;
  for (int i = 0; i < count; ++i) {
    if (i == 1) until([&] { return std::filesystem::exists(go + " begun"); });
    if (i == count / 2) std::ofstream(go).put('x');
    const std::size_t size = i % 7 == 0 ? 100'000 : i % 3 == 0 ? 5'000 : 1;
    batch.number = i;
    batch.values.assign(size, i);
    batches.post(batch);
    ASSERT_EQ(batch.values.size(), size);
  }
  EXPECT_EQ(right.get(), count);
}

// While its reader is being found, what lies here and what is posted go to him in the order of each thread.
TEST_P(BusyMailboxes, InOrderWhileTheReaderIsFound) {
  auto clerk = here.make<BusyClerk>();
  constexpr int each = 150;
  for (int round = 0; round < 20; ++round) {
    const std::string name = "found " + std::to_string(round);
    const ov::Mailbox<int> box(name);
    auto post = [&](int first) {
      auto use = runtime.use();
      for (int i = 0; i < each; ++i) box.post(first + 2 * i);
    };
    std::jthread even([&] { post(0); }), odd([&] { post(1); });
    EXPECT_EQ(clerk->in_two_orders(name, 2 * each), 2 * each) << "round " << round;
  }
}

// Two who post large messages all the time: both are read, and so is who calls.
TEST_P(BusyMailboxes, OfSeveralPostersStarveNobody) {
  const std::string at_once = (home / "at once").string();
  std::ofstream(at_once).put('x');
  constexpr int count = 400;
  constexpr std::size_t bytes = 50'000;
  std::vector<ov::remote_ptr<BusyClerk>> clerks{here.make<BusyClerk>(), here.make<BusyClerk>(), here.make<BusyClerk>()};
  ov::Mailbox<std::string> first("first"), second("second");
  EXPECT_EQ(first.retrieve_for(1ms), std::nullopt);
  EXPECT_EQ(second.retrieve_for(1ms), std::nullopt);
  auto to_first = ov::start(clerks[0])->post_and_work("first", count, bytes, at_once);
  auto to_second = ov::start(clerks[1])->post_and_work("second", count, bytes, at_once);
  for (int i = 0; i < count; ++i) {
    EXPECT_EQ(first.retrieve().size(), bytes);
    EXPECT_EQ(second.retrieve().size(), bytes);
    if (i % 50 == 0) clerks[2]->pid();
  }
  to_first.get();
  to_second.get();
}

// And what was posted arrives, though its poster has other things to do.
TEST_P(BusyMailboxes, WhatABusyPosterPostedArrives) {
  auto poster = here.make<BusyClerk>();
  constexpr std::size_t bytes = 2'000'000;
  ov::Mailbox<std::string> texts("texts");
  EXPECT_EQ(texts.retrieve_for(1ms), std::nullopt);
  auto posted = ov::start(poster)->post_and_work("texts", 20, bytes, go);
  until([&] { return std::filesystem::exists(go + " posted"); });
  for (int i = 0; i < 20; ++i) EXPECT_EQ(texts.retrieve().size(), bytes);
  EXPECT_FALSE(posted.wait_for(0ms)) << "it is busy still";
  std::ofstream(go).put('x');
  posted.get();
}

// What it had posted whole is received, though the reader hears of its death before it looks.
TEST_P(BusyMailboxDeath, OfAPosterLosesNothing) {
  constexpr int count = 5, values = 2100;  // they are received in place, and the ring has room for all
  auto reader = here.make<BusyClerk>();
  const ov::Mailbox<Numbered> batches("batches");
  for (int round = 0; round < 5; ++round) {
    auto poster = here.make<BusyClerk>();
    const int pid = poster->pid();
    auto right = ov::start(reader)->in_order(batches, count, go);
    poster->post_batch(batches, 0, values);
    until([&] { return std::filesystem::exists(go + " begun"); });
    for (int i = 1; i < count; ++i) poster->post_batch(batches, i, values);
    ov::destroy(poster);
    until([&] { return !process_tests::alive(pid); });
    std::ofstream(go).put('x');
    ASSERT_EQ(right.get(), count) << "round " << round;
    std::filesystem::remove(go);
    std::filesystem::remove(go + " begun");
  }
}

INSTANTIATE_TEST_SUITE_P(, BusyMailboxes, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, BusyMailboxDeath, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
