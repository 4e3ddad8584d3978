// SPDX-License-Identifier: Apache-2.0
// What a lasting agent notes of who reads mailboxes of the home.
#include "machine/lasting/reader_record.hpp"

#include <gtest/gtest.h>

#include "unit/machine/registry/folder.hpp"

namespace octavo::agent {
namespace {

using registry_test::Folder;

HomeReader some_reader(std::int64_t pid) { return {"int", {{18, 1, 4}, "Clerk", "here", pid, 7}, ReadingProgram::of(18, pid)}; }

TEST(ReaderRecord, TheNextOneFindsWhatWasKeptLast) {
  const Folder home;
  EXPECT_TRUE(FileReaderRecord(home.path()).left().empty());
  FileReaderRecord(home.path()).keep({{"ov://home/a", some_reader(1)}, {"ov://home/b", some_reader(1)}});
  FileReaderRecord(home.path()).keep({{"ov://home/b", some_reader(::getpid())}});
  const auto left = FileReaderRecord(home.path()).left();
  ASSERT_EQ(left.size(), 1U);
  const auto& found = left.at("ov://home/b");
  EXPECT_EQ(found.type, "int");
  EXPECT_EQ(Life(found.reader), Life(some_reader(::getpid()).reader));
  EXPECT_EQ(found.program.agent, 18U);
  FileReaderRecord(home.path()).keep({});
  EXPECT_TRUE(std::filesystem::is_empty(home.path())) << "nothing is left behind";
}

TEST(ReaderRecord, AProgramLivesUntilItsProcessEnds) {
  const Folder home;
  const FileReaderRecord record(home.path());
  auto program = ReadingProgram::of(18, ::getpid());
  EXPECT_TRUE(record.lives(program));
  ++program.started;
  EXPECT_FALSE(record.lives(program)) << "another process has its number";
  registry_test::Child child([] { ::pause(); });
  program = ReadingProgram::of(18, child.pid());
  EXPECT_TRUE(record.lives(program));
  child.kill();
  child.wait();
  EXPECT_FALSE(record.lives(program));
}

TEST(ReaderRecord, WhatIsDamagedSaysSo) {
  const Folder home;
  FileReaderRecord record(home.path());
  registry_test::put_file(home / "mailboxes", "nonsense that is long enough for an envelope");
  registry_test::expect_parts(registry_test::error_text<io_error>([&] { static_cast<void>(record.left()); }), {"who reads which mailbox", "remove it"});
}

TEST(ReaderRecord, WhatCannotBeKeptSaysWhere) {
  FileReaderRecord record("/nowhere");
  registry_test::expect_parts(registry_test::error_text<io_error>([&] { record.keep({{"ov://home/a", some_reader(1)}}); }), {"/nowhere/mailboxes"});
}

}  // namespace
}  // namespace octavo::agent
