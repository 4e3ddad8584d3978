// SPDX-License-Identifier: Apache-2.0
// The parts of the link by sftp, and what servers do to it: a login that fails, one that is dropped, a session that is killed, a disk that is full (SF-1 to
// SF-4, SO-1 to SO-3, FL-9). The suite of links runs over it, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "kit/left_behind.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/link/sftp_pair.hpp"
#include "kit/watchdog.hpp"
#include "road/net/files/folder/folder.hpp"
#include "road/net/sftp/outbox.hpp"

namespace octavo::road::sftp {
namespace {

namespace fs = std::filesystem;
using kit::receive, kit::stream, kit::wait_for;
using testing::HasSubstr;

class Sftp : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto missing = kit::SftpServer::missing(); !missing.empty()) GTEST_SKIP() << missing;
    variables.set("TMPDIR", place.path().string());
  }
  // Its sessions, by the machine that they lead to.
  [[nodiscard]] std::vector<int> pids(const std::string& machine) const {
    std::vector<int> found;
    std::ifstream file(place.path() / ("to-" + machine));
    for (int pid = 0; file >> pid;) found.push_back(pid);
    return found;
  }
  [[nodiscard]] std::string notes_pids() const { return "echo $$ >> '" + (place.path() / "to-").string() + "'$1"; }
  [[nodiscard]] std::vector<fs::path> runs() const {
    std::vector<fs::path> found;
    for (const auto& each : fs::directory_iterator(place.path()))
      if (each.path().filename().string().starts_with("octavo-files-")) found.push_back(each.path());
    return found;
  }
  kit::Watchdog watchdog{100};
  kit::TemporaryDirectory place;
  kit::Variables variables;
};

template <class Work>
std::string said_by(Work work) {
  try {
    work();
  } catch (const error& e) {
    return e.what();
  }
  return "no error";
}

TEST(SftpPacket, IsWhatTheProtocolSays) {
  const auto bytes = Packet(request::remove, 7).text("/a").bytes();
  const std::vector<int> expected{0, 0, 0, 11, 13, 0, 0, 0, 7, 0, 0, 0, 2, '/', 'a'};
  ASSERT_EQ(bytes.size(), expected.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) EXPECT_EQ(static_cast<int>(bytes[i]), expected[i]) << i;
  EXPECT_EQ(whole(ByteView(bytes).first(10)), std::nullopt);
  EXPECT_EQ(whole(bytes), bytes.size());
  EXPECT_THROW((void)reply_of(bytes), io_error) << "that is no answer";
}

TEST(SftpPacket, ALoginThatPrintsIsNamed) {
  const std::string greeting = "Welcome to node1\n";
  EXPECT_THAT(said_by([&] { (void)whole(std::as_bytes(std::span(greeting))); }), testing::AllOf(HasSubstr("no server for sftp"), HasSubstr(".bashrc")));
}

TEST(SftpWords, LeadToOneHost) {
  EXPECT_EQ(words_for("ssh -p 22 {}", "u@n1"), (std::vector<std::string>{"ssh", "-p", "22", "u@n1", "-s", "sftp"}));
  for (const char* host : {"", "-oProxyCommand=x", "a b", "a;b"}) EXPECT_THROW((void)words_for("ssh {}", host), usage_error) << host;
  for (const char* command : {"", "ssh"}) EXPECT_THROW((void)words_for(command, "n1"), usage_error) << command;
}

TEST_F(Sftp, SK1_SK2_SF1_SF4_SO1_SO3_OB1_OB3_AllArrivesAndNothingIsLeftAtTheEnd) {
  const kit::SftpServer server(notes_pids());
  {
    auto [dialer, owner] = kit::over_sftp(server.command());
    ASSERT_EQ(kit::send(*dialer, stream(2000)), 2000U);
    EXPECT_EQ(receive(*owner, 2000), stream(2000));
    EXPECT_EQ(runs().size(), 2U) << "each has its own";
  }
  for (const char* machine : {"localhost", "octavo-test"}) {
    ASSERT_EQ(pids(machine).size(), 1U) << "one session each way: " << machine;
    kit::await_end(pids(machine).front());
  }
  EXPECT_TRUE(runs().empty());
}

