// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/state_file.hpp"

#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cstring>
#include <numeric>

#include "machine/registry/address_name.hpp"
#include "machine/registry/state_writer.hpp"
#include "octavo/base/clock.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using registry_test::error_text, registry_test::expect_parts, registry_test::facts_of, registry_test::Folder, registry_test::payload_of, registry_test::save;
using registry_test::some_object, registry_test::state_files, registry_test::text_of, registry_test::view;
using Names = std::vector<std::string>;

std::string file_of(const Folder& folder, const std::string& ending = {}) { return folder / "state/8000000700000001" + ending; }

TEST(StateFile, KeepsTheLastTwo) {
  Folder folder;
  EXPECT_FALSE(state_facts(folder.path(), some_object).has_value());
  double before = now_seconds() - 0.001;
  for (std::uint64_t generation = 1; generation <= 4; ++generation) {
    auto written = save(folder.path(), generation);
    EXPECT_EQ(written.payload_bytes, payload_of(generation).size());
    EXPECT_GE(written.saved, before);
    auto read = read_state(folder.path(), some_object);
    EXPECT_EQ(read.facts, written);
    EXPECT_EQ(text_of(read), payload_of(generation));
    EXPECT_EQ(state_facts(folder.path(), some_object), written);
    EXPECT_EQ(state_files(folder.path()), generation == 1 ? Names({"current"}) : Names({".previous", "current"}));
    auto previous = previous_state(folder.path(), some_object);
    ASSERT_EQ(previous.has_value(), generation > 1);
    if (previous) {
      EXPECT_EQ(previous->generation, generation - 1);
    }
  }
  struct stat status {};
  ASSERT_EQ(::stat(file_of(folder).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
}

// Small parts, empty ones, parts larger than what is written at once; in several calls.
TEST(StateFile, GathersItsPayload) {
  Folder folder;
  std::mt19937_64 random(5);
  std::string payload(7 << 20, '\0');
  for (auto& each : payload) each = static_cast<char>(random());
  StateWriter writer(folder.path(), facts_of(1));
  std::vector<ByteView> parts;
  for (std::size_t at = 0; at < payload.size();) {
    std::size_t bytes = std::min<std::size_t>(payload.size() - at, random() % 4 == 0 ? random() % (3 << 20) : random() % 200);
    parts.push_back(view(payload).subspan(at, bytes));
    at += bytes;
    if (parts.size() < 300) continue;
    writer.write(parts);
    parts.clear();
  }
  writer.write(parts);
  writer.write({});
  writer.commit();
  EXPECT_EQ(text_of(read_state(folder.path(), some_object)), payload);
  EXPECT_THROW(writer.commit(), usage_error);
  EXPECT_THROW(writer.write({}), usage_error);
}

// The bytes of an empty state: they must not change, files of earlier versions are read.
TEST(StateFile, AnEmptyStateIsAState) {
  Folder folder;
  auto facts = facts_of(1);
  facts.saved = 1795275232.001;
  StateWriter(folder.path(), facts).commit();
  EXPECT_EQ(read_state(folder.path(), some_object).payload().size(), 0U);
  std::string bytes = registry_test::get_file(file_of(folder));
  ASSERT_EQ(bytes.size(), state_header_bytes);
  const unsigned char expected[] = {0x8f, 'O',  'S',  't',  'a',  't',  'e',  '\n', 1,    0,    0,    0,    2,    0,    0,    0,     // magic, versions
                                    1,    0,    0,    0,    7,    0,    0,    0x80, 1,    0,    0,    0,    0,    0,    0,    0,     // object, generation
                                    0,    0,    0,    0,    0,    0,    0,    0,    0x7f, 0x49, 0x8d, 0x46, 0x24, 0xc3, 0x01, 0x60,  // bytes, sum: low
                                    0xd8, 0x98, 0x47, 0x01, 0xd3, 0x06, 0xaa, 0x99, 0,    0,    0,    0,    0,    0,    0,    0};    // high
  EXPECT_EQ(bytes.substr(0, sizeof expected), std::string(reinterpret_cast<const char*>(expected), sizeof expected));
  std::uint64_t saved = 0;
  std::memcpy(&saved, bytes.data() + 64, sizeof saved);
  EXPECT_EQ(saved, 1795275232001U);
  EXPECT_EQ(bytes.substr(72, 10), std::string("\5\0\0\0Tally\0", 10));
  EXPECT_EQ(bytes.find_first_not_of('\0', 82), state_header_bytes - 8);
}

TEST(StateFile, AWriterThatIsDroppedLeavesNothing) {
  Folder folder;
  save(folder.path(), 1);
  {
    StateWriter writer(folder.path(), facts_of(2));
    std::vector<ByteView> part{view("half")};
    writer.write(part);
  }
  EXPECT_EQ(state_files(folder.path()), Names{"current"});
  EXPECT_EQ(read_state(folder.path(), some_object).facts.generation, 1U);
}

TEST(StateFile, OneWriterAtATimeAndNoneBackwards) {
  Folder folder;
  save(folder.path(), 5);
  {
    StateWriter writer(folder.path(), facts_of(6));
    expect_parts(error_text<refused>([&] { StateWriter(folder.path(), facts_of(6)); }), {"object 8000000700000001 is being saved by another process"});
    expect_parts(error_text<refused>([&] { remove_state(folder.path(), some_object); }), {"is being saved"});
    auto neighbour = facts_of(1);
    neighbour.object ^= 1;
    StateWriter(folder.path(), neighbour).commit();
  }
  for (std::uint64_t generation : {4U, 5U})
    expect_parts(error_text<refused>([&] { save(folder.path(), generation); }), {"generation 5 was saved 2", "open the object again"});
  EXPECT_EQ(state_files(folder.path()).size(), 2U);
  save(folder.path(), 6);
}

TEST(StateFile, RefusesWhatDoesNotFit) {
  Folder folder;
  for (const auto& name : {std::string(), std::string(longest_name + 1, 'a'), std::string("\xff")}) {
    auto facts = facts_of(1);
    facts.class_name = name;
    EXPECT_THROW(StateWriter(folder.path(), facts), usage_error);
  }
  auto facts = facts_of(1);
  facts.saved = -5;
  EXPECT_THROW(StateWriter(folder.path(), facts), usage_error);
  facts.saved = 12.3456;
  facts.class_name = std::string(longest_name, 'a');
  StateWriter(folder.path(), facts).commit();
  EXPECT_EQ(read_state(folder.path(), some_object).facts.saved, 12.346);
}

// Each byte of the header, and some of the payload.
TEST(StateFile, C11_DamageIsFoundAndAnEarlierStateOffered) {
  Folder folder;
  save(folder.path(), 1);
  auto first = save(folder.path(), 2);
  save(folder.path(), 3);
  std::string path = file_of(folder), whole = registry_test::get_file(path);
  std::vector<std::size_t> places(state_header_bytes);
  std::iota(places.begin(), places.end(), 0);
  places.insert(places.end(), {state_header_bytes, whole.size() / 2, whole.size() - 1});
  for (std::size_t at : places) {
    if (at >= 100 && at < 4080 && at % 97 != 0) continue;
    registry_test::put_file(path, whole);
    registry_test::flip(path, at);
    std::string text;
    try {
      read_state(folder.path(), some_object, "data/x");
      ADD_FAILURE() << "byte " << at;
    } catch (const not_supported& e) {
      EXPECT_TRUE(at >= 8 && at < 12) << e.what();
      continue;
    } catch (const io_error& e) {
      text = e.what();
    }
    EXPECT_FALSE(at >= 8 && at < 12) << "the version of the format";
    expect_parts(text, {path.c_str(), "is damaged",
                        at < 8                    ? "begin"
                        : at < state_header_bytes ? "checksum of its header"
                                                  : "checksum of its payload",
                        "Generation 2, saved 2", "UTC, is whole", "`octavo restore ov://data/x`"});
  }
  for (std::size_t bytes : {whole.size() - 1, state_header_bytes, state_header_bytes - 1, std::size_t{9}, std::size_t{3}, std::size_t{0}}) {
    registry_test::put_file(path, whole.substr(0, bytes));
    expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object); }), {"is damaged", "`octavo restore NAME`"});
  }
  registry_test::put_file(path, whole + "more");
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object); }), {"of header and", "of payload"});
  EXPECT_EQ(previous_state(folder.path(), some_object), first);
}

