// SPDX-License-Identifier: Apache-2.0
// What is left of an array that could not be written whole: nothing under its name (DA-8).
#include <gmock/gmock.h>

#include "conformance/distributed/holder.hpp"
#include "kit/watchdog.hpp"
#include "unit/data/scratch.hpp"

namespace distributed_tests {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ToDisk : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime{{.memory = 64 * ov::MiB}};
};

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> found;
  for (const auto& each : fs::directory_iterator(directory)) found.push_back(each.path().filename().string());
  return found;
}

TEST_F(ToDisk, DA8_AFullDiskLeavesNothing) {
  const ov::test::Mounted small("tmpfs", "size=3m");
  if (!small.mounted()) GTEST_SKIP() << small.why();
  auto g = ov::make_group<Holder>(ov::process, 2);
  const auto split = ov::Split::block({2});
  const Numbers most({1 << 19}, split, g, 7), some({1 << 12}, split, g, 7);  // 4 MiB, 32 KiB
  for (const std::string name : {"a.zarr", "a.npy", "a.octavo"}) {
    const auto path = small / name;
    EXPECT_THROW(most.to_disk(path, {.chunk = {1 << 16}}), ov::error) << name;
    EXPECT_THROW(g->store(most, path), ov::error) << name << ", by members";
    EXPECT_THAT(names_in(small / ""), testing::IsEmpty());
    some.to_disk(path, {.chunk = {1 << 10}});
    EXPECT_THROW(g->store(most, path), ov::error) << name;
    EXPECT_EQ(ov::open_array(path).shape(), ov::Shape{1 << 12}) << "the old one";
    fs::remove_all(path);
  }
}

TEST_F(ToDisk, DA8_ADeathLeavesNothing) {
  const ov::test::Scratch scratch;
  const auto path = scratch / "a.zarr";
  for (const std::size_t who : {1, 0}) {
    auto g = ov::make_group<Holder>(ov::process, 3);
    const Numbers a({1 << 12}, ov::Split::block({3}), g, 7);
    std::vector<ov::future<std::string>> waiting;
    for (std::size_t i = 0; i < 3; ++i)
      if (i != who) waiting.push_back(ov::start(g[i])->until_death(a, path, who));
    EXPECT_THROW(g[who]->until_death(a, path, who), ov::process_died);
    for (auto& each : waiting) EXPECT_THAT(each.get(), HasSubstr("SIGKILL"));
    EXPECT_FALSE(fs::exists(path));
  }
  auto g = ov::make_group<Holder>(ov::process, 2);
  Numbers({1 << 12}, ov::Split::block({2}), g, 7).to_disk(path);
  EXPECT_THAT(names_in(scratch / ""), testing::ElementsAre("a.zarr"));
}

}  // namespace
}  // namespace distributed_tests
