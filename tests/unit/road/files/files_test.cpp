// SPDX-License-Identifier: Apache-2.0
// The parts of the link by files, and what a file system may do to it: sizes that are seen late, no room, other people's directories (FL-1 to FL-8).
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "kit/engines/surroundings.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "road/net/files/folder/life.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/place.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {
namespace {

namespace fs = std::filesystem;
using kit::receive, kit::stream, kit::wait_for;
using testing::HasSubstr;

class Files : public testing::Test {
 protected:
  struct Both {
    std::unique_ptr<FilesLink> dialer, owner;
  };
  [[nodiscard]] Both both(const std::string& at, bool inotify = true) const {
    FilesLink::Ends ends{.in = to_dialer(at), .out = to_owner(at), .connection = at};
    FilesLink::Ends others{.in = ends.out, .out = ends.in, .connection = at};
    return {std::make_unique<FilesLink>(std::move(ends), inotify), std::make_unique<FilesLink>(std::move(others), inotify)};
  }
  [[nodiscard]] std::vector<fs::path> runs() const {
    std::vector<fs::path> found;
    for (const auto& each : fs::directory_iterator(place.path())) found.push_back(each.path());
    return found;
  }
  kit::Watchdog watchdog{60};
  kit::TemporaryDirectory place;
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

TEST_F(Files, FL1_ThePlaceIsLookedAtFirst) {
  EXPECT_NO_THROW(check_place(place.path().string()));
  EXPECT_EQ(runs().size(), 0U) << "the attempt is gone";
  EXPECT_THAT(said_by([] { check_place("shared/x"); }), HasSubstr("from the root"));
  EXPECT_THAT(said_by([this] { check_place((place.path() / "none").string()); }), HasSubstr("is no directory"));
  std::ofstream(place.path() / "file") << "x";
  EXPECT_THROW(check_place((place.path() / "file").string()), usage_error);
  EXPECT_THAT(said_by([] { check_place("/proc"); }), testing::AnyOf(HasSubstr("cannot use '/proc'"), HasSubstr("MiB of room")));
}

TEST_F(Files, FL1_WhoDialsLooksWhoseTheRunIs) {
  const RunDirectory run(place.path().string());
  EXPECT_NO_THROW(check_run(run.path()));
  struct stat facts {};
  ASSERT_EQ(::stat(run.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0700U);
  ::chmod(run.path().c_str(), 0755);
  EXPECT_THROW(check_run(run.path()), refused);
  EXPECT_THAT(said_by([this] { check_run((place.path() / "none").string()); }), HasSubstr("files:DIRECTORY"));
}

TEST_F(Files, FL2_WhatADeadOwnerHasLeftIsRemovedByTheNext) {
  const int other = watchdog.fork();
  if (other == 0) {
    const RunDirectory left(place.path().string());
    const auto links = both(connect(left.path()));
    ::_exit(links.owner->lost() ? 1 : 0);  // as a program that is killed
  }
  int status = 1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  ASSERT_EQ(status, 0);
  const auto left = runs();
  ASSERT_EQ(left.size(), 1U);
  const RunDirectory living(place.path().string()), next(place.path().string());
  EXPECT_FALSE(fs::exists(left.front()));
  EXPECT_TRUE(fs::exists(living.path())) << "its owner lives";
}

// The file system's clock may have jumped: that a run of another host is not heard of counts when it was looked at twice.
TEST_F(Files, FL2_ARunOfAnotherHostIsDoubtedBeforeItIsRemoved) {
  const fs::path elsewhere = place.path() / "octavo-files-0123456789abcdef0123456789abcdef", owner = elsewhere / "owner";
  fs::create_directory(elsewhere);
  Life life = own_life();
  ++life.host;
  const auto beat = [&](int number, std::chrono::minutes ago) {
    std::ofstream(owner) << text_of(life) << "\nbeat " << number << '\n';
    fs::last_write_time(owner, fs::file_time_type::clock::now() - ago);
  };
  const auto is_kept = [&] {
    const RunDirectory next(place.path().string());
    return fs::exists(elsewhere);
  };
  const auto two_minutes_pass = [&] { fs::last_write_time(elsewhere / "doubted", fs::file_time_type::clock::now() - std::chrono::minutes(2)); };
  beat(1, std::chrono::minutes(9));
  EXPECT_TRUE(is_kept());
  beat(1, std::chrono::minutes(11));
  EXPECT_TRUE(is_kept()) << "it is doubted now";
  EXPECT_TRUE(is_kept()) << "it has had no time to beat";
  two_minutes_pass();
  beat(2, std::chrono::minutes(11));
  EXPECT_TRUE(is_kept()) << "it has beaten: the clock jumps";
  two_minutes_pass();
  EXPECT_FALSE(is_kept());
}

TEST_F(Files, FL3_FL4_TheLastToLeaveRemovesAll) {
  std::optional<RunDirectory> run(place.path().string());
  auto links = both(connect(run->path()));
  const auto bytes = stream(3000);
  ASSERT_EQ(kit::send(*links.owner, bytes), bytes.size());
  links.owner.reset();
  run.reset();
  EXPECT_EQ(receive(*links.dialer, bytes.size() + 1), bytes) << "the run's end is not that of who still reads";
  links.dialer.reset();
  EXPECT_TRUE(runs().empty());
}

TEST_F(Files, FL4_EachCallHasANumberOfItsOwn) {
  Folder folder(place.path().string());
  const auto bytes = stream(5);
  const ByteView piece(bytes);
  EXPECT_EQ(folder.claim(1, std::span(&piece, 1)), Folder::outcome::done);
  EXPECT_EQ(folder.claim(1, std::span(&piece, 1)), Folder::outcome::taken);
  EXPECT_EQ(folder.claim(2, std::span(&piece, 1)), Folder::outcome::done);
  EXPECT_EQ(runs().size(), 2U) << "and nothing besides";
}

// A file that grows, as a file system shows it whose sizes are stale; then one that another has changed.
TEST_F(Files, FL5_WhatIsNotWholeIsLookedAtAgain) {
  for (const bool inotify : {true, false}) {
    const RunDirectory run(place.path().string());
    const std::string at = connect(run.path());
    auto links = both(at, inotify);
    const auto bytes = stream(5000);
    ASSERT_TRUE(links.dialer->is_greeted());
    ASSERT_EQ(kit::send(*links.owner, bytes), bytes.size());
    const fs::path file = fs::path(to_dialer(at)) / "2";
    std::ifstream whole_file(file, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(whole_file), {}};
    std::byte room{};
    ByteSpan into(&room, 1);
    for (const std::size_t seen : {std::size_t{0}, std::size_t{20}, sizeof(Head), std::size_t{3000}}) {
      std::ofstream(file, std::ios::binary) << whole.substr(0, seen);
      EXPECT_EQ(links.dialer->receive(std::span(&into, 1)), 0U);
    }
    std::string wrong = whole;
    wrong[sizeof(Head) + 7] ^= 1;
    std::ofstream(file, std::ios::binary) << wrong;
    EXPECT_EQ(links.dialer->receive(std::span(&into, 1)), 0U);
    std::ofstream(file, std::ios::binary) << whole;
    EXPECT_EQ(receive(*links.dialer, bytes.size()), bytes) << "it looks without being told";
  }
}

// The greeting came before inotify was asked, and is found by what that tells of the next ones.
TEST_F(Files, FL5_WhatCameBeforeTheFirstLookIsFoundAtOnce) {
  const RunDirectory run(place.path().string());
  auto links = both(connect(run.path()));
  const auto bytes = stream(3);
  for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(kit::send(*links.dialer, ByteView(bytes).subspan(i, 1)), 1U);
  std::vector<std::byte> came(4);
  ByteSpan into(came);
  EXPECT_EQ(links.owner->receive(std::span(&into, 1)), bytes.size());
}

TEST_F(Files, FL5_NumbersAreNotUsedTwiceAndFilesAreRemovedWhenRead) {
  const RunDirectory run(place.path().string());
  const std::string at = connect(run.path());
  auto links = both(at, false);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(kit::send(*links.owner, stream(10)), 10U);
    EXPECT_TRUE(fs::exists(fs::path(to_dialer(at)) / std::to_string(2 + i))) << i;
    EXPECT_EQ(receive(*links.dialer, 10), stream(10));
    EXPECT_TRUE(fs::is_empty(to_dialer(at)));
  }
}

TEST_F(Files, FL6_WhoDoesNotReadStopsTheSenderAndAReceiptLetsItGoOn) {
  const RunDirectory run(place.path().string());
  auto links = both(connect(run.path()));
  int sent = 0;
  while (kit::send(*links.owner, stream(10)) != 0) ++sent;
  EXPECT_EQ(sent, 32);
  EXPECT_EQ(receive(*links.dialer, 170).size(), 170U);
  wait_for(*links.owner, true);
  EXPECT_EQ(kit::send(*links.owner, stream(10)), 10U) << "half were received, and that was said";
}

TEST_F(Files, FL7_WithoutRoomNothingIsTakenAndLaterAllOfIt) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small file system";
  const std::string small = (place.path() / "small").string();
  fs::create_directory(small);
  if (::mount("none", small.c_str(), "tmpfs", 0, "size=1m") != 0) GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_THAT(said_by([&] { check_place(small); }), testing::AllOf(HasSubstr("MiB of room"), HasSubstr("tmpfs")));
  {
    fs::create_directories(small + "/c/o");
    fs::create_directories(small + "/c/d");
    auto links = both(small + "/c");
    std::ofstream(small + "/filler") << std::string(900 << 10, 'x');
    const auto bytes = stream(1 << 20);
    std::size_t taken = kit::send(*links.owner, bytes);
    EXPECT_EQ(taken, 0U);
    EXPECT_FALSE(links.owner->lost());
    fs::remove(small + "/filler");
    std::vector<std::byte> came;
    while (came.size() < bytes.size()) {
      taken += kit::send(*links.owner, ByteView(bytes).subspan(taken, std::min<std::size_t>(bytes.size() - taken, 200 << 10)));
      const auto next = receive(*links.dialer, taken - came.size());
      came.insert(came.end(), next.begin(), next.end());
    }
    EXPECT_EQ(came, bytes);
  }
  ::umount(small.c_str());
}

TEST_F(Files, FL8_TheDeathOfTheOtherProcessIsTheEndOnceAllIsReceived) {
  const RunDirectory run(place.path().string());
  const std::string at = connect(run.path());
  FilesLink here({.in = to_owner(at), .out = to_dialer(at), .connection = at});
  const int other = watchdog.fork();
  if (other == 0) {
    FilesLink there({.in = to_dialer(at), .out = to_owner(at), .connection = at});
    const bool sent = kit::send(there, stream(5000)) == 5000;
    while (!there.lost() && receive(there, 1).empty()) {}
    ::_exit(sent ? 0 : 1);
  }
  EXPECT_EQ(receive(here, 5000), stream(5000));
  ::kill(other, SIGKILL);
  EXPECT_TRUE(receive(here, 1).empty());
  EXPECT_EQ(here.why(), "the process at the other side has ended");
  ::waitpid(other, nullptr, 0);
  EXPECT_EQ(here.least_silence(), std::chrono::seconds(60)) << "L-15: of those elsewhere";
}

TEST(Life, IsKnownWhileItsProcessLives) {
  const Life own = own_life();
  EXPECT_EQ(look_at(own), known::lives);
  EXPECT_EQ(look_at({own.host, own.begun + 1, own.pid}), known::dead) << "another that has its number";
  EXPECT_EQ(look_at({own.host + 1, own.begun, own.pid}), known::nothing) << "of another host";
  EXPECT_EQ(look_at(life_of("nonsense")), known::nothing);
  EXPECT_EQ(life_of(text_of(own)).pid, own.pid);
}

}  // namespace
}  // namespace octavo::road::files
