// SPDX-License-Identifier: Apache-2.0
// Arrays with names, and remote arrays with names (NA-1 to NA-4 of octavo/data/named_array.hpp).
#include "octavo/data/named_array.hpp"

#include <sys/wait.h>

#include <fstream>
#include <numeric>

#include "conformance/data/named_files.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/process/remote_array.hpp"

namespace process_tests {

namespace {

namespace fs = std::filesystem;
using Values = std::vector<double>;

class NamedArrays : public NamedFiles {
 protected:
  ov::Array make(const std::string& name) { return ov::named(name).make_array(shape, page, ov::dtype::float64, {{file(0)}, {file(1)}, {file(2)}}); }
  static Values counted(std::size_t n) {
    Values values(n);
    std::iota(values.begin(), values.end(), 1);
    return values;
  }
  static Values all(const ov::Array& a) { return a.read<double>(a.select({})); }

  ov::Shape shape{10, 12}, page{4, 4};
  Values values = counted(120);
};

TEST_F(NamedArrays, NA1_OutliveTheirProgram) {
  auto a = make("home/turbulence");
  a.write(a.select({}), values);
  as_another_program();
  auto b = ov::open_array("ov://home/turbulence");
  EXPECT_EQ(b.shape(), shape);
  EXPECT_EQ(b.page(), page);
  EXPECT_EQ(all(b), values);
  ov::end_lasting_agent();  // a year later
  as_another_program();
  EXPECT_EQ(all(ov::open_array("ov://home/turbulence")), values);
}

TEST_F(NamedArrays, NA1_TwoProgramsHaveTheSamePages) {
  auto a = make("home/turbulence");
  ov::Runtime second({.reach = ov::runtime_reach::scope, .home = home.string()});
  {
    auto use = second.use();
    auto b = ov::open_array("ov://home/turbulence");
    b.write(b.select({}), values);
  }
  EXPECT_EQ(all(a), values);
}

TEST_F(NamedArrays, NA1_OverWhatIsStored) {
  for (const char* name : {"a.zarr", "a.npy", "a.octavo"}) {
    const auto path = (folder / name).string();
    {
      auto made = ov::create_array(path, shape, ov::dtype::float64);
      made.write(made.select({}), values);
      made.flush();
    }
    auto a = ov::named(std::string("stored/") + name).make_array(path);
    EXPECT_EQ(all(a), values) << name;
    as_another_program();
    EXPECT_EQ(all(ov::open_array(std::string("ov://stored/") + name)), values) << name;
  }
}

TEST_F(NamedArrays, NA1_ItsMapIsSavedWithIt) {
  const auto map = ov::PageMap::computed(ov::grid_of(shape, page), 2, [](const ov::Shape& at) { return ov::PagePlace{at[0] == 1, 3 * at[0] + at[1]}; });
  auto a = ov::named("own/map").make_array(shape, page, ov::dtype::float64, {{file(0)}, {file(1)}}, map);
  a.write(a.select({}), values);
  ov::end_lasting_agent();
  as_another_program();
  auto b = ov::open_array("ov://own/map");
  EXPECT_EQ(all(b), values);
  EXPECT_EQ(b.map().place_of({1, 2}), (ov::PagePlace{1, 5}));
  EXPECT_EQ(b.devices()[1]->read(5).values<double>()[0], values[4 * 12 + 8]) << "where the map says";
  EXPECT_THROW((void)ov::named("own/other").make_array(shape, page, ov::dtype::float64, {{file(0)}}, map), ov::usage_error);
}

TEST_F(NamedArrays, NA2_OneThatCannotBeMadeLeavesNoName) {
  const auto plain = (folder / "plain").string();
  std::ofstream(plain) << "no directory";
  EXPECT_THROW((void)ov::named("home/bad").make_array(shape, page, ov::dtype::float64, {{file(0)}, {plain + "/within"}, {file(2)}}), ov::io_error);
  EXPECT_TRUE(ov::names("home").empty());
  auto a = make("home/bad");
  EXPECT_THROW((void)make("home/bad"), ov::refused) << "the name is taken";
  EXPECT_EQ(all(a), Values(120)) << "and the one that has it is as it was";
}

TEST_F(NamedArrays, NA3_ADeviceThatWasKilledComesBack) {
  auto a = make("home/turbulence");
  a.write(a.select({}), values);
  a.flush();
  for (const auto& device : a.devices()) kill(device);
  EXPECT_EQ(again([&] { return all(a); }), values);
}

TEST_F(NamedArrays, NA4_DestroyedItsPagesStay) {
  auto a = make("home/turbulence");
  a.write(a.select({}), values);
  ov::destroy_array("ov://home/turbulence");
  EXPECT_TRUE(ov::names().empty());
  EXPECT_THROW((void)ov::open_array("ov://home/turbulence"), ov::usage_error);
  EXPECT_EQ(all(make("home/again")), values);
}

// What lists the names goes another way than what destroys them.
TEST_F(NamedArrays, NA4_DestroyedItHasNoNameAnyMore) {
  for (int i = 0; i < 20; ++i) {
    (void)make("home/short");
    ov::destroy_array("home/short");
    ASSERT_TRUE(ov::names("home").empty()) << "the " << i << "th time";
  }
}

TEST_F(NamedArrays, NA4_AlsoWhereAFileIsGone) {
  (void)make("home/turbulence");
  ov::end_lasting_agent();
  fs::remove(file(1));
  as_another_program();
  ov::destroy_array("ov://home/turbulence");
  EXPECT_TRUE(ov::names().empty());
}

TEST_F(NamedArrays, ARemoteArrayWithAName) {
  auto data = ov::named("numbers").make<double[]>(1024);
  data[7] = 3.5;
  auto flags = ov::named("flags").make<bool[]>(3);
  flags[1] = true;
  ov::end_lasting_agent();
  as_another_program();
  auto same = ov::open<double[]>("ov://numbers");
  EXPECT_EQ(same.size(), 1024u);
  EXPECT_EQ(double(same[7]), 3.5);
  EXPECT_EQ(ov::open<bool[]>("flags").items(), (std::vector<bool>{false, true, false}));
  EXPECT_THROW((void)ov::open<int[]>("numbers"), ov::usage_error);
}

TEST_F(NamedArrays, OnAnotherMachine) {
  begin_with_box();
  auto a = ov::named("far").make_array(shape, page, ov::dtype::float64, {{file(0)}, {file(1), "box"}});
  a.write(a.select({}), values);
  EXPECT_EQ(all(ov::open_array("ov://far")), values);
  EXPECT_EQ(ov::names(runtime->machine("box")).size(), 1u) << "the second device";
  ov::destroy_array("far");
  end_box();
}

TEST_F(NamedArrays, NA2_AFileIsOneDevicesOnly) {
  const auto also = (folder / "." / "pages0").string();
  EXPECT_THROW((void)ov::named("twice").make_array(shape, page, ov::dtype::float64, {{file(0)}, {also}}), ov::usage_error);
  EXPECT_TRUE(ov::names().empty());
}

TEST_F(NamedArrays, NA4_WhoDoesNotKnowAMachineOfItDestroysNothing) {
  begin_with_box();
  (void)ov::named("far").make_array(shape, page, ov::dtype::float64, {{file(0)}, {file(1), "box"}});
  as_another_program();
  EXPECT_THROW(ov::destroy_array("far"), ov::usage_error);
  EXPECT_EQ(ov::names().size(), 2u) << "the array and its device here";
  begin_with_box();
  ov::destroy_array("far");
  EXPECT_TRUE(ov::names().empty());
  EXPECT_TRUE(ov::names(runtime->machine("box")).empty());
  end_box();
}

// Its own error is the answer of each: the next life of the device would not know of it.
TEST_F(NamedArrays, D6_WithoutACacheAWriteBehindSaysWhatBecameOfIt) {
  const auto path = (folder / "a.zarr").string();
  ov::create_array(path, {8, 8}, ov::dtype::float64, {.chunk = {8, 8}});
  auto a = ov::named("home/a").make_array(path);
  fs::create_directories(folder / "a.zarr" / "c" / "0" / "0");  // where the chunk's file is to be
  const ov::ArrayPage block(ov::dtype::float64, {8, 8});
  EXPECT_THROW(a.write_behind(ov::Box::whole({8, 8}), block), ov::io_error);
  a.flush();
}

// What a killed program left of an array.
class Unfinished : public NamedArrays {
 protected:
  static constexpr int many = 24;  // so that it takes a while
  ov::Array make_many() {
    std::vector<ov::PageFilePlace> files;
    for (int n = 0; n < many; ++n) files.push_back({file(n)});
    return ov::named("home/half").make_array(shape, page, ov::dtype::float64, files);
  }
  // A program of its own makes the array, and is killed when the first device has its name, or is constructed and saved. False: it was faster.
  [[nodiscard]] bool kill_one_that_makes(std::uint64_t generation) {
    const int child = watchdog.fork();
    if (child == 0) try {
        const ov::Runtime own({.home = home.string()});
        (void)make_many();
        std::_Exit(0);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "the program that was to be killed: %s\n", e.what());
        std::_Exit(1);
      }
    until([&] {
      const auto found = ov::names("home/half/device/0");
      return !found.empty() && found[0].generation >= generation;
    });
    ::kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  }
};

TEST_F(Unfinished, NA2_WhatAKilledProgramLeftCanBeDestroyedAndMadeAgain) {
  for (const std::uint64_t generation : {0, 1}) {
    while (!kill_one_that_makes(generation)) ov::destroy_array("home/half");
    EXPECT_FALSE(ov::names("home/half").empty());
    EXPECT_THROW((void)make_many(), ov::refused) << "the name is taken";
    ov::destroy_array("home/half");
    until([] { return ov::names().empty(); });  // what its program had sent before its end may have come last
    auto a = make_many();
    a.write(a.select({}), values);
    EXPECT_EQ(all(a), values);
    ov::destroy_array("home/half");
    until([] { return ov::names().empty(); });
  }
}

TEST_F(Unfinished, NA2_DevicesWithoutTheirArrayCanBeDestroyed) {
  (void)make("home/half");
  (void)ov::named("home/half/devices").make<double[]>(3);
  ov::destroy(ov::open<ov::ArrayRecord>("home/half"));
  ov::destroy(ov::open<ov::PageDevice>("home/half/device/1"));
  EXPECT_THROW((void)make("home/half"), ov::refused) << "names of its devices are taken";
  ov::destroy_array("home/half");
  ASSERT_EQ(ov::names().size(), 1u) << "what else has a name there stays";
  EXPECT_EQ(ov::names()[0].name, "home/half/devices");
  EXPECT_THROW(ov::destroy_array("home/half"), ov::usage_error) << "there is none";
  (void)make("home/half");
}

TEST_F(NamedArrays, NA2_WhoOpensAPartOfAnArrayHearsTheCure) {
  (void)make("home/half");
  ov::destroy(ov::open<ov::PageDevice>("home/half/device/1"));
  try {
    (void)ov::open_array("ov://home/half");
    ADD_FAILURE() << "a part of an array was opened";
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("destroy_array"));
  }
  ov::destroy_array("home/half");
  EXPECT_TRUE(ov::names().empty());
}

TEST_F(NamedArrays, SavingEveryCallIsRefused) {
  const auto place = ov::named("home/a").saving_every_call();
  EXPECT_THROW((void)place.make_array(shape, page, ov::dtype::float64, {{file(0)}}), ov::usage_error);
  ov::create_array((folder / "a.npy").string(), shape, ov::dtype::float64);
  EXPECT_THROW((void)place.make_array((folder / "a.npy").string()), ov::usage_error);
  EXPECT_TRUE(ov::names().empty());
}

}  // namespace

}  // namespace process_tests
