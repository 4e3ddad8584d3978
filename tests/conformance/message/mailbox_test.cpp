// SPDX-License-Identifier: Apache-2.0
// Mailboxes between the program and an object on every place, and between threads: the same calls.
#include <csignal>

#include "conformance/process/every_place.hpp"
#include "message/channel/edges.hpp"
#include "octavo/message.hpp"

namespace message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

struct Reading {
  int from = 0;
  std::vector<double> values;
  std::string note;
};

// Takes part in what the tests post, wherever it is.
class Clerk {
 public:
  void post_numbers(const std::string& box, int first, int count) {
    ov::Mailbox<int> to(box);
    for (int i = 0; i < count; ++i) to.post(first + i);
  }
  void post_reading(const ov::Mailbox<Reading>& to, int from, std::size_t values) { to.post({from, std::vector<double>(values, from), "clerk"}); }
  long sum(const std::string& box, int count) {
    ov::Mailbox<int> from(box);
    long sum = 0;
    for (int i = 0; i < count; ++i) sum += from.retrieve();
    return sum;
  }
  int echo(const std::string& in, const std::string& out, int count) {
    ov::Mailbox<int> from(in), to(out);
    for (int i = 0; i < count; ++i) to.post(from.retrieve() + 1);
    return count;
  }
  std::string kind_of_error(const std::string& box) {
    try {
      return ov::Mailbox<int>(box).try_retrieve() ? "a value" : "none";
    } catch (const ov::error& e) {
      return std::string(ov::to_string(e.kind())) + ": " + e.what();
    }
  }
  bool post_text(const std::string& box) {
    ov::Mailbox<std::string> to(box);
    to.post("text");
    return true;
  }
  std::size_t sizes(const std::string& box, int count) {
    ov::Mailbox<std::vector<int>> from(box);
    std::size_t sum = 0;
    for (int i = 0; i < count; ++i) sum += from.retrieve().size();
    return sum;
  }
  int pid() const { return ::getpid(); }
};
OCTAVO_REMOTE(Clerk, post_numbers, post_reading, sum, echo, kind_of_error, post_text, sizes, pid)

