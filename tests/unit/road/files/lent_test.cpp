// SPDX-License-Identifier: Apache-2.0
// Messages by files whose files are taken back and written again (FL-10, OB-4).
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "kit/engines/surroundings.hpp"
#include "kit/link/link_bytes.hpp"
#include "kit/watchdog.hpp"
#include "road/net/files/folder/lent_files.hpp"
#include "road/net/files/link.hpp"
#include "road/net/files/run_directory.hpp"

namespace octavo::road::files {
namespace {

namespace fs = std::filesystem;
using kit::stream;

class Lent : public testing::Test {
 protected:
  [[nodiscard]] std::set<ino_t> files() const {
    std::set<ino_t> found;
    for (const auto& each : fs::directory_iterator(place.path())) {
      struct stat facts {};
      if (::stat(each.path().c_str(), &facts) == 0) found.insert(facts.st_ino);
    }
    return found;
  }
  Folder::outcome put(std::uint64_t number, const std::vector<std::byte>& bytes) {
    const std::vector<ByteView> pieces{ByteView(bytes)};
    return lent.put(number, pieces);
  }
  [[nodiscard]] std::vector<std::byte> read(std::uint64_t number, std::size_t size) {
    std::vector<std::byte> into(4 << 20);
    const auto came = folder.read(number, into);
    into.resize(came ? std::min(*came, size) : 0);
    return into;
  }
  kit::Watchdog watchdog{60};
  kit::TemporaryDirectory place;
  Folder folder{place.path().string()};
  LentFiles lent{folder};
};

TEST_F(Lent, FL10_AFileThatIsBackIsWrittenAgainUnderTheNextName) {
  ASSERT_EQ(put(1, stream(1000)), Folder::outcome::done);
  ASSERT_EQ(put(2, stream(2000)), Folder::outcome::done);
  const auto before = files();
  EXPECT_EQ(before.size(), 2U);
  lent.take_back(1);
  ASSERT_EQ(put(3, stream(900)), Folder::outcome::done);
  EXPECT_EQ(files(), before);
  EXPECT_FALSE(fs::exists(place.path() / "1"));
  EXPECT_EQ(read(3, 900), stream(900)) << "what lies behind it is of an older one";
  EXPECT_EQ(read(2, 2000), stream(2000)) << "it is not back yet";
}

TEST_F(Lent, FL10_AFileGrowsAndASmallMessageDoesNotGoIntoALargeOne) {
  ASSERT_EQ(put(1, stream(100)), Folder::outcome::done);
  lent.take_back(1);
  ASSERT_EQ(put(2, stream(1 << 20)), Folder::outcome::done);
  EXPECT_EQ(files().size(), 1U);
  lent.take_back(2);
  ASSERT_EQ(put(3, stream(100)), Folder::outcome::done);
  EXPECT_EQ(files().size(), 2U);
  EXPECT_LT(fs::file_size(place.path() / "3"), 10000U);
}

TEST_F(Lent, FL10_OnlyAFewAreKept) {
  std::uint64_t number = 0;
  while (lent.may_lend(1 << 20)) ASSERT_EQ(put(++number, stream(1 << 20)), Folder::outcome::done);
  EXPECT_EQ(number, 16U);
  lent.take_back(5);
  EXPECT_TRUE(lent.may_lend(1 << 20));
  EXPECT_FALSE(lent.may_lend(10)) << "its reader would read all that lies behind";
}

// FL-10, OB-4: any sizes in any order, in both directions; the files that are there are few, and are gone with the connection.
TEST(LentMessages, FL10_WhatIsSentArrivesAndNoFileIsMadeForIt) {
  const kit::Watchdog watchdog{60};
  const kit::TemporaryDirectory place;
  const RunDirectory run(place.path().string());
  const std::string at = connect(run.path());
  {
    FilesLink dialer({.in = to_dialer(at), .out = to_owner(at), .connection = at}), owner({.in = to_owner(at), .out = to_dialer(at), .connection = at});
    std::mt19937 random(7);
    std::set<ino_t> inodes;
    for (int i = 0; i < 400; ++i) {
      auto& from = i % 2 == 0 ? owner : dialer;
      auto& to = i % 2 == 0 ? dialer : owner;
      const auto bytes = stream(1 + (random() % 3 == 0 ? random() % 300000 : random() % 300));
      ASSERT_EQ(kit::send(from, bytes), bytes.size());
      if (i >= 100)
        for (const auto& each : fs::directory_iterator(to_dialer(at))) {
          struct stat facts {};
          if (::stat(each.path().c_str(), &facts) == 0) inodes.insert(facts.st_ino);
        }
      ASSERT_EQ(kit::receive(to, bytes.size()), bytes) << i;
    }
    EXPECT_LE(inodes.size(), 18U) << "150 messages";
    EXPECT_FALSE(fs::is_empty(to_dialer(at)));
  }
  EXPECT_FALSE(fs::exists(at));
}

}  // namespace
}  // namespace octavo::road::files