TEST(StateFile, AFileOfAnotherObjectOrNoneIsSaid) {
  Folder folder;
  save(folder.path(), 1);
  std::filesystem::copy_file(file_of(folder), folder / "state/8000000700000002");
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object + 1); }), {"it is that of object 8000000700000001", "No earlier state"});
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object + 2); }), {"8000000700000003' is missing"});
  std::filesystem::create_directory(folder / "state/8000000700000004");
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object + 3); }), {"no regular file"});
  std::filesystem::create_symlink(file_of(folder), folder / "state/8000000700000005");
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object + 4); }), {"ELOOP"});
}

// What it says becomes an object: it is read only where nobody else can have written it.
TEST(StateFile, OneThatIsOpenToOthersIsNotRead) {
  Folder folder;
  save(folder.path(), 1);
  for (const auto mode : {0640U, 0604U, 0602U, 0620U}) {
    ASSERT_EQ(::chmod(file_of(folder).c_str(), mode), 0);
    expect_parts(error_text<refused>([&] { read_state(folder.path(), some_object); }), {"is open to others (mode 06", "is not read", "chmod 600 '"});
  }
  ASSERT_EQ(::chmod(file_of(folder).c_str(), 0600), 0);
  EXPECT_EQ(text_of(read_state(folder.path(), some_object)), payload_of(1));
  if (::geteuid() != 0) return;  // only root can give a file away
  ASSERT_EQ(::chown(file_of(folder).c_str(), 65534, 65534), 0);
  expect_parts(error_text<refused>([&] { read_state(folder.path(), some_object); }), {"belongs to user 65534, not to user 0, and is not read"});
}

