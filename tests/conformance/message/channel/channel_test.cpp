// SPDX-License-Identifier: Apache-2.0
// Channels between the program and an object on every place: CH-1 to CH-4.
#include "conformance/message/channel/pump.hpp"
#include "octavo/machine/pool.hpp"

namespace channel_tests {
namespace {

using testing::HasSubstr;
class Channels : public process_tests::EveryPlace {};

TEST_P(Channels, CH1_ToAnObjectInOrder) {
  auto [out, in] = ov::channel<int>();
  auto pump = here.make<Pump>(std::move(in));
  EXPECT_FALSE(in) << "it has left";  // NOLINT(bugprone-use-after-move): that it is empty is what is tested
  auto taken = ov::start(pump)->take(0, 5000);
  for (int i = 0; i < 5000; ++i) out.post(i);
  EXPECT_EQ(taken.get(), -1);
}

TEST_P(Channels, CH1_FromAnObjectInOrder) {
  auto [out, in] = ov::channel<int>();
  auto pump = here.make<Pump>();
  pump->take_writer(std::move(out));
  auto posted = ov::start(pump)->post(0, 5000);
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(in.retrieve(), i);
  posted.get();
  pump->close();
  EXPECT_EQ(in.retrieve(), std::nullopt);
}

TEST_P(Channels, CH1_WhatLiesUnreadFollowsTheReader) {
  auto [out, in] = ov::channel<int>();
  for (int i = 0; i < 100; ++i) out.post(i);
  EXPECT_EQ(in.retrieve(), 0);
  auto pump = here.make<Pump>(std::move(in));
  for (int i = 100; i < 200; ++i) out.post(i);
  EXPECT_EQ(pump->take(1, 199), -1);
}

TEST_P(Channels, CH1_ValuesOfEverySizeThereAndBack) {
  auto pump = here.make<Pump>();
  const auto free_bytes = ov::job_pool().free_bytes();
  {
    auto [out, far_in] = ov::channel<Parcel>({.messages = 8, .bytes = 1 << 20});
    auto [far_out, in] = ov::channel<Parcel>({.messages = 8, .bytes = 1 << 20});
    auto echoes = ov::start(pump)->echo_parcels(std::move(far_in), std::move(far_out));
    constexpr int count = 120;
    std::jthread poster([&, out = std::move(out)]() mutable {
      auto use = runtime.use();
      for (int i = 0; i < count; ++i) out.post(parcel_of(i));
      out.close();
    });
    for (int i = 0; i < count; ++i) {
      auto got = in.retrieve();
      ASSERT_TRUE(got && is_parcel_of(i, *got)) << i;
    }
    EXPECT_EQ(in.retrieve().has_value(), false);
    EXPECT_EQ(echoes.get(), count);
  }
  process_tests::until([&] { return ov::job_pool().free_bytes() == free_bytes; });
}

TEST_P(Channels, CH2_APostWaitsWhereMuchLiesUnread) {
  auto [out, in] = ov::channel<int>({.messages = 4, .bytes = 1 << 20});
  auto pump = here.make<Pump>(std::move(in));
  EXPECT_EQ(pump->take(0, 0), -1) << "it is there";
  int value = 0;
  process_tests::until([&, out = &out] { return !out->try_post(value) || ++value == 0; });
  EXPECT_LE(value, 8);
  const int first = value;
  auto taken = ov::start(pump)->take(0, first + 20);
  for (int i = first; i < first + 20; ++i) out.post(i);
  EXPECT_EQ(taken.get(), -1);
}

TEST_P(Channels, CH3_AClosedOneIsReadToItsEnd) {
  auto [out, in] = ov::channel<int>();
  auto pump = here.make<Pump>(std::move(in));
  for (int i = 1; i <= 100; ++i) out.post(i);
  out.close();
  out.close();
  EXPECT_THROW(out.post(1), ov::usage_error);
  EXPECT_EQ(pump->sum(), (std::pair<long, long>(5050, 100)));
  EXPECT_EQ(pump->end(), "the end");
  EXPECT_TRUE(pump->is_at_end());
}

TEST_P(Channels, CH3_OneThatIsClosedBeforeItIsThereToo) {
  auto [out, in] = ov::channel<int>();
  for (int i = 1; i <= 100; ++i) out.post(i);
  out.close();
  auto pump = here.make<Pump>(std::move(in));
  EXPECT_EQ(pump->sum(), (std::pair<long, long>(5050, 100)));
}

TEST_P(Channels, CH3_AWriterThatEndsCloses) {
  auto pump = here.make<Pump>();
  auto [out, in] = ov::channel<int>();
  pump->take_writer(std::move(out));
  pump->post(0, 3);
  pump->take_writer(ov::ChannelWriter<int>());
  for (int i = 0; i < 3; ++i) EXPECT_EQ(in.retrieve(), i);
  EXPECT_EQ(in.retrieve(), std::nullopt);
  EXPECT_TRUE(in.at_end());
}

TEST_P(Channels, CH3_AWriterThatAnExceptionPassesGivesItUp) {
  auto pump = here.make<Pump>();
  auto [out, in] = ov::channel<int>();
  EXPECT_THROW(pump->throw_with(std::move(out)), std::runtime_error);
  EXPECT_EQ(in.retrieve(), 1);
  try {
    (void)in.retrieve();
    FAIL();
  } catch (const ov::gone_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("gave it up while an exception passed"));
  }
  EXPECT_EQ(in.retrieve(), std::nullopt) << "it is told once";
}

TEST_P(Channels, CH4_AReaderThatWantsNoMore) {
  auto [out, in] = ov::channel<int>({.messages = 16, .bytes = 1 << 20});
  auto pump = here.make<Pump>();
  pump->take_writer(std::move(out));
  auto posted = ov::start(pump)->post_until_told(0);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(in.retrieve(), i);
  in.cancel();
  EXPECT_GE(posted.get(), 100);
}

TEST_P(Channels, CH4_AWriterThatWaitsHearsOfIt) {
  auto [out, in] = ov::channel<int>({.messages = 4, .bytes = 1 << 20});
  auto pump = here.make<Pump>(std::move(in));
  EXPECT_EQ(pump->pid() > 0, true);
  std::jthread later([&] {
    auto use = runtime.use();
    std::this_thread::sleep_for(20ms);  // the writer most likely waits by then; if not, its next post says so
    pump->cancel();
  });
  EXPECT_THROW(
      {
        for (int i = 0;; ++i) out.post(i);
      },
      ov::channel_cancelled);
  EXPECT_THROW(out.post(1), ov::channel_cancelled) << "each post says so";
  int value = 3;
  EXPECT_THROW((void)out.try_post(value), ov::channel_cancelled);
}

TEST_P(Channels, ThroughAnObjectAndBack) {
  auto pump = here.make<Pump>();
  auto [out, far_in] = ov::channel<int>();
  auto [far_out, in] = ov::channel<int>();
  auto echoes = ov::start(pump)->echo(std::move(far_in), std::move(far_out));
  for (int i = 0; i < 3000; ++i) {
    out.post(i);
    ASSERT_EQ(in.retrieve(), i + 1);
  }
  out.close();
  EXPECT_EQ(in.retrieve(), std::nullopt);
  EXPECT_EQ(echoes.get(), 3000);
}

TEST(ThreadChannels, BetweenThreadsOfTheProgram) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  auto [out, in] = ov::channel<std::unique_ptr<int>>({.messages = 16});
  constexpr int count = 20'000;
  std::thread reader([&count, in = std::move(in)]() mutable {
    int next = 0;
    while (auto each = in.retrieve()) ASSERT_EQ(**each, next++);
    EXPECT_EQ(next, count);
  });
  for (int i = 0; i < count; ++i) out.post(std::make_unique<int>(i));
  out.close();
  reader.join();
}

TEST(ThreadChannels, MisuseIsSaid) {
  ov::kit::Watchdog watchdog{60};
  EXPECT_THROW((void)ov::channel<int>(), ov::usage_error) << "without a Runtime";
  ov::Runtime runtime;
  ov::ChannelWriter<int> none;
  EXPECT_THROW(none.post(1), ov::usage_error);
  ov::ChannelReader<int> no_reader;
  EXPECT_THROW((void)no_reader.retrieve(), ov::usage_error);
  auto [out, in] = ov::channel<int>();
  EXPECT_EQ(in.try_retrieve(), std::nullopt);
  EXPECT_FALSE(in.at_end());
  in.cancel();
  EXPECT_THROW(out.post(1), ov::channel_cancelled);
}

INSTANTIATE_TEST_SUITE_P(, Channels, process_tests::every_place, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(By, Channels, process_tests::every_link, process_tests::name_of_place);

}  // namespace
}  // namespace channel_tests
