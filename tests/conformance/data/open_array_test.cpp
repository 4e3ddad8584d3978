// SPDX-License-Identifier: Apache-2.0
// Arrays by their paths: made, opened, sliced.
#include "octavo/data/open_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/engine.hpp"

namespace {

namespace ov = octavo;
namespace fs = std::filesystem;
using ov::Slice;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class OpenArray : public testing::Test {
 protected:
  OpenArray() { fs::create_directory(folder); }
  ~OpenArray() override { fs::remove_all(folder); }
  [[nodiscard]] std::string at(const std::string& name) const { return (folder / name).string(); }
  ov::kit::Watchdog watchdog{60};
  const fs::path folder = fs::temp_directory_path() / ("octavo-open-array-" + std::to_string(::getpid()));
  ov::Runtime runtime{{.memory = 16 * ov::MiB, .engine = ov::played({"box"}, (folder / "home").string())}};
};

class OpenArrayOf : public OpenArray, public testing::WithParamInterface<std::string> {};

TEST_P(OpenArrayOf, MadeWrittenAndOpenedAgain) {
  const std::string path = at("a" + GetParam());
  std::vector<float> values(4 * 6);
  std::iota(values.begin(), values.end(), 0.0F);
  {
    ov::Array made = ov::create_array(path, {4, 6}, ov::dtype::float32, {.chunk = {2, 5}});
    EXPECT_THAT(made.read<float>(made.select({})), testing::Each(0.0F));
    made.write(made.select({}), values);
    made.flush();
  }
  ov::OpenOptions how;
  if (GetParam() == ".raw") how.raw = ov::RawLayout{{4, 6}, ov::dtype::float32};
  const ov::Array a = ov::open_array(path, how);
  EXPECT_EQ(a.read<float>(a.select({})), values);
  EXPECT_THAT(a.read<double>(a.select({{0, 4, 2}, -1})), ElementsAre(5.0, 17.0));  // a[0:4:2, -1]
  EXPECT_THAT(a.read<float>(a.select({1, {4, Slice::end}})), ElementsAre(10.0F, 11.0F));
  EXPECT_EQ(a.read<float>(a.select({{3, 1}})).size(), 0U);
  a.write(a.select({Slice::all, {1, 6, 3}}), std::vector<float>(8, -1.0F));
  EXPECT_THAT(a.read<float>(a.select({2})), ElementsAre(12, -1, 14, 15, -1, 17));
}

INSTANTIATE_TEST_SUITE_P(Formats, OpenArrayOf, testing::Values(".zarr", ".npy", ".raw", ".octavo"), [](const auto& of) { return of.param.substr(1); });

TEST_F(OpenArray, OnAMachine) {
  const ov::Array made = ov::create_array(at("a.zarr"), {8}, ov::dtype::int16, {.stored = {.fill = {std::byte{7}, std::byte{0}}}});
  const ov::Array there = ov::open_array(at("a.zarr"), {.at = runtime.machine("box")});
  EXPECT_THAT(there.read<std::int16_t>(there.select({{0, 2}})), ElementsAre(7, 7));
}

TEST_F(OpenArray, WhatIsThereIsNotReplacedUnlessItIsSaid) {
  { ov::create_array(at("a.npy"), {3}, ov::dtype::int32); }
  EXPECT_THAT([&] { ov::create_array(at("a.npy"), {4}, ov::dtype::int32); }, ThrowsMessage<ov::usage_error>(HasSubstr("exists")));
  EXPECT_EQ(ov::create_array(at("a.npy"), {4}, ov::dtype::int32, {.overwrite = true}).shape(), ov::Shape({4}));
}

TEST_F(OpenArray, WhatCannotBe) {
  EXPECT_THAT([&] { ov::open_array(at("none.zarr")); }, ThrowsMessage<ov::error>(HasSubstr("none.zarr")));
  EXPECT_THAT([&] { ov::create_array(at("a.tiff"), {4}, ov::dtype::int32); }, ThrowsMessage<ov::not_supported>(HasSubstr(".zarr, .npy")));
  const ov::Array a = ov::create_array(at("a.npy"), {3}, ov::dtype::float64);
  EXPECT_THAT([&] { a.write(a.select({}), std::vector<double>(4)); }, ThrowsMessage<ov::usage_error>(HasSubstr("4 values for [0:3:1], which are 3")));
  EXPECT_THAT([&] { static_cast<void>(a.read<double>(a.select({3}))); }, ThrowsMessage<ov::usage_error>(HasSubstr("index 3 is outside an axis of 3")));
}

}  // namespace