class StateRestore : public testing::TestWithParam<std::pair<bool, bool>> {
 protected:
  StateSteps steps{{}, GetParam().first, GetParam().second};
};

TEST_P(StateRestore, MakesThePreviousCurrentAndKeepsTheDamaged) {
  Folder folder;
  for (std::uint64_t generation = 1; generation <= 3; ++generation) save(folder.path(), generation, steps);
  registry_test::flip(file_of(folder), state_header_bytes + 5);
  std::string damaged = registry_test::get_file(file_of(folder));
  EXPECT_EQ(restore_previous(folder.path(), some_object, steps).generation, 2U);
  EXPECT_EQ(text_of(read_state(folder.path(), some_object)), payload_of(2));
  EXPECT_EQ(registry_test::get_file(file_of(folder, ".damaged")), damaged);
  EXPECT_EQ(state_files(folder.path()), (Names{".damaged", "current"}));
  expect_parts(error_text<io_error>([&] { restore_previous(folder.path(), some_object, steps); }), {"no earlier state of object 8000000700000001 is whole"});
  save(folder.path(), 3, steps);
  EXPECT_EQ(text_of(read_state(folder.path(), some_object)), payload_of(3));
  EXPECT_EQ(previous_state(folder.path(), some_object)->generation, 2U);
  EXPECT_TRUE(remove_state(folder.path(), some_object));
  EXPECT_EQ(state_files(folder.path()), Names{});
  EXPECT_FALSE(remove_state(folder.path(), some_object));
}

