// SPDX-License-Identifier: Apache-2.0
// Pages in mailboxes: they go to and fro without a copy, and none is lost that did not leave.
#include <csignal>
#include <future>

#include "conformance/message/filled_page.hpp"
#include "conformance/process/every_place.hpp"
#include "kit/asleep.hpp"
#include "octavo/data/page.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/message.hpp"

namespace message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

struct Parcel {
  int number = 0;
  std::string note;
  std::vector<ov::Page> pages;
};

class Courier {
 public:
  int echo(const ov::Mailbox<Parcel>& in, const ov::Mailbox<Parcel>& out) {
    int count = 0;
    for (Parcel each = in.retrieve(); each.number >= 0; each = in.retrieve(), ++count) {
      for (auto& page : each.pages)
        if (page.shared()) throw std::runtime_error("a page that was given is not ours alone");
      out.post(std::move(each));
    }
    return count;
  }
  // Becomes its reader, and reads no more.
  void read_one(const ov::Mailbox<ov::Page>& from, const ov::Mailbox<int>& told) {
    const auto size = from.retrieve().size();
    told.post(static_cast<int>(size));
    const ov::Mailbox<int> nothing("nothing");
    static_cast<void>(nothing.retrieve());
  }
  int pid() const { return ::getpid(); }
};
OCTAVO_REMOTE(Courier, echo, read_one, pid)

namespace {

using process_tests::until;
class MailboxPages : public process_tests::EveryPlace {};
class MailboxPagesDeath : public process_tests::EveryPlace {};

TEST_P(MailboxPages, GoToAndFro) {
  auto courier = here.make<Courier>();
  ov::Mailbox<Parcel> there("there"), back("back");
  auto echoes = ov::start(courier)->echo(there, back);
  constexpr int count = 200;
  const auto notes = {std::size_t{0}, std::size_t{30}, std::size_t{300}, std::size_t{3000}};
  for (int i = 0; i < count; ++i) {
    Parcel parcel{i, std::string(*(notes.begin() + i % 4), 'n'), {}};
    for (int k = 0; k < i % 7; ++k) parcel.pages.push_back(page_of(i + k, 100 + k));
    there.post(std::move(parcel));
    auto came = back.retrieve();
    ASSERT_EQ(came.number, i);
    EXPECT_EQ(came.note.size(), *(notes.begin() + i % 4));
    ASSERT_EQ(came.pages.size(), static_cast<std::size_t>(i % 7));
    for (int k = 0; k < i % 7; ++k) EXPECT_TRUE(is_page_of(i + k, came.pages.at(static_cast<std::size_t>(k))));
  }
  there.post({-1, "", {}});
  EXPECT_EQ(echoes.get(), count);
  until([] { return ov::job_pool().free_bytes() == ov::job_pool().bytes(); });
}

// Of two that wait for room one is told of the reader's death, and may post again what it has still; the other's waits for the next reader.
TEST_P(MailboxPagesDeath, OfAReaderTakesNoneThatDidNotLeave) {
  auto courier = here.make<Courier>();
  const int pid = courier->pid();
  ov::Mailbox<ov::Page> pages("pages", {1, 1 << 20});
  ov::Mailbox<int> told("told");
  auto reads = ov::start(courier)->read_one(pages, told);
  pages.post(page_of(1, 1000));
  EXPECT_EQ(told.retrieve(), 1000);
  pages.post(page_of(2, 1000));  // it lies there unread
  std::atomic<int> failed{0}, kept{0};
  auto post = [&](int number, std::promise<int>& thread) {
    auto use = runtime.use();
    auto page = page_of(number, 1000);
    thread.set_value(::gettid());
    for (bool posted = false; !posted;) {
      try {
        pages.post(std::move(page));
        posted = true;
      } catch (const ov::process_died&) {
        ++failed;
        if (is_page_of(number, page)) ++kept;  // NOLINT(bugprone-use-after-move): that is what is tested
      }
    }
  };
  std::promise<int> first, second;
  std::jthread one([&] { post(3, first); }), other([&] { post(4, second); });
  for (auto* each : {&first, &second}) ov::kit::until_asleep(each->get_future().get());
  ::kill(pid, SIGKILL);
  EXPECT_THROW(reads.get(), ov::process_died);
  until([&] { return failed.load() != 0; });
  std::array<bool, 2> came{};
  for (std::size_t i = 0; i < came.size(); ++i) {
    const auto page = pages.retrieve();
    for (int number : {3, 4})
      if (is_page_of(number, page)) came.at(static_cast<std::size_t>(number - 3)) = true;
  }
  EXPECT_TRUE(came[0] && came[1]);
  one.join();
  other.join();
  EXPECT_EQ(failed.load(), kept.load());
  until([] { return ov::job_pool().free_bytes() == ov::job_pool().bytes(); });
}

INSTANTIATE_TEST_SUITE_P(, MailboxPages, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(By, MailboxPages, process_tests::every_link, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, MailboxPagesDeath, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace message_tests
