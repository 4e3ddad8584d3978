// SPDX-License-Identifier: Apache-2.0
// T-1 to T-5: who may make an array, what is there meanwhile, and what is left.
#include "octavo/data/new_target.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <thread>

#include "data/target/unfinished.hpp"
#include "kit/sanitized.hpp"
#include "kit/watchdog.hpp"
#include "unit/data/scratch.hpp"

namespace octavo {
namespace {

namespace fs = std::filesystem;
using test::get_file;
using test::put_file;
using test::Scratch;
using test::text_of;

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(directory)) names.push_back(each.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void make_zarr(const NewTarget& target, const Shape& shape = {4}) { create_storage(storage_format::zarr, target.place(), shape, shape, dtype::int8); }

std::string make_whole(const std::string& path, const Shape& shape = {4}, bool overwrite = false) {
  NewTarget target(path, storage_format::zarr, overwrite);
  make_zarr(target, shape);
  target.made();
  target.finish();
  return path;
}

// Runs `work` in a process of its own, which is killed when it has said that it is ready.
void killed_after(const std::function<void()>& work) {
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  pid_t child = ::fork();
  if (child == 0) {
    work();
    [[maybe_unused]] auto told = ::write(ready[1], "r", 1);
    for (;;) ::pause();
  }
  char said = 0;
  ::close(ready[1]);
  ASSERT_EQ(::read(ready[0], &said, 1), 1) << "it failed before it was ready";
  ::close(ready[0]);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

// The exit status of `work` in a process of its own: 0 if it returned, 1 if it threw `refused`, 2 for other errors.
int status_of(kit::Watchdog& watchdog, const std::function<void()>& work) {
  const int child = watchdog.fork();  // without its thread, which may hold the allocator's lock just then
  if (child == 0) {
    try {
      work();
      ::_exit(0);
    } catch (const refused&) {
      ::_exit(1);
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      ::_exit(2);
    }
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(NewTarget, T1_OneAtATimeWhoeverAsks) {
  if (kit::thread_sanitized) GTEST_SKIP() << kit::forks_no_threads;
  kit::Watchdog watchdog(60);
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  fs::create_directory_symlink(scratch.path(), scratch / "link");
  auto take = [&](const std::string& name) { NewTarget(name, storage_format::zarr, true); };
  {
    NewTarget first(path, storage_format::zarr, false);
    std::string why = text_of<refused>([&] { take(path); });
    EXPECT_TEXT(why, "the target '" + path + "' is being made by another program (process " + std::to_string(::getpid()) + " on ");
    EXPECT_TEXT(why, "Wait for it, or give another name");
    EXPECT_TEXT(text_of<refused>([&] { take(scratch / "link/a.zarr/"); }), "is being made by another program");
    EXPECT_EQ(status_of(watchdog, [&] { take(path); }), 1) << "another process";
    EXPECT_EQ(status_of(watchdog, [&] { create_storage(storage_format::zarr, path, {4}, {4}, dtype::int8); }), 1) << "without a NewTarget";
    EXPECT_EQ(status_of(watchdog, [&] { take(scratch / "b.zarr"); }), 0) << "another target";
  }
  fs::remove(scratch / "link");
  take(path);
  EXPECT_TRUE(fs::is_empty(scratch.path())) << names_in(scratch.path())[0];
}

TEST(NewTarget, T1_AcrossNetworkNamespaces) {
  if (kit::thread_sanitized) GTEST_SKIP() << kit::forks_no_threads;
  kit::Watchdog watchdog(60);
  Scratch scratch;
  NewTarget first(scratch / "a.zarr", storage_format::zarr, false);
  int status = status_of(watchdog, [&] {
    if (::unshare(CLONE_NEWNET) != 0) ::_exit(77);
    NewTarget(scratch / "a.zarr", storage_format::zarr, true);
  });
  if (status == 77) GTEST_SKIP() << "unshare(CLONE_NEWNET) is not permitted here";
  EXPECT_EQ(status, 1);
}

// A child that was forked, and not told to run another program, has the program's descriptors, but not the lock.
TEST(NewTarget, T1_AForkedChildDoesNotKeepTheLock) {
  kit::Watchdog watchdog(60);
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  int alive[2];
  ASSERT_EQ(::pipe(alive), 0);
  killed_after([&] {
    NewTarget* target = new NewTarget(path, storage_format::zarr, false);  // NOLINT: the kill ends it
    static_cast<void>(target);
    if (::fork() == 0) {
      char end = 0;
      ::close(alive[1]);
      [[maybe_unused]] auto none = ::read(alive[0], &end, 1);
      ::_exit(0);
    }
  });
  make_whole(path);
  EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"a.zarr"});
  ::close(alive[1]);
  ::close(alive[0]);
}

TEST(NewTarget, T1_AfterAKillTheNextRunTakesTheLock) {
  kit::Watchdog watchdog(60);
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  for (int stage = 0; stage < 4; ++stage) {
    killed_after([&] {
      auto* target = new NewTarget(path, storage_format::zarr, true);  // NOLINT: the kill ends it
      if (stage > 0) make_zarr(*target), target->made();
      if (stage > 1) target->hide();
      if (stage > 2) target->finish();
    });
    auto left = names_in(scratch.path());
    EXPECT_EQ(left.size(), stage < 3 ? 2U : 2U) << stage;
    EXPECT_EQ(left[0], ".a.zarr.lock");
    make_whole(path, {7}, true);
    EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"a.zarr"}) << stage;
    fs::remove_all(path);
  }
}

TEST(NewTarget, T1_ALockOfAnotherUser) {
  kit::Watchdog watchdog(60);
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  ::chmod(scratch.path().c_str(), 01777);
  put_file(scratch / ".a.zarr.lock", "");
  for (const mode_t mode : {0600, 0666}) {  // which that user could open, too
    ::chmod((scratch / ".a.zarr.lock").c_str(), mode);
    int status = status_of(watchdog, [&] {
      if (::setuid(65534) != 0) ::_exit(77);
      EXPECT_TEXT(text_of<refused>([&] { NewTarget(path, storage_format::zarr, true); }), "belongs to user 0");
      ::_exit(::testing::Test::HasFailure() ? 3 : 0);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST(NewTarget, T3_WhatAnotherUserLeftStaysAndKeepsNobodyFromTheTarget) {
  kit::Watchdog watchdog(60);
  if (::geteuid() != 0) GTEST_SKIP() << "needs two users";
  Scratch scratch;
  ::chmod(scratch.path().c_str(), 01777);
  std::string left = scratch / "a.zarr.unfinished-00000001";
  put_file(left + "/octavo-unfinished.jsonl", "");
  put_file(left + "/x", "");
  int status = status_of(watchdog, [&] {
    if (::setuid(65534) != 0) ::_exit(77);
    make_whole(scratch / "a.zarr");
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(names_in(scratch.path()), (std::vector<std::string>{"a.zarr", "a.zarr.unfinished-00000001"}));
  EXPECT_TRUE(fs::exists(left + "/x"));
}

TEST(NewTarget, T1_ALinkInPlaceOfTheLockIsNotWrittenTo) {
  Scratch scratch;
  put_file(scratch / "precious", "mine");
  fs::create_symlink(scratch / "precious", scratch / ".a.zarr.lock");
  fs::create_hard_link(scratch / "precious", scratch / ".b.zarr.lock");
  for (const char* name : {"a.zarr", "b.zarr"}) EXPECT_THROW(NewTarget(scratch / name, storage_format::zarr, true), refused);
  EXPECT_EQ(get_file(scratch / "precious"), "mine");
}

TEST(NewTarget, T2_WhatIsNotFinishedIsNoArray) {
  Scratch scratch;
  for (auto [name, format] :
       {std::pair("a.zarr", storage_format::zarr), std::pair("a.npy", storage_format::npy), std::pair("a.octavo", storage_format::pages)}) {
    std::string path = scratch / name;
    NewTarget target(path, format, false);
    create_storage(format, target.place(), {4}, {4}, dtype::int8);
    target.made();
    target.hide();
    EXPECT_FALSE(fs::exists(path));
    std::string outer = fs::path(target.place()).parent_path();
    EXPECT_TEXT(text_of<io_error>([&] { open_storage(target.place()); }), "is what a job left that did not finish");
    EXPECT_TEXT(text_of<io_error>([&] { open_storage(outer); }), "Run the job again");
    std::string copy = scratch / "copy", inner = scratch / (std::string("inner-") + name);
    fs::copy(outer, copy, fs::copy_options::recursive);
    fs::copy(target.place(), inner, fs::copy_options::recursive);
    EXPECT_THROW(open_storage(copy + "/" + name), io_error) << "renamed";
    EXPECT_THROW(open_storage(inner), io_error) << "taken out of its directory";
    fs::remove_all(copy);
    fs::remove_all(inner);
    target.finish();
    EXPECT_EQ(open_storage(path).shape, (Shape{4}));
  }
}

TEST(NewTarget, T2_NamesAsLongAsAFileSystemTakes) {
  Scratch scratch;
  for (std::string name : {std::string(250, 'a') + ".zarr", std::string(243, 'b') + ".zarr", std::string(120, 'c')}) {
    std::string path = scratch / name;
    make_whole(path);
    EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{name});
    fs::remove_all(path);
  }
}

TEST(NewTarget, T3_RemainsOfThisTargetAloneAreRemoved) {
  Scratch scratch;
  std::string old = scratch / "a.zarr.unfinished-00000001", scratch_file = scratch / "s/a.zarr.scratch.unfinished-00000001";
  put_file(old + "/octavo-unfinished.jsonl", R"({"scratch": ")" + scratch_file + "\"}\n{\"scratch\": \"" + (scratch / "s/other") + "\"}\nnot json\n");
  put_file(scratch_file, "1");
  put_file(scratch / "s/other", "2");
  fs::create_directory(scratch / "a.zarr.unfinished-00000003");  // killed before it had its record
  // The last three have the name of such a directory, and no record.
  std::vector<std::string> foreign{"b.zarr.unfinished-00000001",  "a.zarr.unfinished-0000000g", "a.zarr.unfinished-123",
                                   "xa.zarr.unfinished-00000001", "a.zarr.unfinished",          "a.zarr.unfinished-00000002"};
  put_file(scratch / "a.zarr.unfinished-00000004", "a file");
  for (const auto& each : foreign) put_file(scratch / each + "/zarr.json", "{}");
  NewTarget target(scratch / "a.zarr", storage_format::zarr, false);
  EXPECT_EQ(target.removed(), (std::vector<std::string>{old, scratch / "a.zarr.unfinished-00000003"}));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_FALSE(fs::exists(scratch_file));
  EXPECT_EQ(get_file(scratch / "s/other"), "2") << "the record is believed only as far as the name is ours";
  for (const auto& each : foreign) EXPECT_TRUE(fs::exists(scratch / each + "/zarr.json")) << each;
  EXPECT_EQ(get_file(scratch / "a.zarr.unfinished-00000004"), "a file");
}

TEST(NewTarget, T4_TheNameGoesToWhatThisRunMadeAndNothingElse) {
  Scratch scratch;
  for (int what = 0; what < 4; ++what) {
    std::string path = scratch / "a.zarr";
    NewTarget target(path, storage_format::zarr, false);
    std::string outer = fs::path(target.place()).parent_path();
    make_zarr(target);
    target.made();
    if (what != 3) target.hide();
    if (what == 0) fs::remove_all(outer);
    if (what == 1) fs::remove_all(target.place()), create_storage(storage_format::zarr, target.place(), {9}, {9}, dtype::int8);
    if (what == 2) fs::remove(outer + "/octavo-unfinished.jsonl");
    if (what == 3) fs::rename(outer, scratch / "away"), make_zarr(target);
    EXPECT_THROW(target.finish(), io_error) << what;
    EXPECT_FALSE(fs::exists(path)) << what;
    target.end();
    for (const auto& each : names_in(scratch.path())) fs::remove_all(scratch / each);
  }
}

TEST(NewTarget, T4_TheOldArrayStaysUntilThen) {
  Scratch scratch;
  std::string path = make_whole(scratch / "a.zarr", {4});
  {
    NewTarget target(path, storage_format::zarr, true);
    make_zarr(target, {9});
    target.made();
    EXPECT_EQ(open_storage(path).shape, (Shape{4}));
  }
  EXPECT_EQ(open_storage(path).shape, (Shape{4})) << "T-5";
  make_whole(path, {9}, true);
  EXPECT_EQ(open_storage(path).shape, (Shape{9}));
  EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"a.zarr"});
}

TEST(NewTarget, T4_WhatAppearedMeanwhileIsNotReplaced) {
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  NewTarget target(path, storage_format::zarr, false);
  make_zarr(target);
  target.made();
  put_file(path + "/zarr.json", "{}");
  EXPECT_TEXT(text_of<usage_error>([&] { target.finish(); }), "exists: it was made while this ran");
  target.end();
  EXPECT_EQ(get_file(path + "/zarr.json"), "{}");
  EXPECT_TRUE(fs::exists(target.place() + "/zarr.json")) << "it is whole, and stays";
}

// As a run leaves it that was killed between its two renames, on a file system that has no other way.
TEST(NewTarget, T4_AnOldArrayGetsItsNameBack) {
  Scratch scratch;
  std::string path = make_whole(scratch / "a.zarr", {4}), outer = scratch / "a.zarr.unfinished-00000001";
  put_file(outer + "/octavo-unfinished.jsonl", "");
  fs::rename(path, outer + "/a.zarr.replaced");
  EXPECT_THROW(NewTarget(path, storage_format::zarr, false), usage_error) << "it exists again";
  EXPECT_EQ(open_storage(path).shape, (Shape{4}));
  EXPECT_FALSE(fs::exists(outer));
}

TEST(NewTarget, T4_OnlyItsOwnKindIsReplaced) {
  Scratch scratch;
  put_file(scratch / "group.zarr/zarr.json", R"({"zarr_format": 3, "node_type": "group"})");
  create_storage(storage_format::zarr, scratch / "group.zarr/inner", {4}, {4}, dtype::int8);
  put_file(scratch / "old.zarr/.zgroup", R"({"zarr_format": 2})");
  put_file(scratch / "plain.zarr/thesis.tex", "years");
  put_file(scratch / "file.zarr", "no directory");
  put_file(scratch / "text.npy", "no array");
  put_file(scratch / "text.h5", "no array");
  put_file(scratch / "dir.npy/x", "");
  put_file(scratch / "plain.octavo/x", "");
  for (auto [name, kind] :
       {std::pair("group.zarr", storage_format::zarr), std::pair("old.zarr", storage_format::zarr), std::pair("plain.zarr", storage_format::zarr),
        std::pair("file.zarr", storage_format::zarr), std::pair("text.npy", storage_format::npy), std::pair("text.h5", storage_format::hdf5),
        std::pair("dir.npy", storage_format::npy), std::pair("plain.octavo", storage_format::pages)}) {
    EXPECT_TEXT(text_of<usage_error>([&, name = name, kind = kind] { NewTarget(scratch / name, kind, true); }), "replacing it would remove what else it holds");
    EXPECT_TRUE(fs::exists(scratch / name));
  }
  EXPECT_EQ(get_file(scratch / "plain.zarr/thesis.tex"), "years");
  fs::create_directories(scratch / "empty.zarr");
  fs::create_symlink(scratch / "nowhere", scratch / "dangling.zarr");
  EXPECT_TEXT(text_of<usage_error>([&] { NewTarget(scratch / "dangling.zarr", storage_format::zarr, false); }), "exists");
  for (const char* name : {"empty.zarr", "dangling.zarr"}) EXPECT_EQ(open_storage(make_whole(scratch / name, {4}, true)).shape, (Shape{4}));
}

TEST(NewTarget, T5_NothingIsLeftOfWhatIsGivenUp) {
  Scratch scratch;
  {
    NewTarget target(scratch / "deep/er/a.zarr", storage_format::zarr, false, true);
    make_zarr(target);
    put_file(target.scratch_place(scratch.path()), "");
    target.made();
    target.end();
    std::error_code closed;  // its room is free: nothing of it is open
    for (const auto& each : fs::directory_iterator("/proc/self/fd")) EXPECT_FALSE(fs::read_symlink(each, closed).string().starts_with(scratch.path()));
  }
  EXPECT_TRUE(fs::is_empty(scratch.path())) << names_in(scratch.path())[0];
  EXPECT_THROW(NewTarget(scratch / "deep/a.zarr", storage_format::zarr, false), io_error);
  EXPECT_THROW(NewTarget(scratch / "a.zarr.unfinished-12345678", storage_format::zarr, false), usage_error);
}

// Several programs at once, again and again: each either makes the whole array or is refused, and nothing is left.
TEST(NewTarget, T1_Races) {
  if (kit::thread_sanitized) GTEST_SKIP() << kit::forks_no_threads;
  kit::Watchdog watchdog(120);
  Scratch scratch;
  std::string path = scratch / "a.zarr";
  std::vector<pid_t> children;
  for (int child = 1; child <= 4; ++child) {
    pid_t pid = ::fork();
    if (pid == 0) {
      int made = 0;
      for (int i = 0; i < 50; ++i) try {
          make_whole(path, {child}, true);
          ++made;
        } catch (const refused&) {
          std::this_thread::yield();
        } catch (const std::exception& e) {
          std::fprintf(stderr, "%s\n", e.what());
          ::_exit(2);
        }
      ::_exit(made > 0 ? 0 : 1);
    }
    children.push_back(pid);
  }
  int least_made = 0;
  for (pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2);
    least_made += WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 1 : 0;
  }
  EXPECT_GT(least_made, 0);
  EXPECT_EQ(names_in(scratch.path()), std::vector<std::string>{"a.zarr"});
  EXPECT_LE(open_storage(path).shape[0], 4);
}

}  // namespace
}  // namespace octavo