namespace {

using process_tests::until;
using testing::HasSubstr;
class Mailboxes : public process_tests::EveryPlace {};
class MailboxEnd : public process_tests::EveryPlace {};
class MailboxDeath : public process_tests::EveryPlace {};

TEST_P(Mailboxes, FromAnObjectInOrder) {
  auto clerk = here.make<Clerk>();
  auto done = ov::start(clerk)->post_numbers("numbers", 0, 5000);
  ov::Mailbox<int> numbers("numbers");
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(numbers.retrieve(), i);
  done.get();
  EXPECT_EQ(numbers.try_retrieve(), std::nullopt);
}

TEST_P(Mailboxes, ToAnObjectBeforeItReads) {
  ov::Mailbox<int> numbers("numbers");
  for (int i = 1; i <= 100; ++i) numbers.post(i);  // nobody reads it yet
  auto clerk = here.make<Clerk>();
  EXPECT_EQ(clerk->sum("numbers", 100), 5050);
  auto sum = ov::start(clerk)->sum("numbers", 1000);
  for (int i = 1; i <= 1000; ++i) numbers.post(i);  // more than its bound
  EXPECT_EQ(sum.get(), 500500);
}

TEST_P(Mailboxes, ToAndFroThroughTwo) {
  auto clerk = here.make<Clerk>();
  auto echoes = ov::start(clerk)->echo("there", "back", 1000);
  ov::Mailbox<int> there("there"), back("back");
  for (int i = 0; i < 1000; ++i) {
    there.post(i);
    ASSERT_EQ(back.retrieve(), i + 1);
  }
  EXPECT_EQ(echoes.get(), 1000);
}

TEST_P(Mailboxes, ValuesOfEverySize) {
  auto clerk = here.make<Clerk>();
  ov::Mailbox<Reading> readings("readings", {.messages = 4, .bytes = 1 << 20});
  std::vector<ov::future<void>> open;
  for (int i = 0; i < 20; ++i) open.push_back(ov::start(clerk)->post_reading(readings, i, static_cast<std::size_t>(i) * 40'000));
  for (int i = 0; i < 20; ++i) {
    auto got = readings.retrieve();
    EXPECT_EQ(got.from, i);
    EXPECT_EQ(got.values, std::vector<double>(static_cast<std::size_t>(i) * 40'000, i));
    EXPECT_EQ(got.note, "clerk");
  }
}

TEST_P(Mailboxes, AreReadByOne) {
  ov::Mailbox<int> numbers("numbers");
  EXPECT_EQ(numbers.retrieve_for(1ms), std::nullopt);
  auto clerk = here.make<Clerk>();
  EXPECT_THAT(clerk->kind_of_error("numbers"), HasSubstr("mailbox 'numbers' is read by process 1"));
  EXPECT_EQ(clerk->kind_of_error("others"), "none");
}

// Its poster would wait for a reader that means another box.
TEST_P(Mailboxes, MB1_ANameOfTheHomeIsWrittenWhole) {
  for (const auto* name : {"ov://data/numbers", "ov://homes/numbers", "ov://numbers"}) EXPECT_THROW(ov::Mailbox<int>(name).post(1), ov::usage_error) << name;
}

TEST_P(Mailboxes, OfOneType) {
  ov::Mailbox<int> numbers("numbers");
  EXPECT_EQ(numbers.retrieve_for(1ms), std::nullopt);
  EXPECT_THROW(ov::Mailbox<std::string>("numbers").post("text"), ov::usage_error);
  auto clerk = here.make<Clerk>();
  clerk->post_text("numbers");  // it hears of it when it posts next
  until([&] {
    try {
      clerk->post_text("numbers");
      return false;
    } catch (const ov::usage_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("holds messages of type int"));
      return true;
    }
  });
  EXPECT_EQ(numbers.try_retrieve(), std::nullopt);
}

TEST_P(Mailboxes, SeveralAreWaitedForTogether) {
  ov::Mailbox<int> urgent("urgent"), numbers("numbers");
  EXPECT_EQ(ov::select_for(1ms, urgent, numbers), std::nullopt);
  auto clerk = here.make<Clerk>();
  auto done = ov::start(clerk)->post_numbers("numbers", 7, 1);
  EXPECT_EQ(ov::select(urgent, numbers), 1u);
  auto more = ov::start(clerk)->post_numbers("urgent", 8, 1);
  until([&] { return ov::select(urgent, numbers) == 0; });
  EXPECT_EQ(urgent.retrieve(), 8);
  EXPECT_EQ(ov::select(urgent, numbers), 1u);
  EXPECT_EQ(numbers.retrieve(), 7);
}

TEST_P(Mailboxes, APostWaitsWhereMuchLiesUnread) {
  auto clerk = here.make<Clerk>();
  constexpr int bound = 256;
  auto posts = ov::start(clerk)->post_numbers("numbers", 0, 3 * bound);
  ov::Mailbox<int> numbers("numbers");
  EXPECT_EQ(numbers.retrieve(), 0);
  EXPECT_FALSE(posts.wait_for(20ms)) << "it has posted no more than its bound";
  for (int i = 1; i < 3 * bound; ++i) ASSERT_EQ(numbers.retrieve(), i);
  posts.get();
}

// The one who posts has less patience than the one who reads: he is told when a quarter of his own bound was taken.
TEST_P(Mailboxes, OfDifferentBounds) {
  auto clerk = here.make<Clerk>();
  ov::Mailbox<int> few("few", {3, 1 << 20});
  auto sum = ov::start(clerk)->sum("few", 500);
  for (int i = 0; i < 500; ++i) few.post(1);
  EXPECT_EQ(sum.get(), 500);
}

// A thread that posts does not read, where another waits: and must wait for room again and again.
TEST_P(Mailboxes, APosterBesideAReaderOfAnother) {
  auto clerk = here.make<Clerk>();
  ov::Mailbox<int> jobs("jobs", {8, 1 << 20}), results("results");
  constexpr int count = 3000;
  auto echoes = ov::start(clerk)->echo("jobs", "results", count);
  std::jthread poster([&] {
    auto use = runtime.use();
    for (int i = 0; i < count; ++i) jobs.post(i);
  });
  for (int i = 0; i < count; ++i) ASSERT_EQ(results.retrieve(), i + 1);
  EXPECT_EQ(echoes.get(), count);
}

TEST_P(MailboxDeath, OfAReaderIsToldOnceAndTheNextTakesItsPlace) {
  auto clerk = here.make<Clerk>();
  const int pid = clerk->pid();
  auto echoes = ov::start(clerk)->echo("numbers", "back", 1'000'000);
  ov::Mailbox<int> numbers("numbers"), back("back");
  numbers.post(1);
  EXPECT_EQ(back.retrieve(), 2) << "it reads";
  ::kill(pid, SIGKILL);
  EXPECT_THROW(echoes.get(), ov::process_died);
  until([&] {
    try {
      numbers.post(-1);  // of these none is read
      return false;
    } catch (const ov::process_died& e) {
      EXPECT_THAT(e.what(), HasSubstr("posting to mailbox 'numbers'"));
      EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
      return true;
    }
  });
  for (int i = 1; i <= 10; ++i) numbers.post(i);
  auto next = here.make<Clerk>();
  EXPECT_EQ(next->sum("numbers", 10), 55);
}

// Who knows that the reader was destroyed, for he did it himself, posts nothing into the void; nor is its successor refused.
TEST_P(MailboxEnd, OfAReaderIsKnownWhenDestroyHasReturned) {
  ov::Mailbox<int> numbers("numbers");
  for (int round = 0; round < 40; ++round) {
    auto clerk = here.make<Clerk>();
    auto sum = ov::start(clerk)->sum("numbers", 1);
    numbers.post(round);
    EXPECT_EQ(sum.get(), round);
    ov::destroy(clerk);
    EXPECT_THROW(numbers.post(-1), ov::process_died) << "round " << round;
    numbers.post(7);
    auto next = here.make<Clerk>();
    EXPECT_EQ(next->sum("numbers", 1), 7) << "round " << round;
    ov::destroy(next);
    auto last = here.make<Clerk>();
    EXPECT_EQ(last->kind_of_error("numbers"), "none");
    ov::destroy(last);
    EXPECT_THROW(numbers.post(-1), ov::process_died);
  }
}

// It is told once, and by try_post too; the value stays.
TEST_P(MailboxEnd, OfAReaderIsToldByTryPost) {
  ov::Mailbox<std::vector<int>> texts("texts");
  auto clerk = here.make<Clerk>();
  auto taken = ov::start(clerk)->sizes("texts", 1);
  texts.post({1, 2, 3});
  EXPECT_EQ(taken.get(), 3U);
  ov::destroy(clerk);
  std::vector<int> value(100'000, 1);
  EXPECT_THROW((void)texts.try_post(value), ov::process_died);
  EXPECT_EQ(value.size(), 100'000U);
  EXPECT_TRUE(texts.try_post(value)) << "it waits for the next reader";
  auto next = here.make<Clerk>();
  EXPECT_EQ(next->sizes("texts", 1), 100'000U);
}

TEST_P(MailboxEnd, OfAPosterComesAfterWhatItHasPosted) {
  ov::Mailbox<int> numbers("numbers");
  EXPECT_FALSE(numbers.try_retrieve()) << "read here from now on";
  for (const int count : {1, 2, 100, 200}) {
    auto clerk = here.make<Clerk>();
    clerk->post_numbers("numbers", 0, count);
    ov::destroy(clerk);
    for (int i = 0; i < count; ++i) ASSERT_EQ(numbers.retrieve_for(std::chrono::seconds(20)), i) << "of " << count;
  }
}

TEST_P(MailboxDeath, OfAPosterHoldsUpNobody) {
  auto clerk = here.make<Clerk>(), other = here.make<Clerk>();
  const int pid = clerk->pid();
  auto posts = ov::start(clerk)->post_numbers("numbers", 0, 1'000'000);
  ov::Mailbox<int> numbers("numbers");
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(numbers.retrieve(), i);
  ::kill(pid, SIGKILL);
  EXPECT_THROW(posts.get(), ov::process_died);
  auto more = ov::start(other)->post_numbers("numbers", -3, 1);
  for (int next = 1000;; ++next) {
    const int last = numbers.retrieve();
    if (last == -3) break;
    ASSERT_EQ(last, next) << "what it had sent whole arrives";
  }
  more.get();
}

TEST(ThreadMailboxes, BetweenThreadsOfTheProgram) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  ov::Mailbox<std::unique_ptr<int>> there("there");
  ov::Mailbox<int> back("back");
  int* address = nullptr;
  std::thread other([&] {
    for (int i = 0; i < 20'000; ++i) back.post(*there.retrieve());
    auto last = there.retrieve();
    EXPECT_EQ(last.get(), address) << "the value moved, and was not copied";
  });
  for (int i = 0; i < 20'000; ++i) {
    there.post(std::make_unique<int>(i));
    ASSERT_EQ(back.retrieve(), i);
  }
  auto last = std::make_unique<int>(-1);
  address = last.get();
  there.post(std::move(last));
  other.join();
}

// Names that somebody posts to once, and never again.
TEST_P(Mailboxes, NamesThatNobodyUsesAreForgotten) {
  auto clerk = here.make<Clerk>();
  constexpr int names = 1000;
  for (int i = 0; i < names; ++i) {
    const auto name = "answer " + std::to_string(i);
    ov::Mailbox<int>(name).post(i);
    ASSERT_EQ(clerk->sum(name, 1), i);
  }
  EXPECT_LE(ov::detail::Edges::here().known(), 2 * ov::detail::Edges::fewest_to_look_at);
}

TEST(ThreadMailboxes, ManyPostersAndReaders) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  constexpr int posters = 4, readers = 3, each = 3000;
  ov::Mailbox<int> box("box", {.messages = 16});
  std::atomic<long> sum{0};
  std::vector<std::thread> threads;
  for (int p = 0; p < posters; ++p)
    threads.emplace_back([&box] {
      for (int i = 1; i <= each; ++i) box.post(i);
    });
  for (int r = 0; r < readers; ++r)
    threads.emplace_back([&box, &sum] {
      for (int i = 0; i < posters * each / readers; ++i) sum += box.retrieve();
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(sum, static_cast<long>(posters) * each * (each + 1) / 2);
  EXPECT_EQ(box.try_retrieve(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(, Mailboxes, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(By, Mailboxes, process_tests::every_link, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, MailboxEnd, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, MailboxDeath, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
