// SPDX-License-Identifier: Apache-2.0
// The link by files on file systems that show late, and in part, what another host has written, and whose clock jumps (FL-2, FL-5, FL-6).
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "kit/engines/surroundings.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/watchdog.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {
namespace {

namespace fs = std::filesystem;
using kit::receive, kit::stream, kit::wait_for;

class FilesShown : public testing::Test {
 protected:
  kit::Watchdog watchdog{60};
  kit::TemporaryDirectory place;
};

// As sshfs shows a directory to another host: names late, sizes stale, no inotify, no locks. What `shown` has not said yet, its reader does not see.
TEST_F(FilesShown, FL5_FL6_NamesThatComeLateAndSizesThatAreStaleLoseNothing) {
  const fs::path here = place.path() / "here", there = place.path() / "there";
  for (const auto& each : {here, there})
    for (const char* side : {"o", "d"}) fs::create_directories(each / side);
  FilesLink sender({.in = (here / "o").string(), .out = (there / "d").string(), .connection = here.string()}, false);
  FilesLink reader({.in = (here / "d").string(), .out = (here / "o").string(), .connection = there.string()}, false);
  std::atomic<bool> over = false;
  // Half of a file first, then all of it; in rounds the second of two names before the first.
  std::jthread shows([&] {
    const auto show = [&](std::uint64_t number, double part) {
      std::ifstream file(there / "d" / std::to_string(number), std::ios::binary);
      const std::string all{std::istreambuf_iterator<char>(file), {}};
      std::ofstream(here / "d" / std::to_string(number), std::ios::binary) << all.substr(0, static_cast<std::size_t>(static_cast<double>(all.size()) * part));
    };
    for (std::uint64_t next = 1; !over;) {
      const bool is_there = fs::exists(there / "d" / std::to_string(next)), are_two = fs::exists(there / "d" / std::to_string(next + 1));
      if (!is_there) {
        std::this_thread::yield();
        continue;
      }
      if (are_two) show(next + 1, next % 3 == 0 ? 0.0 : 1.0);
      show(next, 0.5);
      std::this_thread::yield();
      if (are_two && next % 3 == 0) show(next + 1, 1.0);
      show(next, 1.0);
      next += are_two ? 2 : 1;
    }
  });
  const auto bytes = stream(200'000);
  std::jthread sends([&] {
    for (std::size_t sent = 0; sent < bytes.size() && !sender.lost();) {
      const std::size_t n = kit::send(sender, ByteView(bytes).subspan(sent, std::min<std::size_t>(1000, bytes.size() - sent)));
      sent += n;
      if (n == 0) wait_for(sender, true);
    }
  });
  const auto came = receive(reader, bytes.size());
  sends.join();
  over = true;
  EXPECT_TRUE(came == bytes);
  EXPECT_FALSE(reader.lost()) << reader.why();
  EXPECT_FALSE(sender.lost()) << sender.why();
}

// FL-2, FL-5: no time of day is asked for, of a file or of the host; one that jumps changes nothing.
TEST_F(FilesShown, FL2_FL5_AClockThatJumpsLosesNothing) {
  for (const auto jump : {std::chrono::hours(24 * 400), std::chrono::hours(-24 * 400)}) {
    std::optional<RunDirectory> run(place.path().string());
    const std::string at = connect(run->path());
    const auto owner = std::make_unique<FilesLink>(FilesLink::Ends{.in = to_owner(at), .out = to_dialer(at), .connection = at}, false);
    const auto dialer = std::make_unique<FilesLink>(FilesLink::Ends{.in = to_dialer(at), .out = to_owner(at), .connection = at}, false);
    const auto bytes = stream(3000);
    ASSERT_EQ(kit::send(*owner, bytes), bytes.size());
    const auto when = fs::file_time_type::clock::now() + jump;
    for (const auto& each : fs::recursive_directory_iterator(run->path())) fs::last_write_time(each.path(), when);
    const RunDirectory next(place.path().string());  // looks for what is left over
    EXPECT_TRUE(fs::exists(run->path())) << "its owner lives";
    EXPECT_EQ(receive(*dialer, bytes.size()), bytes);
    ASSERT_EQ(kit::send(*dialer, bytes), bytes.size());
    EXPECT_EQ(receive(*owner, bytes.size()), bytes);
  }
}

// FL-2: the disk of who sends is full, where it reads, and where its run has its sign of life.
TEST_F(FilesShown, FL2_ASignOfLifeNeedsNoRoom) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root mounts a small file system";
  const std::string small = (place.path() / "small").string();
  fs::create_directory(small);
  if (::mount("none", small.c_str(), "tmpfs", 0, "size=70m") != 0) GTEST_SKIP() << "no file system can be mounted here";
  {
    RunDirectory run(small);
    const fs::path owner = fs::path(run.path()) / "owner";
    const auto text = [&] {
      std::ifstream file(owner);
      return std::string{std::istreambuf_iterator<char>(file), {}};
    };
    const auto before = text();
    {
      std::ofstream filler(small + "/filler", std::ios::binary);
      const std::string block(1 << 20, 'x');
      while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {}
    }
    std::error_code failed;
    fs::last_write_time(owner, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const auto old = fs::last_write_time(owner);
    EXPECT_NO_THROW(run.beat());
    EXPECT_EQ(text(), before) << "whole, as it was";
    EXPECT_GT(fs::last_write_time(owner), old);
    fs::remove(small + "/filler", failed);
    run.beat();
    EXPECT_NE(text(), before);
  }
  ::umount(small.c_str());
}

}  // namespace
}  // namespace octavo::road::files
