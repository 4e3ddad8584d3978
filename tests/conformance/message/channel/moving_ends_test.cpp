// SPDX-License-Identifier: Apache-2.0
// Ends of channels that move while values flow, and ends whose process dies: CH-1, CH-5 to CH-7.
#include <csignal>

#include "conformance/message/channel/pump.hpp"
#include "message/channel/edges.hpp"

namespace channel_tests {
namespace {

using process_tests::until;
using testing::HasSubstr;
class MovingEnds : public process_tests::EveryPlace {};
class ChannelDeath : public process_tests::EveryPlace {};

TEST_P(MovingEnds, CH1_BetweenTwoObjects) {
  auto from = here.make<Pump>(), to = here.make<Pump>();
  auto [out, in] = ov::channel<int>();
  from->take_writer(std::move(out));
  to->take_reader(std::move(in));
  auto posted = ov::start(from)->post(0, 3000);
  EXPECT_EQ(to->take(0, 3000), -1);
  posted.get();
  from->close();
  EXPECT_EQ(to->end(), "the end");
}

TEST_P(MovingEnds, CH1_TheReaderGoesOnElsewhere) {
  auto first = here.make<Pump>(), second = here.make<Pump>();
  auto [out, in] = ov::channel<int>();
  first->take_reader(std::move(in));
  for (int i = 0; i < 200; ++i) out.post(i);
  EXPECT_EQ(first->take(0, 50), -1);
  first->hand_reader(second);
  auto taken = ov::start(second)->take(50, 950);
  for (int i = 200; i < 1000; ++i) out.post(i);
  EXPECT_EQ(taken.get(), -1);
  auto back = second->give_reader();
  out.post(1000);
  out.close();
  EXPECT_EQ(back.retrieve(), 1000);
  EXPECT_EQ(back.retrieve(), std::nullopt);
}

TEST_P(MovingEnds, CH1_TheWriterGoesOnElsewhere) {
  auto first = here.make<Pump>(), second = here.make<Pump>();
  auto [out, in] = ov::channel<int>({.messages = 1024});
  first->take_writer(std::move(out));
  first->post(0, 300);
  first->hand_writer(second);
  second->post(300, 300);
  auto back = second->give_writer();
  for (int i = 600; i < 700; ++i) back.post(i);
  back.close();
  for (int i = 0; i < 700; ++i) ASSERT_EQ(in.retrieve(), i);
  EXPECT_EQ(in.retrieve(), std::nullopt);
}

// Both ends go round among three while values flow.
TEST_P(MovingEnds, CH1_BothGoRound) {
  std::vector<ov::remote_ptr<Pump>> pumps;
  for (int i = 0; i < 3; ++i) pumps.push_back(here.make<Pump>());
  auto [out, in] = ov::channel<int>({.messages = 64});
  pumps[0]->take_writer(std::move(out));
  pumps[1]->take_reader(std::move(in));
  int next = 0;
  for (std::size_t round = 0; round < 30; ++round) {
    const auto& writer = pumps[round % 3];
    const auto& reader = pumps[(round + 1 + round / 3) % 3];
    writer->post(next, 20);
    ASSERT_EQ(reader->take(next, 10), -1) << "round " << round;
    const auto& next_writer = pumps[(round + 1) % 3];
    const auto& next_reader = pumps[(round + 2 + (round + 1) / 3) % 3];
    auto moved = ov::start(writer)->hand_writer(next_writer);
    if (&reader != &next_reader && &writer != &reader && &next_writer != &reader) {
      ov::start(reader)->hand_reader(next_reader).get();
    } else if (&reader != &next_reader) {
      moved.get();
      moved = {};
      reader->hand_reader(next_reader);
    }
    if (moved.valid()) moved.get();
    ASSERT_EQ(next_reader->take(next + 10, 10), -1) << "round " << round;
    next += 20;
  }
}

TEST_P(MovingEnds, CH6_ByAMailbox) {
  auto [out, in] = ov::channel<int>();
  static_assert(!std::is_copy_constructible_v<ov::ChannelReader<int>> && !std::is_copy_constructible_v<ov::ChannelWriter<int>>);
  ov::Mailbox<ov::ChannelReader<int>> readers("readers");
  readers.post(std::move(in));
  auto came = readers.retrieve();
  out.post(3);
  EXPECT_EQ(came.retrieve(), 3);
}

// An end in a message, and a channel of ends.
TEST_P(MovingEnds, CH6_ByAChannel) {
  auto pump = here.make<Pump>();
  auto [out, in] = ov::channel<int>();
  auto [ends_out, ends_in] = ov::channel<ov::ChannelReader<int>>();
  ends_out.post(std::move(in));
  auto came = ends_in.retrieve();
  ASSERT_TRUE(came);
  pump->take_reader(std::move(*came));
  for (int i = 0; i < 10; ++i) out.post(i);
  EXPECT_EQ(pump->take(0, 10), -1);
}

TEST_P(MovingEnds, CH6_AnEndThatDoesNotArriveIsLost) {
  auto pump = here.make<Pump>();
  ov::destroy(pump);
  {
    auto [out, in] = ov::channel<int>();
    EXPECT_THROW(pump->take_reader(std::move(in)), ov::process_died);
    until([&, out = &out] {
      try {
        out->post(1);
        return false;
      } catch (const ov::gone_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("lost on its way"));
        return true;
      }
    });
  }
  auto [out, in] = ov::channel<int>();
  EXPECT_THROW(pump->take_writer(std::move(out)), ov::process_died);
  try {
    (void)in.retrieve();
    FAIL();
  } catch (const ov::gone_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("lost on its way"));
  }
}

