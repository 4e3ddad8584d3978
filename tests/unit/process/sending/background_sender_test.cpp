// SPDX-License-Identifier: Apache-2.0
// What could not leave at once leaves when there is room, though its poster does other things.
#include "process/sending/background_sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {
namespace {

// Keeps what was sent until the test lets it leave.
class Kept final : public road::Connection {
 public:
  explicit Kept(road::Doorbell bell) : bell_(std::move(bell)) {}
  void send(const wire::Outgoing& /*frame*/, const road::OnFull& /*on_full*/) override {}
  bool flush() override {
    ++flushes;
    if (damaged) throw io_error("the road is damaged");
    return empty;
  }
  using Connection::receive;
  bool receive(wire::Message& /*into*/, wire::InPlaceReceiver* /*in_place*/) override { return false; }
  [[nodiscard]] bool ready() const override { return false; }
  [[nodiscard]] bool got_room() const override { return true; }
  [[nodiscard]] bool gone() const override { return dead; }
  [[nodiscard]] bool lost() const override { return dead; }
  void notice_gone() override {}
  void close() override { dead = true; }
  [[nodiscard]] std::string_view road() const override { return "kept"; }
  [[nodiscard]] std::uint64_t bytes_sent() const override { return sent; }
  // what makes room rings.
  void becomes(std::atomic<bool>& flag) const {
    flag = true;
    bell_.ring();
  }
  std::atomic<bool> empty{false}, dead{false}, damaged{false};
  std::atomic<int> flushes{0};
  std::atomic<std::uint64_t> sent{0};

 private:
  const road::Doorbell bell_;
};

class BackgroundSenderTest : public testing::Test {
 protected:
  std::shared_ptr<Kept> connection() { return std::make_shared<Kept>(bell); }
  void until_flushed(const Kept& one, int more = 1) const {
    for (const int before = one.flushes; one.flushes < before + more;) std::this_thread::yield();
  }
  void until_it_moves(const Kept& one) const {
    while (background.is_stalled(one)) std::this_thread::yield();
  }
  kit::Watchdog watchdog{30};
  road::Doorbell bell = road::Doorbell::make();
  std::function<void()> around = [] {};
  BackgroundSender background{bell, [this] { around(); }};
};

TEST_F(BackgroundSenderTest, WhatIsKeptLeavesWhenThereIsRoom) {
  auto one = connection();
  EXPECT_FALSE(background.is_stalled(*one)) << "nothing was kept";
  background.take_over(one);
  EXPECT_TRUE(background.is_stalled(*one));
  one->becomes(one->empty);
  until_it_moves(*one);
}

TEST_F(BackgroundSenderTest, ARoadOnWhichSomethingMovesDoesNotStandStill) {
  auto one = connection();
  one->sent = 100;
  background.take_over(one);
  EXPECT_TRUE(background.is_stalled(*one));
  one->sent = 150;
  EXPECT_FALSE(background.is_stalled(*one)) << "its reader reads";
  background.take_over(one);
  EXPECT_TRUE(background.is_stalled(*one)) << "since the last that was kept there";
}

TEST_F(BackgroundSenderTest, OthersLeaveWhileOneStandsStill) {
  auto one = connection(), other = connection();
  background.take_over(one);
  background.take_over(other);
  other->becomes(other->empty);
  until_it_moves(*other);
  EXPECT_TRUE(background.is_stalled(*one));
  one->becomes(one->empty);
  until_it_moves(*one);
}

TEST_F(BackgroundSenderTest, WhatIsKeptForAPeerThatIsGoneIsForgotten) {
  auto one = connection(), other = connection();
  background.take_over(one);
  background.take_over(other);
  one->becomes(one->dead);
  until_it_moves(*one);
  other->becomes(other->damaged);
  until_it_moves(*other);
}

TEST_F(BackgroundSenderTest, LooksAroundWhenReadersWereFound) {
  std::promise<void> looked;
  around = [&] { looked.set_value(); };
  background.look_around_soon();
  looked.get_future().wait();
  background.end();
}

TEST_F(BackgroundSenderTest, AnErrorOfLookingAroundDoesNotEndIt) {
  std::promise<void> looked;
  around = [&] {
    looked.set_value();
    throw io_error("no road");
  };
  testing::internal::CaptureStderr();
  background.look_around_soon();
  looked.get_future().wait();
  auto one = connection();
  background.take_over(one);
  one->becomes(one->empty);
  until_it_moves(*one);
  background.end();
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("no road"));
}

TEST_F(BackgroundSenderTest, EndsThoughSomethingIsLeft) {
  auto one = connection();
  background.take_over(one);
  background.end();
  const int flushes = one->flushes;
  one->becomes(one->empty);
  background.take_over(one);
  background.look_around_soon();
  background.end();
  EXPECT_EQ(one->flushes, flushes) << "what has not left by then stays";
}

}  // namespace
}  // namespace octavo::detail
