// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "road/net/tls/secret.hpp"

namespace {

namespace fs = std::filesystem;
using octavo::road::ClusterKey;
using octavo::road::TlsSecret;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ClusterKeys : public testing::Test {
 protected:
  ClusterKeys() {
    std::string name = (fs::temp_directory_path() / "octavo-key-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = (folder / "cluster.key").string();
  }
  ~ClusterKeys() override { fs::remove_all(folder); }

  [[nodiscard]] std::string text() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& all) const {
    std::ofstream(path) << all;
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  }
  // What load() says, and that it is a refusal.
  [[nodiscard]] std::string refusal() const {
    try {
      (void)ClusterKey::load(path);
    } catch (const octavo::refused& error) {
      EXPECT_NE(error.cure(), "");
      return error.what();
    }
    ADD_FAILURE() << "it was taken";
    return "";
  }

  octavo::kit::Watchdog watchdog{30};
  fs::path folder;
  std::string path;
};

bool same(const ClusterKey& a, const ClusterKey& b) {
  auto left = TlsSecret::of(a), right = TlsSecret::of(b);
  return a.identity() == b.identity() && std::equal(left.begin(), left.end(), right.begin(), right.end());
}

TEST_F(ClusterKeys, WhatIsSavedIsLoaded) {
  auto key = ClusterKey::make();
  key.save(path);
  EXPECT_TRUE(same(ClusterKey::load(path), key));
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

TEST_F(ClusterKeys, EachIsAnother) {
  auto a = ClusterKey::make(), b = ClusterKey::make();
  EXPECT_FALSE(same(a, b));
  EXPECT_NE(a.identity(), b.identity());
  EXPECT_THAT(a.identity(), testing::MatchesRegex("octavo-[0-9a-f]{16}"));
}

TEST_F(ClusterKeys, AUmaskDoesNotCloseItToItsOwner) {
  auto before = ::umask(0777);
  ClusterKey::make().save(path);
  ::umask(before);
  EXPECT_NO_THROW((void)ClusterKey::load(path));
}

TEST_F(ClusterKeys, ASecondOneDoesNotReplaceTheFirst) {
  auto key = ClusterKey::make();
  key.save(path);
  try {
    ClusterKey::make().save(path);
    FAIL();
  } catch (const octavo::io_error& error) {
    EXPECT_EQ(std::string(error.what()),
              "saving the cluster key: there is a file '" + path + "' already. Load it, or remove it if the cluster is to have a new key");
  }
  EXPECT_TRUE(same(ClusterKey::load(path), key));
}

TEST_F(ClusterKeys, OneThatOthersCanReadIsRefused) {
  ClusterKey::make().save(path);
  for (mode_t mode : {0640, 0604, 0660, 0601}) {
    ::chmod(path.c_str(), mode);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("is open to other users (mode 0"), HasSubstr("chmod 600 '" + path + "'")));
  }
}

TEST_F(ClusterKeys, AnotherUsersIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a file of another user";
  ClusterKey::make().save(path);
  ASSERT_EQ(::chown(path.c_str(), 65534, 65534), 0);
  EXPECT_THAT(refusal(), HasSubstr("belongs to user 65534, not to user 0"));
}

TEST_F(ClusterKeys, ADamagedOneIsRefusedWithoutBeingShown) {
  ClusterKey::make().save(path);
  auto good = text();
  auto secret = good.substr(good.size() - 17 - 65, 64);
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = bad[i] == '0' ? '1' : '0';
    write(bad);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("is damaged: "), Not(HasSubstr(secret.substr(8, 8)))));
  }
  write("");
  EXPECT_THAT(refusal(), HasSubstr("it is too short"));
  write(good.substr(0, good.size() - 1));
  EXPECT_THAT(refusal(), HasSubstr("it is too short"));
  write(good + "\n");
  EXPECT_THAT(refusal(), HasSubstr("it is too long"));
  write(good);
  EXPECT_NO_THROW((void)ClusterKey::load(path));
}

TEST_F(ClusterKeys, WhatIsNoFileIsRefusedAndNotWaitedFor) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(refusal(), HasSubstr("is not a regular file"));
  fs::remove(path);
  EXPECT_THROW((void)ClusterKey::load(path), octavo::io_error);
  EXPECT_THROW(ClusterKey::make().save((folder / "none" / "cluster.key").string()), octavo::io_error);
}

}  // namespace