TEST_P(MovingEnds, CH7_NothingIsLeftHere) {
  auto first = here.make<Pump>(), second = here.make<Pump>();
  const auto known = ov::detail::Edges::here().known();
  for (int i = 0; i < 20; ++i) {
    auto [out, in] = ov::channel<int>();
    switch (i % 4) {
      case 0: first->take_reader(std::move(in)); break;
      case 1: first->take_writer(std::move(out)); break;
      case 2:
        first->take_writer(std::move(out));
        second->take_reader(std::move(in));
        break;
      default: out.post(1); break;
    }
  }
  first->cancel();
  second->cancel();
  first->take_writer(ov::ChannelWriter<int>());
  until([&] {
    (void)first->pid();  // reads what has come
    return ov::detail::Edges::here().known() == known;
  });
}

TEST_P(ChannelDeath, CH5_OfTheWriterIsToldBehindWhatItHasPosted) {
  auto pump = here.make<Pump>();
  const int pid = pump->pid();
  auto [out, in] = ov::channel<int>({.messages = 1024});
  pump->take_writer(std::move(out));
  pump->post(0, 500);
  EXPECT_EQ(in.retrieve(), 0);
  ::kill(pid, SIGKILL);
  // What had not left it yet is gone with it.
  int next = 1;
  try {
    for (;; ++next) ASSERT_EQ(in.retrieve(), next);
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
  }
  EXPECT_LE(next, 500);
  EXPECT_EQ(in.retrieve(), std::nullopt) << "it is told once";
}

// One that has never posted, and whose reader waits.
TEST_P(ChannelDeath, CH5_OfAWriterThatHasPostedNothing) {
  auto pump = here.make<Pump>();
  const int pid = pump->pid();
  auto [out, in] = ov::channel<int>();
  pump->take_writer(std::move(out));
  std::jthread later([&] {
    std::this_thread::sleep_for(10ms);  // the reader most likely waits by then; if not, it hears of it at once
    ::kill(pid, SIGKILL);
  });
  EXPECT_THROW((void)in.retrieve(), ov::process_died);
}

TEST_P(ChannelDeath, CH5_OfTheReaderIsTold) {
  auto pump = here.make<Pump>();
  const int pid = pump->pid();
  auto [out, in] = ov::channel<int>({.messages = 8});
  pump->take_reader(std::move(in));
  out.post(0);
  EXPECT_EQ(pump->take(0, 1), -1);
  ::kill(pid, SIGKILL);
  EXPECT_THROW(
      {
        for (int i = 0;; ++i) out.post(i);
      },
      ov::process_died);
  EXPECT_THROW(out.post(1), ov::gone_error);
  int value = 1;
  EXPECT_THROW((void)out.try_post(value), ov::gone_error);
}

TEST_P(MovingEnds, CH5_AProcessThatHadAnEndBeforeMayGo) {
  auto first = here.make<Pump>(), second = here.make<Pump>();
  auto [out, in] = ov::channel<int>({.messages = 1024});
  first->take_writer(std::move(out));
  first->post(0, 100);
  first->hand_writer(second);
  ov::destroy(first);
  second->post(100, 100);
  second->close();
  ov::destroy(second);
  for (int i = 0; i < 200; ++i) ASSERT_EQ(in.retrieve(), i);
  EXPECT_EQ(in.retrieve(), std::nullopt);
}

TEST_P(MovingEnds, CH5_AReaderThatHasMovedOnAndWhoseFirstPlaceGoes) {
  auto first = here.make<Pump>(), second = here.make<Pump>();
  auto [out, in] = ov::channel<int>({.messages = 1024});
  first->take_reader(std::move(in));
  for (int i = 0; i < 300; ++i) out.post(i);
  EXPECT_EQ(first->take(0, 100), -1);
  first->hand_reader(second);
  ov::destroy(first);
  for (int i = 300; i < 400; ++i) out.post(i);
  out.close();
  EXPECT_EQ(second->take(100, 300), -1);
  EXPECT_EQ(second->end(), "the end");
}

INSTANTIATE_TEST_SUITE_P(, MovingEnds, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, ChannelDeath, process_tests::every_process, process_tests::name_of_place);

}  // namespace
}  // namespace channel_tests
