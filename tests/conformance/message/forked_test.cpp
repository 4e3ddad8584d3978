// SPDX-License-Identifier: Apache-2.0
// Locks, mailboxes, channels, queues and segments in a process that was forked off the one that has them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "kit/child.hpp"
#include "kit/sanitized.hpp"
#include "octavo/message.hpp"

namespace forked_message_tests {

namespace ov = octavo;
using namespace std::chrono_literals;

class Reader {
 public:
  int next() { return ov::Mailbox<int>("there").retrieve(); }
  bool locks(const ov::Mutex& mutex) { return mutex.try_lock(); }
  void read(ov::ChannelReader<int> reader) { reader_ = std::move(reader); }
  int read_next() { return reader_.retrieve().value_or(-1); }

 private:
  ov::ChannelReader<int> reader_;
};
OCTAVO_REMOTE(Reader, next, locks, read, read_next)

namespace {

using Uses = std::map<std::string, std::function<void()>>;

class ForkedMessages : public testing::Test {
 protected:
  void SetUp() override {
    if (ov::kit::thread_sanitized) GTEST_SKIP() << ov::kit::forks_no_threads;
    watchdog_ = std::make_unique<ov::kit::Watchdog>(60);
    runtime_ = std::make_unique<ov::Runtime>(ov::RuntimeOptions{});
  }
  // In a child each of them is refused, without a Runtime of its own and with one.
  void expect_refused(const Uses& uses, bool also_with_own_runtime = true) {
    const int status = ov::kit::status_of_child(*watchdog_, [&] {
      for (const auto own : {false, true}) {
        if (own && !also_with_own_runtime) break;
        std::unique_ptr<ov::Runtime> made;
        if (own) made = std::make_unique<ov::Runtime>(ov::RuntimeOptions{});
        for (const auto& [name, use] : uses)
          if (!ov::kit::is_refused(use)) {
            std::fprintf(stderr, "not refused%s: %s\n", own ? " with a Runtime of its own" : "", name.c_str());
            return 20;
          }
      }
      return 0;
    });
    EXPECT_EQ(status, 0);
  }
  std::unique_ptr<ov::kit::Watchdog> watchdog_;
  std::unique_ptr<ov::Runtime> runtime_;
};

TEST_F(ForkedMessages, LocksStayTheirParents) {
  const ov::Mutex held("held"), free("free"), home("ov://home/forked test");
  const ov::Semaphore units("units", 1);
  const ov::Condition changed("held");
  const ov::Event event("event");
  const ov::Barrier barrier("barrier", 2);
  held.lock();
  home.lock();
  expect_refused({{"lock", [&] { free.lock(); }},
                  {"try_lock", [&] { static_cast<void>(free.try_lock()); }},
                  {"unlock", [&] { held.unlock(); }},
                  {"unlock of the home", [&] { home.unlock(); }},
                  {"acquire", [&] { units.acquire(); }},
                  {"release", [&] { units.release(); }},
                  {"notify", [&] { changed.notify_all(); }},
                  {"set", [&] { event.set(); }},
                  {"is_set", [&] { static_cast<void>(event.is_set()); }},
                  {"wait", [&] { barrier.wait(); }},
                  {"abort", [&] { barrier.abort(); }}});
  expect_refused({{"by name", [] { ov::Mutex("held").lock(); }}}, false);
  EXPECT_FALSE(ov::process.make<Reader>()->locks(held)) << "this thread has it still";
  EXPECT_TRUE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire()) << "the child has given one back";
  EXPECT_FALSE(event.is_set());
  EXPECT_FALSE(barrier.broken());
  held.unlock();
  home.unlock();
}

TEST_F(ForkedMessages, MailboxesStayTheirParents) {
  const ov::Mailbox<int> fresh("fresh"), asked("asked"), here("here"), there("there");
  asked.post(1);
  here.post(2);
  EXPECT_EQ(here.retrieve(), 2);
  here.post(3);
  auto reader = ov::process.make<Reader>();
  there.post(4);
  EXPECT_EQ(reader->next(), 4);
  Uses uses;
  for (const auto* box : {&fresh, &asked, &here, &there}) {
    uses["post to " + box->name()] = [box] { box->post(5); };
    uses["try_post to " + box->name()] = [box] {
      int value = 5;
      static_cast<void>(box->try_post(value));
    };
  }
  expect_refused(uses, false);
  expect_refused({{"by name", [] { ov::Mailbox<int>("here").post(6); }}}, false);
  EXPECT_EQ(asked.retrieve(), 1);
  EXPECT_EQ(here.retrieve(), 3);
  for (const auto* box : {&fresh, &asked, &here}) EXPECT_EQ(box->try_retrieve(), std::nullopt) << box->name();
  there.post(7);
  EXPECT_EQ(reader->next(), 7);
}

TEST_F(ForkedMessages, ChannelsAndQueuesStayTheirParents) {
  auto [out, in] = ov::channel<int>();
  auto [out_there, in_there] = ov::channel<int>();
  auto reader = ov::process.make<Reader>();
  reader->read(std::move(in_there));
  out_there.post(1);
  EXPECT_EQ(reader->read_next(), 1);
  out.post(2);
  ov::Queue<int> queue(4);
  queue.put(3);
  expect_refused({{"post", [&out = out] { out.post(4); }},
                  {"post there", [&out_there = out_there] { out_there.post(4); }},
                  {"put", [&] { queue.put(5); }},
                  {"get", [&] { static_cast<void>(queue.get()); }}},
                 false);
  EXPECT_EQ(in.retrieve(), 2);
  EXPECT_EQ(in.retrieve_for(0s), std::nullopt);
  out_there.post(6);
  EXPECT_EQ(reader->read_next(), 6);
  EXPECT_EQ(queue.get(), 3);
}

TEST_F(ForkedMessages, SegmentsAreOpenedByNameInTheParentOnly) {
  ov::Segment<int> segment("segment", 4);
  expect_refused({{"by name", [] { ov::Segment<int>("segment", 4); }}}, false);
  EXPECT_EQ(ov::kit::status_of_child(*watchdog_, [&] { return segment[1] = 5; }), 5);
  EXPECT_EQ(segment[1], 5) << "one that was there is the same memory";
}

}  // namespace
}  // namespace forked_message_tests
