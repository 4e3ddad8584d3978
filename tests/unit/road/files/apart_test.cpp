// SPDX-License-Identifier: Apache-2.0
// A link by files to another host (FL-9), whose session to there is killed: what is known of the message that it took last.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>
#include <string>
#include <vector>

#include "kit/engines/surroundings.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "road/net/files/folder/life.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {
namespace {

using kit::stream;

// Puts all that it takes, and fails with the last: its session was killed after that had arrived.
class Killed final : public Outbox {
 public:
  Killed(std::string path, int puts) : folder_(std::move(path)), left_(puts) {}
  bool put(std::uint64_t number, std::span<const ByteView> pieces) override {
    EXPECT_EQ(folder_.put(number, pieces), Folder::outcome::done);
    if (--left_ == 0) throw io_error("the session was killed", "Try again");
    return true;
  }
  [[nodiscard]] std::string place() const override { return folder_.path(); }

 private:
  Folder folder_;
  int left_;
};

class Apart : public testing::Test {
 protected:
  kit::Watchdog watchdog{60};
  kit::TemporaryDirectory place;
  RunDirectory run{place.path().string()};
  std::string at = connect(run.path());
};

// OB-2, FL-9: a steady link that is told that the bytes did not go would take the other side's confirmation of them for nonsense.
TEST_F(Apart, FL9_OB2_WhatAKilledSessionTookCountsAsSentAsItMayHaveArrived) {
  FilesLink owner({.in = to_owner(at), .out = to_dialer(at), .connection = at, .elsewhere = std::make_shared<Killed>(to_dialer(at), 3)});
  FilesLink dialer({.in = to_dialer(at), .out = to_owner(at), .connection = at});
  EXPECT_EQ(kit::send(owner, stream(10)), 10U);
  EXPECT_EQ(kit::send(owner, stream(20)), 20U) << "its session is killed now";
  EXPECT_EQ(kit::receive(dialer, 30).size(), 30U);
  EXPECT_EQ(kit::send(dialer, stream(40)), 40U) << "confirms both";
  EXPECT_EQ(kit::receive(owner, 40), stream(40));
  EXPECT_EQ(kit::send(owner, stream(10)), 0U);
  EXPECT_TRUE(kit::receive(owner, 1).empty());
  EXPECT_THAT(owner.why(), testing::HasSubstr("the session was killed"));
}

TEST_F(Apart, FL9_AMessageThatConfirmsWhatWasNotSentGivesNothing) {
  FilesLink owner({.in = to_owner(at), .out = to_dialer(at), .connection = at});
  {
    FilesLink dialer({.in = to_dialer(at), .out = to_owner(at), .connection = at});
    EXPECT_TRUE(owner.is_greeted());
    const auto bytes = stream(10);
    Head head{.what = content::bytes, .number = 2, .received = 5};
    const ByteView payload(bytes);
    seal(head, std::span(&payload, 1));
    const std::array pieces{std::as_bytes(std::span(&head, 1)), payload};
    Folder folder(to_owner(at));
    ASSERT_EQ(folder.put(2, pieces), Folder::outcome::done);
    EXPECT_TRUE(kit::receive(owner, 10).empty());
  }
  EXPECT_THAT(owner.why(), testing::HasSubstr("confirms messages"));
}

// FL-3: what looks whether a run's owner lives comes before the owner's parent has heard of its end.
TEST_F(Apart, FL3_AProcessThatHasEndedIsDeadThoughNobodyHasWaitedForIt) {
  auto [ready, say] = kit::pipe();
  const int child = ::fork();
  if (child == 0) {
    const Life own = own_life();
    [[maybe_unused]] auto n = ::write(say.get(), &own, sizeof own);
    ::pause();
  }
  Life life;
  ASSERT_EQ(::read(ready.get(), &life, sizeof life), static_cast<ssize_t>(sizeof life));
  EXPECT_EQ(look_at(life), known::lives);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  siginfo_t facts{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &facts, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(look_at(life), known::dead);
  ::waitpid(child, nullptr, 0);
  EXPECT_EQ(look_at(life), known::dead);
}

// More rooms than one system call takes.
TEST_F(Apart, FL5_AMessageIsReceivedIntoAnyNumberOfRooms) {
  FilesLink owner({.in = to_owner(at), .out = to_dialer(at), .connection = at}), dialer({.in = to_dialer(at), .out = to_owner(at), .connection = at});
  const auto bytes = stream(3000);
  EXPECT_TRUE(owner.is_greeted());
  EXPECT_EQ(kit::send(dialer, bytes), bytes.size());
  kit::wait_for(owner, false);
  std::vector<std::byte> came(bytes.size());
  std::vector<ByteSpan> rooms;
  for (std::size_t i = 0; i < came.size(); i += 3) rooms.push_back(ByteSpan(came).subspan(i, 3));
  EXPECT_EQ(owner.receive(rooms), bytes.size());
  EXPECT_EQ(came, bytes);
}

}  // namespace
}  // namespace octavo::road::files