TEST_F(Sftp, SF3_FL9_OB2_ASessionThatEndsNamesTheHostAndTheCureWhenAllIsReceived) {
  const kit::SftpServer server(notes_pids());
  auto [dialer, owner] = kit::over_sftp(server.command());
  ASSERT_EQ(kit::send(*owner, stream(5000)), 5000U);
  ASSERT_EQ(receive(*dialer, 1), stream(1));
  ::kill(pids("localhost").front(), SIGKILL);
  const auto rest = receive(*dialer, 5000);
  EXPECT_EQ(rest.size(), 4999U);
  EXPECT_TRUE(dialer->lost());
  EXPECT_THAT(dialer->why(), testing::AllOf(HasSubstr("session of sftp with 'localhost' has ended"), HasSubstr("link=\"ssh\"")));
  EXPECT_EQ(kit::send(*dialer, stream(10)), 0U);
}

TEST_F(Sftp, SF3_ALoginThatIsRefusedIsSaidAtOnce) {
  const kit::SftpServer server("echo 'root@n1: Permission denied (publickey).' >&2; exit 255");
  EXPECT_THAT(said_by([&] { kit::over_sftp(server.command()); }),
              testing::AllOf(HasSubstr("'localhost' did not begin"), HasSubstr("Permission denied (publickey)"), HasSubstr("without a question")));
  EXPECT_TRUE(runs().empty());
}

TEST_F(Sftp, SF2_ALoginThatIsDroppedIsTriedAgain) {
  const std::string counter = (place.path() / "dropped-").string();
  const kit::SftpServer server("if mkdir '" + counter + "'$1; then echo 'kex_exchange_identification: Connection closed by remote host' >&2; exit 255; fi");
  auto [dialer, owner] = kit::over_sftp(server.command());
  ASSERT_EQ(kit::send(*dialer, stream(20)), 20U);
  EXPECT_EQ(receive(*owner, 20), stream(20));
  EXPECT_TRUE(fs::exists(counter + "localhost") && fs::exists(counter + "octavo-test"));
}

// A stock sshd drops some of those that come beyond ten at once.
TEST_F(Sftp, SF2_FortyThatBeginAtOnceAllComeThroughAStockSshd) {
  if (const auto missing = kit::Sshd::missing(); !missing.empty()) GTEST_SKIP() << missing;
  std::signal(SIGPIPE, SIG_IGN);  // NOLINT: as the processes do that use it
  const kit::Sshd sshd("10:30:100");
  constexpr std::size_t members = 40;
  std::vector<std::unique_ptr<Session>> sessions;
  std::size_t answered = 0;
  for (std::size_t i = 0; i < members; ++i) {
    auto& session = *sessions.emplace_back(
        std::make_unique<Session>(Session::How{kit::sftp_terms().run, words_for(kit::command_of(sshd), "n" + std::to_string(i)), "n" + std::to_string(i)}));
    const auto number = session.number();
    session.ask(number, Packet(request::stat, number).text("/"), [&answered](const Reply& reply) { answered += reply.is_ok() ? 1 : 0; });
  }
  while (answered < members) {
    std::vector<pollfd> polls;
    for (const auto& each : sessions) polls.push_back({each->descriptor(), POLLIN, 0});
    ASSERT_GT(::poll(polls.data(), polls.size(), -1), 0);
    for (std::size_t i = 0; i < members; ++i)
      if (polls[i].revents != 0) sessions[i]->move();
  }
}

TEST_F(Sftp, SO2_AFullDiskAtTheReceiverIsWaitedForAndNothingIsLost) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small file system";
  const std::string small = (place.path() / "small").string();
  fs::create_directory(small);
  if (::mount("none", small.c_str(), "tmpfs", 0, "size=70m") != 0) GTEST_SKIP() << "no file system can be mounted here";
  variables.set("TMPDIR", small);
  {
    const kit::SftpServer server;
    auto [dialer, owner] = kit::over_sftp(server.command());
    std::error_code failed;
    const std::uint64_t filled = fs::space(small).available - (300U << 10);
    {
      std::ofstream filler(small + "/filler");
      const std::string block(1 << 10, 'x');
      for (std::uint64_t i = 0; i < filled >> 10U; ++i) filler << block;
    }
    const auto bytes = stream(3 << 20);
    std::size_t taken = kit::send(*dialer, bytes);
    ASSERT_GE(taken, std::size_t{1} << 20) << "it stays with the sender";
    std::jthread frees([&] {
      for (int i = 0; i < 5; ++i) {  // until it has been refused more than once
        wait_for(*dialer, false);
        std::byte none{};
        ByteSpan into(&none, 1);
        EXPECT_EQ(dialer->receive(std::span(&into, 1)), 0U);
      }
      EXPECT_FALSE(dialer->lost());
      fs::remove(small + "/filler", failed);
      while (!dialer->lost()) {
        if (taken < bytes.size()) taken += kit::send(*dialer, ByteView(bytes).subspan(taken));
        wait_for(*dialer, taken < bytes.size());
        std::byte none{};
        ByteSpan into(&none, 1);
        EXPECT_EQ(dialer->receive(std::span(&into, 1)), 0U);
      }
    });
    EXPECT_TRUE(receive(*owner, bytes.size()) == bytes);
    EXPECT_FALSE(owner->lost());
    owner->close();
  }
  ::umount(small.c_str());
}

