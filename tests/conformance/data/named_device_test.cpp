// SPDX-License-Identifier: Apache-2.0
// Single devices with names: the file they are made again over (D-10 of page_device.hpp), and what was written behind and lost (D-6).
#include <fcntl.h>

#include <fstream>

#include "conformance/data/named_files.hpp"
#include "octavo/data/named_array.hpp"
#include "octavo/data/open_array.hpp"

namespace process_tests {

namespace {

namespace fs = std::filesystem;

class NamedDevices : public NamedFiles {
 protected:
  // It says what is wrong, where, and the cure.
  template <class Call>
  static void expect_another(Call call, const std::string& path, const std::string& what) {
    try {
      call();
      ADD_FAILURE() << path << " is another file, and nobody said so";
    } catch (const ov::io_error& e) {
      EXPECT_THAT(e.what(), HasSubstr(path));
      EXPECT_THAT(e.what(), HasSubstr(what));
      EXPECT_THAT(e.what(), HasSubstr("Put the file back"));
    }
  }
  static ov::ArrayPage filled(std::uint8_t with) {
    ov::ArrayPage block(ov::dtype::uint8, {1 << 12});
    for (auto& each : block.values<std::uint8_t>()) each = with;
    return block;
  }
  static std::uint8_t first(const ov::ArrayPage& block) { return block.values<std::uint8_t>()[0]; }
};

TEST_F(NamedDevices, D10_ComeBackOverTheirFile) {
  auto made = ov::named("data/set/PageDevice/34").make<ov::PageFile>(file(0), 16, 1 << 12);
  made->write(filled(34), 3);
  as_another_program();
  EXPECT_EQ(first(ov::open<ov::PageDevice>("ov://data/set/PageDevice/34")->read(3)), 34);
  ov::end_lasting_agent();
  as_another_program();
  EXPECT_EQ(first(ov::open<ov::PageFile>("ov://data/set/PageDevice/34")->read(3)), 34);
}

TEST_F(NamedDevices, D10_OneWhoseFileIsGoneOrAnotherSaysSo) {
  (void)ov::named("device").make<ov::PageFile>(file(0), 16, 1 << 12);
  ov::end_lasting_agent();
  fs::rename(file(0), file(1));
  as_another_program();
  auto device = ov::open<ov::PageFile>("device");
  EXPECT_THROW((void)device->read(0), ov::io_error);
  ov::process.make<ov::PageFile>(file(0), 8, 1 << 12);
  expect_another([&] { (void)device->read(0); }, file(0), "8 pages");
  std::ofstream(file(0)) << "no page file at all";
  expect_another([&] { (void)device->read(0); }, file(0), "no page file");
  fs::rename(file(1), file(0));
  EXPECT_EQ(device->read(0).shape(), (ov::Shape{1 << 12})) << "it is back";
}

TEST_F(NamedDevices, D10_AnotherPageFileOfTheSameShapeIsKnownByItsId) {
  const auto copied = fs::copy_options::overwrite_existing;
  auto made = ov::named("device").make<ov::PageFile>(file(0), 16, 1 << 12);
  made->write(filled(1), 3);
  made->flush();
  auto other = ov::process.make<ov::PageFile>(file(1), 16, 1 << 12);
  other->write(filled(2), 3);
  other->flush();
  ov::end_lasting_agent();
  fs::copy_file(file(0), file(2));          // a backup
  fs::copy_file(file(1), file(0), copied);  // in place: the same inode
  as_another_program();
  auto device = ov::open<ov::PageFile>("device");
  expect_another([&] { (void)device->read(3); }, file(0), "id");
  expect_another([&] { device->write(filled(3), 3); }, file(0), "id");
  fs::remove(file(0));
  fs::copy_file(file(2), file(0));
  EXPECT_EQ(first(device->read(3)), 1) << "a backup that was put back is the same file";
}

TEST_F(NamedDevices, D10_OneThatLivesNoticesThatAnotherFileIsAtItsPlace) {
  auto device = ov::named("device").make<ov::PageFile>(file(0), 16, 1 << 12);
  device->write(filled(1), 3);
  auto other = ov::process.make<ov::PageFile>(file(1), 16, 1 << 12);
  other->write(filled(2), 3);
  device->flush();
  other->flush();
  fs::copy_file(file(0), file(2));
  fs::rename(file(1), file(0));
  expect_another([&] { (void)device->read(3); }, file(0), "id");
  expect_another([&] { device->write(filled(3), 3); }, file(0), "id");
  fs::rename(file(2), file(0));
  EXPECT_EQ(first(device->read(3)), 1) << "a backup that was put back is the same file";
}

// They have no id: known is what their own text says.
TEST_F(NamedDevices, D10_OtherFormatsAreKnownByWhatTheySay) {
  for (const char* name : {"a.zarr", "a.npy"}) {
    const auto path = (folder / name).string();
    ov::create_array(path, {6, 4}, ov::dtype::float32, {.chunk = {6, 4}});
    auto a = ov::named(std::string("stored/") + name).make_array(path);
    auto read = [&] { return again([&] { return a.read<double>(a.select({0, 0}))[0]; }); };
    kill(a.devices()[0]);
    const ov::NewArrayOptions anew{.chunk = {4, 6}, .overwrite = true};
    {
      auto other = ov::create_array(path, {4, 6}, ov::dtype::float32, anew);
      other.write(other.select({0, 0}), std::vector<double>{3});
      other.flush();
    }
    expect_another(read, path, "4 x 6");
    ov::create_array(path, {6, 4}, ov::dtype::int32, {.chunk = {6, 4}, .overwrite = true});
    expect_another(read, path, "int32");
    fs::remove_all(path);
    EXPECT_THROW((void)read(), ov::io_error);
    auto same = ov::create_array(path, {6, 4}, ov::dtype::float32, {.chunk = {6, 4}});
    same.write(same.select({0, 0}), std::vector<double>{7});
    same.flush();
    EXPECT_EQ(read(), 7) << "one that says the same cannot be told from it";
  }
}

class LostWrites : public NamedDevices {
 protected:
  // A chunk of `a` cannot be written.
  void make_unwritable() {
    const auto path = (folder / "a.zarr").string();
    ov::create_array(path, {8, 8}, ov::dtype::uint8, {.chunk = {8, 8}});
    (void)ov::named("home/a").make_array(path, {.cache_bytes = 1 << 20});
    fs::create_directories(folder / "a.zarr" / "c" / "0" / "0");  // where the chunk's file is to be
  }
  static void write_behind() { ov::open_array("ov://home/a").write_behind(ov::Box::whole({8, 8}), ov::ArrayPage(ov::dtype::uint8, {8, 8})); }
  static void flush() { ov::open_array("ov://home/a").flush(); }
  [[nodiscard]] ov::Runtime another() const { return ov::Runtime({.reach = ov::runtime_reach::scope, .home = home.string()}); }
};

TEST_F(LostWrites, D6_WhoWroteHearsOfItThoughAnotherProgramFlushedFirst) {
  make_unwritable();
  auto second = another(), third = another();
  write_behind();
  {
    auto use = second.use();
    EXPECT_THROW(flush(), ov::io_error) << "it is not on the disk";
    EXPECT_NO_THROW(flush()) << "that was said";
  }
  {
    auto use = third.use();
    EXPECT_NO_THROW(flush()) << "that was said";
  }
  EXPECT_THROW(flush(), ov::io_error);
  EXPECT_NO_THROW(flush());
}

TEST_F(LostWrites, D6_EachProgramThatWroteHearsOfItOnce) {
  make_unwritable();
  auto second = another();
  write_behind();
  {
    auto use = second.use();
    write_behind();
  }
  EXPECT_THROW(flush(), ov::io_error);
  EXPECT_NO_THROW(flush());
  auto use = second.use();
  EXPECT_THROW(flush(), ov::io_error);
  EXPECT_NO_THROW(flush());
}

TEST_F(LostWrites, D6_WhoHasToHearOfItIsSavedWithTheDevice) {
  make_unwritable();
  write_behind();
  {
    auto second = another();
    auto use = second.use();
    EXPECT_THROW(flush(), ov::io_error);
  }
  const auto device = ov::open_array("ov://home/a").devices()[0];
  kill(device);
  try {
    again([] { flush(); });
    ADD_FAILURE() << "nobody was told";
  } catch (const ov::io_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("may be lost"));
  }
  EXPECT_NO_THROW(flush());
  kill(device);
  EXPECT_NO_THROW(again([] { flush(); })) << "it was said";
}

// Each device tells its error once: what flush() does not raise it logs.
TEST_F(NamedDevices, D6_TheErrorsOfAllDevicesOfAnArrayAreTold) {
  auto a = ov::named("home/a").make_array({8, 8}, {4, 8}, ov::dtype::uint8, {{file(0), "", {.cache_bytes = 1 << 20}}, {file(1), "", {.cache_bytes = 1 << 20}}});
  a.write_behind(ov::Box::whole({8, 8}), ov::ArrayPage(ov::dtype::uint8, {8, 8}));
  for (const auto& each : a.devices()) kill(each);
  testing::internal::CaptureStderr();
  std::string raised;
  again([&] {
    try {
      a.flush();
    } catch (const ov::io_error& e) {
      raised = e.what();
    }
  });
  const auto logged = testing::internal::GetCapturedStderr();
  EXPECT_THAT(raised, HasSubstr("may be lost"));
  for (const auto& path : {file(0), file(1)}) EXPECT_NE(raised.find(path) != std::string::npos, logged.find(path) != std::string::npos) << raised << logged;
  EXPECT_NO_THROW(a.flush());
}

TEST_F(NamedDevices, D6_WhatACrashMayHaveLostIsSaid) {
  auto device = ov::named("cached").make<ov::PageFile>(file(0), 16, ov::Shape{1 << 12}, ov::dtype::uint8, ov::DeviceOptions{.cache_bytes = 1 << 20});
  const auto block = filled(0);
  auto flush = [&] { device->flush(); };
  device->write_behind(block, 3, ov::Box::whole(block.shape()));
  flush();
  kill(device);
  again(flush);  // nothing was lost
  device->write_behind(block, 3, ov::Box::whole(block.shape()));
  kill(device);
  try {
    again(flush);
    ADD_FAILURE() << "nobody was told";
  } catch (const ov::io_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("may be lost"));
  }
  flush();  // it was said
  device->write_behind(block, 4, ov::Box::whole(block.shape()));
  ov::end_lasting_agent();  // in order: it is written
  again(flush);
}

}  // namespace

}  // namespace process_tests