TEST_P(StateRestore, ALostCurrentComesBack) {
  Folder folder;
  for (std::uint64_t generation = 1; generation <= 2; ++generation) save(folder.path(), generation, steps);
  std::filesystem::remove(file_of(folder));
  expect_parts(error_text<io_error>([&] { read_state(folder.path(), some_object); }), {"is missing", "Generation 1, saved 2"});
  EXPECT_EQ(restore_previous(folder.path(), some_object, steps).generation, 1U);
  EXPECT_EQ(text_of(read_state(folder.path(), some_object)), payload_of(1));
}

// A save over a damaged state does not push the whole one before it away.
TEST_P(StateRestore, ASaveOverADamagedHeaderKeepsThePrevious) {
  Folder folder;
  for (std::uint64_t generation = 1; generation <= 2; ++generation) save(folder.path(), generation, steps);
  registry_test::flip(file_of(folder), 20);
  save(folder.path(), 3, steps);
  EXPECT_EQ(state_files(folder.path()), (Names{".damaged", ".previous", "current"}));
  EXPECT_EQ(previous_state(folder.path(), some_object)->generation, 1U);
}

INSTANTIATE_TEST_SUITE_P(On, StateRestore, testing::Values(std::pair(true, true), std::pair(false, true), std::pair(false, false)), [](const auto& way) {
  return way.param.first ? "Exchange" : way.param.second ? "Links" : "Copies";
});

// 40 MiB do not fit: the old state stays, and nothing else.
void expect_no_room(const std::string& directory, const std::string& error_name) {
  save(directory, 1);
  save(directory, 2);
  std::string large(1 << 20, 'x');
  std::vector<ByteView> parts(40, view(large));
  std::string text = error_text<io_error>([&] {
    StateWriter writer(directory, facts_of(3));
    try {
      writer.write(parts);
    } catch (...) {
      EXPECT_THROW(writer.commit(), usage_error) << "after a failure there is no half state";
      throw;
    }
    writer.commit();
  });
  expect_parts(text, {"saving the state of object 8000000700000001 to '", ".new'", error_name.c_str()});
  EXPECT_EQ(state_files(directory), (Names{".previous", "current"}));
  EXPECT_EQ(text_of(read_state(directory, some_object)), payload_of(2));
  save(directory, 3);
  EXPECT_EQ(text_of(read_state(directory, some_object)), payload_of(3));
}

TEST(StateFile, AFullDiskLeavesTheOldState) {
  Folder folder;
  std::filesystem::create_directory(folder / "small");
  if (::mount("none", (folder / "small").c_str(), "tmpfs", 0, "size=8m") != 0) GTEST_SKIP() << "only those who may mount can make a full disk";
  std::filesystem::create_directory(folder / "small/x");
  try {
    expect_no_room(folder / "small/x", "ENOSPC");
  } catch (const std::exception& e) {
    ADD_FAILURE() << e.what();
  }
  ::umount2((folder / "small").c_str(), MNT_DETACH);
}

TEST(StateFile, AWriteThatIsRefusedLeavesTheOldState) {
  Folder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small{8 << 20, before.rlim_max};
  auto old = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_no_room(folder.path(), "EFBIG");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old);
}

// The old state stays whatever fails on the way.
TEST(StateFile, AnErrorAtAnyStepBeforeTheLastLeavesTheOldState) {
  for (bool exchange : {true, false})
    for (const char* step : {"written", "headed", "synced", "linked"}) {
      Folder folder;
      save(folder.path(), 1);
      bool reached = false;
      StateSteps steps{[&](std::string_view at) {
                         if (at != step) return;
                         reached = true;
                         throw io_error("the disk is gone");
                       },
                       exchange};
      try {
        save(folder.path(), 2, steps);
      } catch (const io_error&) {}
      bool only_without = step == std::string_view("linked");
      ASSERT_EQ(reached, !exchange || !only_without) << step;
      if (!reached) continue;
      EXPECT_EQ(read_state(folder.path(), some_object).facts.generation, 1U) << step;
      EXPECT_EQ(state_files(folder.path()), Names{"current"}) << step;
    }
}

}  // namespace
}  // namespace octavo