// What is refused and half written is taken back: its reader sees nothing of it, and later all of it.
TEST_F(Sftp, SO2_FL5_WhatWasPutByHalfIsTakenBack) {
  const kit::SftpServer server;
  auto [dialer, owner] = kit::over_sftp(server.command());
  fs::path inbox;
  for (const auto& run : runs())
    for (const auto& each : fs::recursive_directory_iterator(run))
      if (each.path().filename() == "o" && !fs::is_empty(each.path())) inbox = each.path();  // with the files that are made ahead
  ASSERT_FALSE(inbox.empty());
  std::ofstream(inbox / "2") << "half of a message";
  std::byte room{};
  ByteSpan into(&room, 1);
  EXPECT_EQ(owner->receive(std::span(&into, 1)), 0U);
  fs::remove(inbox / "2");
  EXPECT_EQ(owner->receive(std::span(&into, 1)), 0U);
  ASSERT_EQ(kit::send(*dialer, stream(3000)), 3000U);
  std::jthread goes_on([&] { EXPECT_TRUE(receive(*dialer, 1).empty()); });
  EXPECT_EQ(receive(*owner, 3000), stream(3000));
  owner->close();
}

// Whenever the sender is killed, what came is a beginning of what was sent; what it leaves is removed by the next that begins there.
TEST_F(Sftp, SF4_FL2_KilledAtAnyInstantWhatCameIsABeginningAndNothingIsLeft) {
  const char* wanted = std::getenv("OCTAVO_KILLS");
  const int rounds = wanted == nullptr ? 50 : std::atoi(wanted);  // NOLINT: a test's
  const kit::SftpServer server(notes_pids());
  const auto bytes = stream(1 << 20);
  const auto message = [&](std::uint64_t number) {
    return ByteView(bytes).subspan(number % 1000, number % 5 == 0 ? 600'000 : 7000);
  };  // in one write, or three
  const std::string directory = (place.path() / "in").string();
  for (int round = 0; round < rounds; ++round) {
    fs::create_directory(directory);
    const std::string here = "here" + std::to_string(round);
    const int sender = watchdog.fork();
    if (sender == 0) {
      std::signal(SIGPIPE, SIG_IGN);  // NOLINT
      SftpOutbox out(std::make_unique<Session>(Session::How{kit::sftp_terms().run, words_for(server.command(), here), here}), directory);
      for (std::uint64_t number = 1;; ++number) {
        const auto part = message(number);
        out.put(number, std::span(&part, 1));
        while (number % 8 == 0 && !out.is_settled()) {
          pollfd poll{out.descriptor(), POLLIN, 0};
          ::poll(&poll, 1, -1);
          out.move();
        }
      }
    }
    if (round % 2 == 0)
      while (!fs::exists(fs::path(directory) / "8")) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(137 * round));  // the instant
    ::kill(sender, SIGKILL);
    ::waitpid(sender, nullptr, 0);
    for (const int pid : pids(here)) kit::await_end(pid);
    files::Folder folder(directory);
    std::vector<std::byte> file(bytes.size());
    std::uint64_t number = 1;
    for (std::optional<std::size_t> size; (size = folder.read(number, file)); ++number) {
      ASSERT_TRUE(std::ranges::equal(ByteView(file).first(*size), message(number))) << "message " << number << " of round " << round << " is not whole";
    }
    for (std::uint64_t later = number + 1; later < number + 8; ++later) EXPECT_FALSE(folder.read(later, file)) << "out of order: " << later;
    fs::remove_all(directory);
  }
}

}  // namespace
}  // namespace octavo::road::sftp
