// SPDX-License-Identifier: Apache-2.0
// What a registry does with a directory or a database that is not as it should be.
#include <sys/stat.h>

#include <array>

#include "kit/watchdog.hpp"
#include "machine/registry/private_directory.hpp"
#include "machine/registry/registry.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using registry_test::error_text, registry_test::expect_parts, registry_test::Folder;

std::string open_error(const std::string& directory) {
  try {
    Registry registry(directory);
  } catch (const error& e) {
    return std::string(to_string(e.kind())) + ": " + e.what();
  }
  return "none";
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

TEST(RegistryOpen, MakesADirectoryOfItsOwn) {
  Folder folder;
  Registry registry(folder / "x/y/z");
  for (const char* each : {"x", "x/y", "x/y/z"}) EXPECT_EQ(mode_of(folder / each), 0700U);
}

TEST(RegistryOpen, RefusesADirectoryThatOthersCanChange) {
  Folder folder;
  for (unsigned mode : {0770U, 0702U, 01777U}) {
    std::filesystem::create_directory(folder / "x");
    ASSERT_EQ(::chmod((folder / "x").c_str(), mode), 0);
    expect_parts(open_error(folder / "x"), {"refused: ", "others can write", "chmod 700 '"});
    EXPECT_TRUE(std::filesystem::is_empty(folder / "x"));
  }
  ASSERT_EQ(::chmod((folder / "x").c_str(), 0755), 0);
  EXPECT_EQ(open_error(folder / "x"), "none") << "others may read";
}

TEST(RegistryOpen, NobodyElseReadsItWhoeverMayReadItsDirectory) {
  Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const mode_t before = ::umask(022);
  auto expect_private = [&] {
    Registry registry(folder.path());
    registry.add({.name = "a", .class_name = "T", .command = {"x"}});
    for (const char* each : {"names.db", "names.db-wal", "names.db-shm"}) EXPECT_EQ(mode_of(folder / each), 0600U) << each;
    registry.remove(registry.find("a")->object);
  };
  expect_private();
  ASSERT_EQ(::chmod((folder / "names.db").c_str(), 0644), 0);  // as an earlier Octavo made it
  expect_private();
  {
    Database open_to_others(folder / "names.db", std::chrono::seconds(1));
    open_to_others.number("SELECT count(*) FROM entries", "testing");
    for (const char* each : {"names.db", "names.db-wal", "names.db-shm"}) ASSERT_EQ(::chmod((folder / each).c_str(), 0644), 0) << each;
    expect_private();
  }
  ::umask(before);
}

TEST(RegistryOpen, AnEmptyDatabaseBesideStatesIsALoss) {
  Folder folder;
  registry_test::put_file(folder / "names.db", "");
  EXPECT_EQ(open_error(folder.path()), "none") << "nothing is lost";
  registry_test::save(folder.path(), 1);
  EXPECT_EQ(open_error(folder.path()), "none");
  std::filesystem::remove(folder / "names.db");
  registry_test::put_file(folder / "names.db", "");
  expect_parts(open_error(folder.path()), {"io: ", "names.db' is empty", "states of its objects", "Take it from a copy"});
  ::unlink((folder / "names.db").c_str());
  expect_parts(open_error(folder.path()), {"io: ", "names.db' is not there", "states of its objects", "Take it from a copy"});
  std::filesystem::rename(folder / "state", folder / "elsewhere");
  EXPECT_EQ(open_error(folder.path()), "none");
}

TEST(RegistryOpen, NeedlessVariablesLeaveNoTrace) {
  Folder folder;
  auto is_on_the_disk = [&](const std::string& text) {
    std::string all;
    for (const char* each : {"names.db", "names.db-wal"}) all += registry_test::get_file(folder / each);
    return all.find(text) != std::string::npos;
  };
  Registry registry(folder.path());
  auto entry = registry.add({.name = "a", .class_name = "T", .command = {"x"}, .environment = {"PATH=/bin", "AWS_SECRET_ACCESS_KEY=very secret"}});
  ASSERT_TRUE(is_on_the_disk("very secret"));
  registry.forget_needless_variables();
  EXPECT_FALSE(is_on_the_disk("very secret"));
  EXPECT_EQ(registry.find("a")->environment, std::vector<std::string>{"PATH=/bin"});
  EXPECT_EQ(registry.find("a")->object, entry.object);
}

TEST(RegistryOpen, RefusesADirectoryOfAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make one";
  Folder folder;
  std::filesystem::create_directory(folder / "x");
  ASSERT_EQ(::chown((folder / "x").c_str(), 12345, 12345), 0);
  expect_parts(open_error(folder / "x"), {"refused: ", "belongs to user 12345, not to user 0", "Name a directory of your own"});
}

TEST(RegistryOpen, NamesWhatIsNoDirectory) {
  Folder folder;
  registry_test::put_file(folder / "x", "text");
  expect_parts(open_error(folder / "x"), {"io: ", (folder / "x").c_str(), "ENOTDIR"});
  expect_parts(open_error(folder / "x/y"), {"io: ", "ENOTDIR"});
  EXPECT_THROW(private_directory(""), usage_error);
}

TEST(RegistryOpen, RefusesADatabaseOfALaterVersion) {
  Folder folder;
  { Registry registry(folder.path()); }
  // The 4 bytes at 60 of the file are its version (SQLite's file format), big-endian.
  std::string path = folder / "names.db", content = registry_test::get_file(path);
  ASSERT_EQ(content.substr(60, 4), std::string("\0\0\0\1", 4));
  content[63] = 7;
  registry_test::put_file(path, content);
  expect_parts(open_error(folder.path()), {"not_supported: ", path.c_str(), "has version 7; this Octavo knows version 1"});
  EXPECT_EQ(registry_test::get_file(path), content) << "it is not touched";
}

TEST(RegistryOpen, RefusesTheDatabaseOfAnotherProgram) {
  Folder folder;
  { Database(folder / "names.db", std::chrono::seconds(1)).run("CREATE TABLE theirs(x)", "making one"); }
  std::string content = registry_test::get_file(folder / "names.db");
  expect_parts(open_error(folder.path()), {"refused: ", "a database of another program"});
  EXPECT_EQ(registry_test::get_file(folder / "names.db"), content) << "it is not touched";
}

TEST(RegistryOpen, SaysThatTheDatabaseIsDamaged) {
  Folder folder;
  registry_test::put_file(folder / "names.db", std::string(10000, 'x'));
  expect_parts(open_error(folder.path()), {"io: ", "damaged or no database", ".recover"});
}

// Pages of the file are overwritten: each use gives an answer or one of our errors, and check() finds it.
TEST(RegistryOpen, ADamagedPageIsAnError) {
  Folder folder;
  {
    Registry registry(folder / "a");
    for (int i = 0; i < 300; ++i) registry.add({.name = "n/" + std::to_string(i), .class_name = "T", .command = {std::string(100, 'x')}});
  }
  std::string whole = registry_test::get_file(folder / "a/names.db");
  int found = 0, pages = static_cast<int>(whole.size() / 4096);
  for (int page = 1; page < pages; ++page) {
    std::filesystem::create_directory(folder / "b");
    ASSERT_EQ(::chmod((folder / "b").c_str(), 0700), 0);
    registry_test::put_file(folder / "b/names.db", std::string(whole).replace(static_cast<std::size_t>(page) * 4096, 4096, 4096, 'x'));
    try {
      Registry registry(folder / "b");
      registry.check();
      for (const auto& entry : registry.list()) EXPECT_EQ(registry.find(std::string_view(entry.name)), entry);
    } catch (const io_error&) {
      ++found;
    }
    std::filesystem::remove_all(folder / "b");
  }
  EXPECT_EQ(found, pages - 1);
}

TEST(RegistryOpen, N2_AWriterThatStaysIsNamed) {
  kit::Watchdog watchdog(60);
  Folder folder;
  Registry registry(folder.path(), std::chrono::milliseconds(50));
  Database other(folder / "names.db", std::chrono::seconds(1));
  Transaction held(other, "holding it");
  expect_parts(error_text<timed_out>([&] { registry.add({.name = "a", .class_name = "T", .command = {"x"}}); }),
               {"adding a name: another program has held it for 0.05 s", "fuser "});
  EXPECT_FALSE(registry.find("a").has_value()) << "readers do not wait";
}

}  // namespace
}  // namespace octavo
